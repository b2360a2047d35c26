import { existsSync, readdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  type Clock,
  type DeletionReason,
  parseUrl,
  type SeenChange,
  TidemarkError,
  wrapSystemError,
} from "../core/index.ts";
import { parseRobots, robotsAllow } from "../formats/robots/index.ts";
import {
  dayOf,
  eventIndexField,
  eventIndexName,
  eventsFolder,
  formatShareControl,
  isCrawlerName,
  maxEventUrlLength,
  namedPeerField,
  parseDayFileName,
  parseShareControl,
  type ShareControl,
  signatureEnding,
  signatureKeyField,
  type WebEvent,
} from "../formats/web-events/index.ts";
import { createDurably, makeMissingFolder, SiteLock, writeDurably } from "../fs/index.ts";
import { findStateFile, StateReader } from "../storage/index.ts";
import { DayFiles, type SharedPosition } from "./day-files.ts";
import { maxSpecial } from "./engine/merge-peer.ts";
import { shareControlPath } from "./engine/peer-candidates.ts";
import { EventArchives } from "./event-archives.ts";
import { FileSigner } from "./file-signature.ts";

/** What to share, and how. */
export interface ShareEventsOptions {
  /** Folder of the mirrors (`into` of `crawlSite`), or the state file. */
  readonly from: string;
  /** Document root of the web server that is to serve the files; made if it is not there. */
  readonly into: string;
  /** URL of that web server's root, such as `https://crawler.example/`. */
  readonly url: string;
  /** What the crawler sends as User-Agent, without its comment, such as `tidemark/0.1.0`. */
  readonly moniker: string;
  /** Mail address of the operator. Default: none is told. */
  readonly contact?: string;
  /** URLs that the crawler knows especially well; the first hundred are told. Default: none. */
  readonly special?: readonly string[];
  /** Other crawlers whose readers may want to know of them: URLs of their web servers. Default: none are named. */
  readonly peers?: readonly string[];
  /** Only events of these sites: any URL of each. Default: all sites. */
  readonly sites?: readonly string[];
  /** Days whose files are kept, today included. @default 30 */
  readonly days?: number;
  /** File of the Ed25519 key, in PEM (PKCS #8) or as a JWK, that signs what is published. Default: nothing is signed. */
  readonly keyFile?: string;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/** What was shared. */
export interface ShareSummary {
  /** `host:port moniker` */
  readonly crawler: string;
  /** URL of the folder of the days' files. */
  readonly repository: string;
  /** Events that were added, and to how many days' files. */
  readonly events: number;
  readonly files: number;
  /** Files that were removed, because their day is too long ago. */
  readonly removed: number;
  /** Whether other crawlers are told by robots.txt to leave the share files alone. */
  readonly isDisallowed: boolean;
}

const repositoryPath = "/share/";
const controlName = shareControlPath.slice(1);
/** Field of `robots.shr` that says how far the crawler's events are shared. */
const cursorField = "x-tidemark-cursor";
const ownFields = new Set([cursorField, eventIndexField, namedPeerField, signatureKeyField]);
const maxControlBytes = 1024 * 1024;
/** The page may still be there: this crawler does not keep it any more. */
const ownReasons: ReadonlySet<DeletionReason | undefined> = new Set(["unlisted", "usage", "unwanted"]);
/** What was answered is written a little later. */
const settlingSeconds = 2;

/** Whether an error of {@link shareEvents} may be gone a while later. */
export function isTemporaryFailure(error: unknown): error is TidemarkError {
  return error instanceof TidemarkError && (error.code === "locked" || error.code === "disk-full");
}

/** Lines of robots.txt that keep crawlers from taking share files for pages. */
export const shareRobotsLines: string = `User-agent: *\nDisallow: /${controlName}\nDisallow: ${repositoryPath}\n`;

function crawlerName(url: URL, moniker: string): string {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const name = `${url.hostname}:${port} ${moniker}`;
  if (isCrawlerName(name)) return name;
  throw new TidemarkError("bad-option", `${JSON.stringify(moniker)} is no name of a crawler.`, {
    hint: "Use at most 256 characters of ASCII, such as my-crawler/1.0.",
  });
}

/** @returns the fields that are not known are kept; undefined if there is no file */
async function readControl(file: string, url: string): Promise<ShareControl | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw wrapSystemError(error, `read ${file}`, { file });
  }
  const parsed = text.length <= maxControlBytes ? parseShareControl(text, url) : undefined;
  if (parsed?.ok && parsed.value.others.some(([name]) => name === cursorField)) return parsed.value;
  throw new TidemarkError("bad-option", `${file} was not written by tidemark share for this URL.`, {
    hint: "Name another folder, or move the file away.",
    details: { file },
  });
}

function positionOf(control: ShareControl | undefined): SharedPosition | undefined {
  const [, value = ""] = control?.others.find(([name]) => name === cursorField) ?? [];
  const [, epoch, digits, seconds = "0"] = /^([0-9a-f]{1,64}) (\d{1,15})(?: (\d{1,15}))?$/.exec(value) ?? [];
  return epoch === undefined ? undefined : { epoch, number: Number(digits), checkedTo: Number(seconds) };
}

function keyOf(control: ShareControl | undefined): string | undefined {
  return control?.others.find(([name]) => name === signatureKeyField)?.[1];
}

class Share {
  readonly #options: ShareEventsOptions;
  readonly #base: URL;
  readonly #into: string;
  readonly #crawler: string;
  readonly #sites: ReadonlySet<string> | undefined;
  readonly #signer: FileSigner | undefined;

  constructor(options: ShareEventsOptions) {
    this.#options = options;
    this.#base = new URL("/", options.url);
    this.#into = resolve(options.into);
    this.#crawler = crawlerName(this.#base, options.moniker);
    const { sites, keyFile } = options;
    this.#signer = keyFile === undefined ? undefined : new FileSigner(keyFile, this.#repository);
    this.#sites = sites && new Set(sites.map((site) => new URL(site).origin));
  }

  get #repository(): string {
    return new URL(repositoryPath, this.#base).href;
  }

  async run(): Promise<ShareSummary> {
    const { from, clock = Date.now, days = 30 } = this.#options;
    using reader = new StateReader(findStateFile(from));
    makeMissingFolder(this.#into);
    await using _lock = await SiteLock.takePublishing(this.#into, new Date(clock()));
    const controlFile = join(this.#into, controlName);
    let known = await readControl(controlFile, this.#base.href);
    const key = keyOf(known);
    if (key !== undefined && this.#signer === undefined)
      throw new TidemarkError("bad-option", `${controlFile} names a key: peers refuse files that it does not sign.`, {
        hint: `Sign with it (--sign), or remove its line ${signatureKeyField}; then peers must accept that (--accept-key).`,
        details: { file: controlFile },
      });
    const files = new DayFiles(join(this.#into, repositoryPath), join(this.#into, ".tidemark-share"));
    // What a killed run had decided is done first, before anything else is staged.
    const decided = await files.recover();
    if (decided !== undefined) {
      // The key stays until all files are signed with another one.
      await this.#writeControl(controlFile, known, decided, key);
      known = await readControl(controlFile, this.#base.href);
    }
    files.forget();
    const before = positionOf(known);
    reader.freeze();
    const newest = { epoch: reader.readEpoch(), number: reader.readNewestNumber() };
    const isVoid = before === undefined || before.epoch !== newest.epoch || before.number > newest.number;
    const now = Math.floor(clock() / 1000);
    const oldest = dayOf(now) - days + 1;
    if (isVoid) files.beginAnew();
    const after = isVoid ? 0 : before.number;
    // Nobody waits for what was found unchanged before the first share.
    const checked = { from: (isVoid ? 0 : before.checkedTo) || now - settlingSeconds, to: now - settlingSeconds };
    await using archives = await EventArchives.open(join(this.#into, repositoryPath), {
      ...{ crawler: this.#crawler, epoch: newest.epoch, now, days },
    });
    let events = 0;
    const archivedTo = archives.isNew ? 0 : after;
    for (const { number, change } of reader.readEvents(archivedTo)) {
      this.#options.signal?.throwIfAborted();
      if (dayOf(change.at) < oldest || !this.#isShared(change)) continue;
      const event = this.#eventOf(change);
      archives.add(change.site, { ...event, path: change.path });
      if (number <= after) continue;
      files.add(event);
      events += 1;
    }
    for (const { number, change } of reader.readChecks(checked)) {
      this.#options.signal?.throwIfAborted();
      // An event that is told now was seen again a moment later.
      if (number <= archivedTo && this.#isShared(change))
        archives.add(change.site, { ...this.#eventOf(change), path: change.path });
    }
    const position = { ...newest, checkedTo: archives.isEmpty ? checked.from : checked.to };
    const index = await archives.write();
    if (index !== undefined) files.replace(eventsFolder + eventIndexName, index);
    const signer = this.#signer;
    const signing = signer && { signer, isAll: key !== signer.publicKey };
    const changed = await files.publish(position, signing);
    await this.#writeControl(controlFile, known, position, signer?.publicKey);
    files.forget();
    await archives.retire();
    const removed = this.#retire(join(this.#into, repositoryPath), oldest);
    const repository = this.#repository;
    const isDisallowed = await this.#disallow();
    return { crawler: this.#crawler, repository, events, files: changed, removed, isDisallowed };
  }

  #isShared({ site, path, reason }: SeenChange): boolean {
    if (ownReasons.has(reason) || site.length + path.length > maxEventUrlLength) return false;
    if (this.#sites !== undefined && !this.#sites.has(site)) return false;
    return path !== shareControlPath && !(site === this.#base.origin && path.startsWith(repositoryPath));
  }

  #eventOf({ site, path, kind, at, page }: SeenChange): WebEvent {
    // A server's clock may be ahead of ours; readers take nothing from the future.
    const modifiedAt = page === undefined ? at : Math.max(0, Math.min(page.lastModified, at));
    const sizeBytes = page?.sizeBytes ?? 0;
    const event = { url: site + path, kind, sizeBytes, modifiedAt, polledAt: at, crawler: this.#crawler };
    return page === undefined ? event : { ...event, digest: page.digest };
  }

  async #writeControl(
    file: string,
    known: ShareControl | undefined,
    position: SharedPosition,
    key: string | undefined,
  ): Promise<void> {
    const { contact, special = [], peers = [] } = this.#options;
    const kept = known?.others.filter(([name]) => !ownFields.has(name)) ?? [];
    const named = peers.map((peer) => [namedPeerField, new URL("/", peer).href] as const);
    const index = new URL(repositoryPath + eventsFolder + eventIndexName, this.#base).href;
    const control = formatShareControl({
      version: "1.0",
      crawler: this.#crawler,
      contact,
      // Readers do not take a file that is much longer.
      special: special.slice(0, maxSpecial).map((url) => new URL(url).href),
      repository: this.#repository,
      others: [
        ...kept,
        ...named,
        [eventIndexField, index],
        ...(key === undefined ? [] : [[signatureKeyField, key] as const]),
        [cursorField, `${position.epoch} ${position.number} ${position.checkedTo}`],
      ],
    });
    if (known === undefined || formatShareControl(known) !== control) await writeDurably(file, control);
  }

  #retire(folder: string, oldest: number): number {
    if (!existsSync(folder)) return 0;
    const old = readdirSync(folder).filter((name) => (parseDayFileName(name) ?? oldest) < oldest);
    for (const name of old)
      for (const ending of ["", signatureEnding]) rmSync(join(folder, name + ending), { force: true });
    return old.length;
  }

  /** A robots.txt that is there is somebody's: it is only read. */
  async #disallow(): Promise<boolean> {
    const file = join(this.#into, "robots.txt");
    if (await createDurably(file, shareRobotsLines)) return true;
    try {
      const robots = parseRobots(await readFile(file));
      return !robotsAllow(robots, ["*"], repositoryPath) && !robotsAllow(robots, ["*"], `/${controlName}`);
    } catch (error) {
      throw wrapSystemError(error, `read ${file}`, { file });
    }
  }
}

/**
 * Publishes what a crawler saw as files that any web server can serve and other crawlers merge: `robots.shr`, and below
 * `/share/` a file for each day with the web events that were seen on it, and the same events as archives in tiers.
 *
 * Works while a crawl runs. Each call adds what was seen since the last one; a page that changed several times in between
 * is one event. All or nothing of it is published, also if the process is killed. A file of a day is copied when
 * something is added to it; memory does not grow with the number of events.
 *
 * @throws TidemarkError `not-found` if there is no crawler's state, `bad-option`, `locked`, `state-corrupt`, `state-version`
 * @see G. L. McLearn, Autonomous Cooperating Web Crawlers, M.Math. thesis, Waterloo 2002, chapter 3
 * @example
 * await shareEvents({ from: "mirrors", into: "/srv/share", url: "https://crawler.example/", moniker: "my-crawler/1.0" });
 */
export async function shareEvents(options: ShareEventsOptions): Promise<ShareSummary> {
  if (parseUrl(options.url) === undefined) throw new TypeError(`not a URL: ${JSON.stringify(options.url)}`);
  try {
    return await new Share(options).run();
  } catch (error) {
    throw wrapSystemError(error, `share the events of ${options.from}`, { folder: options.into });
  }
}
