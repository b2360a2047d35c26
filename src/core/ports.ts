import type { Change } from "./change.ts";
import type { CrawlSummary, SourceName, SourceStateKey } from "./crawl-event.ts";
import type { FetchOutcome, FetchRequest } from "./fetch-outcome.ts";
import type { ContentHash, Page } from "./page.ts";
import type { RateLimiter } from "./rate-limit.ts";
import type { Result } from "./result.ts";
import type { RobotsCopy, SiteClockState, SitePosition, SiteRecord } from "./site-record.ts";
import type { Clock, EpochSeconds } from "./time.ts";
import type { FoundTarget, TargetSettlement, TrackedUrl } from "./tracked-url.ts";
import type { DeletionReason, FetchItem, HeldBody, Settlement, WorkItem } from "./work-item.ts";

/** Sends requests. */
export interface Requests {
  /** Makes one request; never rejects for anything that a server or a network does. */
  get(request: FetchRequest): Promise<FetchOutcome>;
  /**
   * Resolves once what was asked for before is on its way, so that a server works while the caller does. Absent where
   * nothing is sent.
   */
  sent?(): Promise<void>;
}

/** Computes the digest of a body piece by piece. */
export interface PageDigest {
  update(chunk: Uint8Array): void;
  /** First 8 bytes of the SHA-256 as base64url. */
  digest(): string;
}

/** Compression and hashing, which a pure room has not. */
export interface Codec {
  /** Undoes the gzip coding of an archive or index, if it is still there; at most `maxBytes` come out. */
  unpack(body: Uint8Array, maxBytes: number): Result<Uint8Array>;
  /** Undoes a content coding of HTTP; at most `maxBytes` come out. */
  decode(body: Uint8Array, contentEncoding: string, maxBytes: number): Result<Uint8Array>;
  /** The id that an archive of this uncompressed content has in its name. */
  contentId(content: Uint8Array): string;
  createDigest(): PageDigest;
  /** The digest of a whole body. */
  digestOf(content: Uint8Array): string;
}

/** Time, real or virtual. */
export interface Timing {
  readonly now: Clock;
  /** Resolves after `delayMs`, or earlier if the signal is aborted; never rejects. */
  delay(delayMs: number, signal: AbortSignal | undefined): Promise<void>;
}

/** The changes of one reading on their way into memory: all of them or none. */
export interface Intake {
  /**
   * Notes that the site has these pages. A page whose held body is the one recorded needs no work.
   *
   * @param onlyHeld - pages that are not held are passed over
   */
  list(pages: readonly Page[], onlyHeld: boolean): void;
  /** Notes that the site has these pages no more, or that they are not wanted any more. */
  withdraw(paths: readonly string[]): void;
  /**
   * Ends a whole listing: what is held and was not listed becomes a deletion.
   *
   * @param concerns - whether the listing speaks of pages of this media type; others that were not listed are
   *   forgotten, and their bodies left alone
   */
  withdrawUnlisted(concerns: (mediaType: string) => boolean): void;
  /**
   * Makes all of it durable at once, together with the position that it leads to. From then on the pages are followed by
   * the source that remembers something, or by archives if there is a position.
   *
   * @param position - undefined leaves the position as it is
   * @param remembered - what a source remembers from now on
   */
  commit(
    position: SitePosition | undefined,
    remembered?: { readonly source: SourceName; readonly state: unknown },
  ): void;
  rollback(): void;
}

/** What is remembered of one site. */
export interface SiteMemory {
  read(): SiteRecord;
  /** Robots and what sources remember may be kept only with what is made durable next. */
  rememberRobots(copy: RobotsCopy): void;
  /** What a source remembers of the site, as it was given; undefined if nothing. */
  readSource(source: SourceStateKey): unknown;
  /** Remembers what a source knows: anything that JSON carries. */
  rememberSource(source: SourceStateKey, state: unknown): void;
  /** Notes what a visit came to, and the numbers of the site's clocks at its end. */
  rememberVisit(at: EpochSeconds, summary: CrawlSummary, clock?: SiteClockState): void;
  /** Notes by which source the pages are followed from now on, durable at once: what others remember is void. */
  rememberWriter(source: SourceName): void;
  /** Keeps the numbers of the site's clocks; called before a longer wait begins. */
  rememberClock(state: SiteClockState): void;
  /** Makes what was remembered until now durable. */
  flush(): void;
  /** Begins to take in a reading; at most one at a time, and no other call to the store before it ends. */
  beginIntake(): Intake;
}

/** Numbers of pages in the store. */
export interface WorkCounts {
  readonly held: number;
  /** Bytes of what is held. */
  readonly heldBytes: number;
  /** Work that is due. */
  readonly pending: number;
  readonly disallowed: number;
}

/** The work of one site, in the order of paths. */
export interface WorkList {
  /** Due work of a kind, beyond a path, at most `limit` items. */
  take(kind: WorkItem["kind"], after: string, limit: number): WorkItem[];
  /** Due fetches that came to nothing when they were tried last (`unavailable`), those first of which that is less often so. */
  takeAway(limit: number): FetchItem[];
  /** Makes results durable, all at once; `at` is when they were seen. */
  settle(settlements: readonly Settlement[], at: EpochSeconds): void;
  /** Makes work that robots.txt disallowed due again. */
  reopenDisallowed(): void;
  /** Makes work that was refused so often that it waits due again. */
  reopenRefused(): void;
  counts(): WorkCounts;
}

/**
 * Which targets are taken: never asked for, as they were found, by rank if they have one, or at random; held and in doubt, or held since before the source changed, of another `lastmod` than when they were asked for or of
 * none, the same but those that merely have none, or all others. What lists name no more, and what could not be had when
 * it was asked for, is among those that moved and those that are hinted at.
 */
export type TargetChoice = "new" | "ranked" | "random" | "doubted" | "unconfirmed" | "moved" | "hinted" | "known";

/** Numbers of targets in the store. */
export interface TargetCounts {
  readonly known: number;
  /** Never asked for. */
  readonly fresh: number;
  readonly held: number;
  readonly disallowed: number;
}

/** The URLs of one site that does not publish its changes. */
export interface Targets {
  /** Begins a list of URLs; gives the mark of what it names. */
  beginList(): number;
  /** Notes URLs with the mark of their list, or 0 for links. Those that are known keep their history; what is gone is due if a list gives it another `lastmod`. */
  note(found: readonly FoundTarget[], list: number): void;
  /**
   * Ends complete lists: of what is held and was named by none of them, only by earlier ones, no list says any more
   * when it changed, and it is due. What is gone is due once a list names it again.
   *
   * @param lists - marks of all lists that hold
   */
  endLists(lists: readonly number[]): void;
  /**
   * At most `limit` targets in the order in which they were found, beyond an id; those by rank and at random in their order, from
   * the first on.
   *
   * @param since - when the visit began; what was answered for since is not `known`
   */
  take(choice: TargetChoice, since: EpochSeconds, after: number, limit: number): TrackedUrl[];
  /**
   * Targets that could not be had when they were asked for last (`unavailable`), those first of which that is less often so.
   *
   * @param since - when the visit began; what was asked for since is left out
   */
  takeAway(since: EpochSeconds, limit: number): TrackedUrl[];
  /**
   * At most `limit` held targets of which the list says that they did not change, drawn anew for each visit.
   *
   * @param since - when the visit began; what was answered for since is not drawn
   */
  sample(limit: number, since: EpochSeconds): TrackedUrl[];
  /** Of how many held targets the list says that they changed since they were asked for, and of how many not. */
  countListed(): { readonly moved: number; readonly unmoved: number };
  /** Of how many of these paths the list says that they changed since they were asked for. */
  countMoved(paths: readonly string[]): number;
  find(path: string): TrackedUrl | undefined;
  /** Makes results durable with the links that were found on the way, all at once. */
  settle(settlements: readonly TargetSettlement[], found: readonly FoundTarget[], at: EpochSeconds): void;
  /** Makes everything that is held due to be asked for, with its validators: another source wrote it. */
  unconfirmHeld(): void;
  /** Makes the links of pages due to be read: of held bodies of these media types, and of pages of which none is held. */
  rereadLinks(mediaTypes: readonly string[]): void;
  /** Forgets these entity tags: pages that differ have them. */
  forgetTags(etags: readonly string[]): void;
  /** Makes targets that robots.txt disallowed due again. */
  reopenDisallowed(): void;
  /** Makes targets that were refused so often that they wait due again. */
  reopenRefused(): void;
  counts(): TargetCounts;
}

/** What servers usually say of a path. */
export interface MediaTypes {
  /** The media type by the path's ending; undefined where that says nothing. */
  typeOf(path: string): string | undefined;
}

/** A body that is too large for memory, on its way to the mirror. */
export interface BodyWriter {
  write(chunk: Uint8Array): void;
  /** Reads back what was written. */
  read(): Uint8Array;
  /** Removes what was written; harmless after it was kept. */
  discard(): void;
}

/** Where bodies are kept. */
export interface Bodies {
  /** So many small bodies are best kept at once. Default 1. */
  readonly keepsAtOnce?: number;
  /**
   * Takes over a body that is there already, as after a crash or the loss of the store.
   *
   * @returns its size and digest, or undefined if no body that agrees with the record is there
   */
  adopt(page: Page): HeldBody | undefined;
  /** Whether there may be a body of which nothing is remembered, as after a crash. */
  mayHold(path: string): boolean;
  /** Begins a large body. */
  open(): BodyWriter;
  /**
   * Puts a whole body in the place of an older one; a problem if there is no place for it. Nothing is remembered of the
   * page before this ends.
   *
   * @param page - with the body's own size and digest
   */
  keep(page: Page & HeldBody, body: Uint8Array | BodyWriter): Result<undefined> | Promise<Result<undefined>>;
  /** Reads a body back; undefined if it is not there, is larger than that, or bodies cannot be read back. */
  read(path: string, maxBytes: number): Uint8Array | undefined;
  /** Removes a body; harmless if there is none. @param reason - undefined where a page only leads to another by now */
  remove(path: string, reason: DeletionReason | undefined): void | Promise<void>;
  /** Makes everything kept and removed until now durable. */
  flush(): Promise<void>;
}

/** How an entry of a package is read. */
export interface PackageRead {
  /** More must not come out of it. */
  readonly maxBytes: number;
  /** What it must have, each. */
  readonly hashes: readonly ContentHash[];
}

/** A package whose entries can be read, one at a time. */
export interface OpenPackage extends Disposable {
  /**
   * Reads an entry by its name and checks it. What it gives before a problem shows is not to be used.
   *
   * @param write - takes a piece, only valid during the call; what it throws is thrown on
   */
  read(name: string, options: PackageRead, write: (piece: Uint8Array) => void): Promise<Result<undefined>>;
}

/** A package on its way, in a file that goes with it. */
export interface PackageDownload extends Disposable {
  write(chunk: Uint8Array): void;
  /** Opens what came; at most once, when it is whole. A problem if it is no package, or a hostile one. */
  open(): Promise<Result<OpenPackage>>;
}

/** Where packages of pages go while they are read. */
export interface Packages {
  /** Most bytes of one package. */
  readonly maxBytes: number;
  begin(): PackageDownload;
}

/** Merges changes so that each path stands once. */
export interface ChangeMerge {
  /** Adds changes; an earlier change of the same path is composed with the new one. */
  add(changes: readonly Change[]): void;
  /** Turns what was added of these paths into deletions; paths that were not added are passed over. */
  withdraw(paths: readonly string[]): void;
  /** Takes these paths out. */
  forget(paths: readonly string[]): void;
  /** Everything, in the order of paths. */
  changes(): Iterable<Change>;
}

/** What was fetched for a reading that is not whole yet; a visit that is cut short leaves it to the next. */
export interface KeptReading {
  /** What was kept under a name, maybe broken; undefined if nothing was. */
  read(name: string): Uint8Array | undefined;
  keep(name: string, content: Uint8Array): void;
  clear(): void;
}

/** What reading a site's archives needs. */
export interface ReadingPorts {
  readonly requests: Requests;
  readonly codec: Codec;
  readonly timing: Timing;
  /** Where requests wait for their turn; undefined if what is asked is no server but a disk. */
  readonly rateLimiter: RateLimiter | undefined;
  /** Undefined where a reading that is cut short begins anew. */
  readonly reading?: KeptReading | undefined;
}

/** What a crawler's visit needs. */
export interface CrawlPorts extends ReadingPorts {
  readonly memory: SiteMemory;
  readonly work: WorkList;
  readonly targets: Targets;
  readonly mediaTypes: MediaTypes;
  readonly bodies: Bodies;
  /** Undefined where each page has to come in an answer of its own. */
  readonly packages: Packages | undefined;
}
