import type { Change } from "./change.ts";
import type { CrawlSummary, SourceName, SourceStateKey } from "./crawl-event.ts";
import type { FetchOutcome, FetchRequest } from "./fetch-outcome.ts";
import type { ContentHash, Page } from "./page.ts";
import type { RateLimiter } from "./rate-limit.ts";
import type { Result } from "./result.ts";
import type { RobotsCopy, SiteClockState, SitePosition, SiteRecord } from "./site-record.ts";
import type { Clock, EpochSeconds } from "./time.ts";
import type { DeletionReason, FoundUrl, HeldBody, PollCandidate, Settlement, TrackedUrl } from "./tracked-url.ts";
import type { UsagePreferences } from "./usage.ts";

/** Sends requests. */
export interface Requests {
  /** Makes one request; never rejects because of what a server or network does. */
  get(request: FetchRequest): Promise<FetchOutcome>;
  /**
   * Resolves once the earlier requests have been sent, so that the server works while the caller does. Absent where
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

/** Compression and hashing, which the pure layer must not import. */
export interface Codec {
  /** Decodes gzip of an archive or index, if it is still encoded; at most `maxBytes` come out. */
  unpack(body: Uint8Array, maxBytes: number): Result<Uint8Array>;
  /** Decodes an HTTP content coding; at most `maxBytes` come out. */
  decode(body: Uint8Array, contentEncoding: string, maxBytes: number): Result<Uint8Array>;
  /** The content id in the name of an archive with this uncompressed content. */
  contentId(content: Uint8Array): string;
  createDigest(): PageDigest;
  /** The digest of a complete body. */
  digestOf(content: Uint8Array): string;
}

/** Time, real or virtual. */
export interface Timing {
  readonly now: Clock;
  /** Resolves after `delayMs`, or earlier if the signal is aborted; never rejects. */
  delay(delayMs: number, signal: AbortSignal | undefined): Promise<void>;
}

/** The changes of one reading while they are stored: all of them or none. */
export interface Intake {
  /**
   * Adds or updates pages of the site. A page whose held body matches the record needs no work.
   *
   * @param onlyHeld - skip pages that are not held
   */
  list(pages: readonly Page[], onlyHeld: boolean): void;
  /** Records that pages are gone from the site or no longer wanted. */
  withdraw(paths: readonly string[]): void;
  /**
   * Ends a complete listing: each held page that was not listed becomes a deletion.
   *
   * @param concerns - whether the listing covers pages of this media type; other pages that were not listed are
   * forgotten, and their bodies are left in place
   */
  withdrawUnlisted(concerns: (mediaType: string) => boolean): void;
  /**
   * Commits everything at once, together with the new position. From then on the pages follow the source that stored
   * something, or archives if there is a position.
   *
   * @param position - undefined leaves the position unchanged
   * @param remembered - the source's new state
   */
  commit(
    position: SitePosition | undefined,
    remembered?: { readonly source: SourceName; readonly state: unknown },
  ): void;
  rollback(): void;
}

/** The stored state of one site. */
export interface SiteMemory {
  read(): SiteRecord;
  /** robots.txt and the state of sources may be written only together with the next commit. */
  rememberRobots(copy: RobotsCopy): void;
  /** The stored state of a source, as given; undefined if there is none. */
  readSource(source: SourceStateKey): unknown;
  /** Stores the state of a source: any JSON value. */
  rememberSource(source: SourceStateKey, state: unknown): void;
  /** Records the result of a visit and the site's rate-limit clock at its end. */
  rememberVisit(at: EpochSeconds, summary: CrawlSummary, clock?: SiteClockState): void;
  /** Records, durably at once, which source the pages follow from now on. The state of other sources is discarded. */
  rememberWriter(source: SourceName): void;
  /** Stores the site's rate-limit clock; called before a longer wait. */
  rememberClock(state: SiteClockState): void;
  /** Makes everything stored so far durable. */
  flush(): void;
  /** Begins to store a reading: at most one at a time, and no other call to the store before it ends. */
  beginIntake(): Intake;
}

/**
 * Which tracked URLs to take.
 *
 * Announced: `announced`, whose record is to be fetched; `withdrawn`, whose deletion was announced. In path order.
 *
 * Polled, never requested: `new` in the order of discovery, `ranked` by rank, `random` at random. Polled and held, in the
 * order of discovery: `doubted`, whose body is in doubt; `unconfirmed`, held since before the source changed; `moved`,
 * whose `lastmod` differs from that of the last request or is missing; `hinted`, the same without those that merely have
 * no `lastmod`; `known`, all others. URLs that lists no longer name, and those whose last request failed, count as
 * `moved` and `hinted`; they alone are `unsettled`.
 */
export type UrlChoice =
  | "announced"
  | "withdrawn"
  | "new"
  | "ranked"
  | "random"
  | "doubted"
  | "unconfirmed"
  | "moved"
  | "hinted"
  | "unsettled"
  | "known";

/** Those of which a visit looks at all to choose some. */
export type CandidateChoice = "known" | "moved" | "hinted";

/** Numbers of URLs in the store. */
export interface UrlCounts {
  readonly held: number;
  /** Total bytes of the held bodies. */
  readonly heldBytes: number;
  /** Announced, not yet carried out and not parked. */
  readonly pending: number;
  /** Announced, and disallowed by robots.txt or for a use that is respected. */
  readonly disallowed: number;
  /** Polled. */
  readonly known: number;
  /** Polled and never requested. */
  readonly fresh: number;
  /** The same of polled URLs that are not announced. */
  readonly disallowedPolled: number;
}

/** The known URLs of one site: those that it announces and those found otherwise. */
export interface UrlList {
  /** Begins a list of URLs and returns its mark. From then on held pages are polled, too. */
  beginList(): number;
  /**
   * Adds URLs with the mark of their list, or 0 for links. Known URLs keep their history; one that is gone,
   * refused or unavailable becomes due if a list gives it another `lastmod`.
   */
  note(found: readonly FoundUrl[], list: number): void;
  /**
   * Ends complete lists. A held URL that only earlier lists named loses its `lastmod` and becomes due; one that is gone
   * becomes due once a list names it again.
   *
   * @param lists - marks of all valid lists
   */
  endLists(lists: readonly number[]): void;
  /**
   * At most `limit` URLs behind another in their order; those by rank and at random from the start.
   *
   * @param since - when the visit began; of the polled and held ones, those with a response since then are left out
   */
  take(
    choice: UrlChoice,
    since: EpochSeconds,
    after: Pick<TrackedUrl, "id" | "path"> | undefined,
    limit: number,
  ): TrackedUrl[];
  /** As {@link take}, with what decides whether a URL is requested. */
  takeCandidates(
    choice: CandidateChoice,
    since: EpochSeconds,
    after: Pick<TrackedUrl, "id"> | undefined,
    limit: number,
  ): PollCandidate[];
  /**
   * Announced or polled URLs whose last request was `unavailable`, those with the fewest attempts first.
   *
   * @param since - when the visit began; polled URLs requested since then are left out
   */
  takeAway(of: "announced" | "polled", since: EpochSeconds, limit: number): TrackedUrl[];
  /**
   * At most `limit` held URLs that are unchanged according to the list; a new random sample for each visit.
   *
   * @param since - when the visit began; URLs with a response since then are not drawn
   */
  sample(limit: number, since: EpochSeconds): TrackedUrl[];
  /** Number of held URLs that changed since their last request according to the list, and of those that did not. */
  countListed(): { readonly moved: number; readonly unmoved: number };
  /** How many of these paths changed since their last request according to the list. */
  countMoved(paths: readonly string[]): number;
  /** A URL by its path, as it is polled. */
  find(path: string): TrackedUrl | undefined;
  /** Those of these paths that are known, in the given order. */
  findAll(paths: readonly string[]): TrackedUrl[];
  /** Known URLs that are this path with a query, without pages that were held and are gone; at most `limit`. */
  findQueries(path: string, limit: number): string[];
  /** Commits results together with the links found on the way; `at` is when they were observed. */
  settle(settlements: readonly Settlement[], found: readonly FoundUrl[], at: EpochSeconds): void;
  /** Makes all held URLs due, with their validators: another source wrote them. */
  unconfirmHeld(): void;
  /**
   * Makes the links of pages due for reading: of held bodies of these media types, and of pages without a held body.
   */
  rereadLinks(mediaTypes: readonly string[]): void;
  /** Forgets these entity tags, because different pages share them. */
  forgetTags(etags: readonly string[]): void;
  /** The clock was set back: what was requested after `now` counts as requested just before it. */
  setBack(now: EpochSeconds): void;
  /**
   * Makes URLs due again that are disallowed by robots.txt, that wait because they were refused too often, or whose use was
   * disallowed.
   */
  reopen(trouble: "disallowed" | "refused" | "usage"): void;
  /**
   * Forgets the URLs that are not wanted any more; those of them that are held become deletions.
   *
   * @param isWanted - receives what the response stated about the use of the held body
   * @returns how many are held
   */
  narrow(isWanted: (path: string, served: UsagePreferences) => boolean): number;
  counts(): UrlCounts;
}

/** Media types that servers usually give a path. */
export interface MediaTypes {
  /** The media type of the path's extension; undefined if it is unknown. */
  typeOf(path: string): string | undefined;
}

/** A body that is too large for memory, while it is written to the mirror. */
export interface BodyWriter {
  write(chunk: Uint8Array): void;
  /** Reads back what was written. */
  read(): Uint8Array;
  /** Removes what was written; no effect once it was kept. */
  discard(): void;
}

/** Storage of bodies. */
export interface Bodies {
  /** Number of small bodies that are best stored together. Default 1. */
  readonly keepsAtOnce?: number;
  /**
   * Adopts a body that already exists, as after a crash or the loss of the store.
   *
   * @returns its size and digest, or undefined if there is no body that matches the record
   */
  adopt(page: Page): HeldBody | undefined;
  /** Whether bodies may exist of which the store knows nothing, as after a crash. */
  mayHold(path: string): boolean;
  /** Begins a large body. */
  open(): BodyWriter;
  /**
   * Replaces the body of a page; a problem if it cannot be placed. The store records nothing of the page before this
   * resolves.
   *
   * @param page - with the size and digest of the body itself
   */
  keep(page: Page & HeldBody, body: Uint8Array | BodyWriter): Result<undefined> | Promise<Result<undefined>>;
  /** Reads a body back; undefined if it is missing, larger than the limit, or bodies cannot be read back. */
  read(path: string, maxBytes: number): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  /** Removes a body; no effect if there is none. @param reason - undefined if the page now only redirects */
  remove(path: string, reason: DeletionReason | undefined): void | Promise<void>;
  /** Makes everything stored and removed so far durable. */
  flush(): Promise<void>;
}

/** How an entry of a package is read. */
export interface PackageRead {
  /** Most bytes of the decompressed entry. */
  readonly maxBytes: number;
  /** Expected size and digest. */
  readonly hashes: readonly ContentHash[];
}

/** A package whose entries are read one at a time. */
export interface OpenPackage extends Disposable {
  /**
   * Reads an entry by name and verifies it. If it ends with a problem, discard what it gave.
   *
   * @param write - receives a piece, valid only during the call; what it throws is rethrown
   */
  read(name: string, options: PackageRead, write: (piece: Uint8Array) => void): Promise<Result<undefined>>;
}

/** A package being received into a temporary file. */
export interface PackageDownload extends Disposable {
  write(chunk: Uint8Array): void;
  /** Opens the complete package; at most once. A problem if it is invalid or hostile. */
  open(): Promise<Result<OpenPackage>>;
}

/** Temporary storage for packages of pages. */
export interface Packages {
  /** Most bytes of one package. */
  readonly maxBytes: number;
  begin(): PackageDownload;
}

/** Merges changes so that each path occurs once. */
export interface ChangeMerge {
  /** Adds changes; an earlier change of the same path is composed with the new one. */
  add(changes: readonly Change[]): void;
  /** Turns the added changes of these paths into deletions; other paths are ignored. */
  withdraw(paths: readonly string[]): void;
  /** Removes these paths. */
  forget(paths: readonly string[]): void;
  /** All changes in path order. */
  changes(): Iterable<Change>;
}

/** Archives fetched for an incomplete reading; an interrupted visit leaves them to the next. */
export interface KeptReading {
  /** The stored bytes of a name, possibly damaged; undefined if there are none. */
  read(name: string): Uint8Array | undefined;
  keep(name: string, content: Uint8Array): void;
  clear(): void;
}

/** What reading a site's archives requires. */
export interface ReadingPorts {
  readonly requests: Requests;
  readonly codec: Codec;
  readonly timing: Timing;
  /** Limits the request rate; undefined if the source is a disk, not a server. */
  readonly rateLimiter: RateLimiter | undefined;
  /** Undefined if an interrupted reading starts over. */
  readonly reading?: KeptReading | undefined;
}

/** What a visit requires. */
export interface CrawlPorts extends ReadingPorts {
  readonly memory: SiteMemory;
  readonly urls: UrlList;
  readonly mediaTypes: MediaTypes;
  readonly bodies: Bodies;
  /** Undefined if each page must come in a response of its own. */
  readonly packages: Packages | undefined;
}
