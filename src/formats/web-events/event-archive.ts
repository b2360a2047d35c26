import {
  type ChangeKind,
  changeKinds,
  type EpochSeconds,
  excerpt,
  maxEpochSeconds,
  ok,
  problem,
  type Result,
  type ToldEvents,
} from "../../core/index.ts";
import { type LineSink, maxArchiveBytes, maxArchiveChanges } from "../archive/index.ts";
import { findPlainPathEnd, isCanonicalPath } from "../url/index.ts";
import { eventDigestLength, type WebEvent } from "./web-event.ts";

/** First line of every archive of events. */
export const eventArchiveHeader = "tme1";

/** An event of a site; the archive's index says whose it is. */
export type SiteEvent = Omit<WebEvent, "url" | "crawler"> & {
  /** Canonical path with query, as in the archives of a site. */
  readonly path: string;
};

/** The events of one site in an archive: those at the places `from` to, but not including, `to`. */
export interface ArchivedSite {
  readonly origin: string;
  readonly from: number;
  readonly to: number;
}

const letters = { created: "C", updated: "U", deleted: "D" } as const;
const kindsByCode: ReadonlyMap<number, ChangeKind> = new Map(
  changeKinds.map((kind) => [letters[kind].charCodeAt(0), kind]),
);
const [tab, lineFeed, minus, siteLetter] = [9, 10, 45, 83];
/** `U  0  0  0  -  -  /` with its LF. */
const leastLineBytes = 14;

/** Writes the line that begins a site: `S  origin`, TAB between; the lines up to the next are its events. */
export function writeSiteLine(sink: LineSink, origin: string): void {
  sink.put("S\t");
  sink.put(origin);
  sink.put("\n");
}

/**
 * Writes an event as a line, LF included: `change  seen  last-modified  size  ttl  digest  path`, TAB between. `seen` is counted in
 * seconds back from the end of the archive's interval, `last-modified` back from when it was seen: small numbers
 * compress well. The time to live, and the digest, are `-` if there is none.
 *
 * @param to - end of the interval; the event was seen no later
 */
export function writeEventLine(sink: LineSink, event: SiteEvent, to: EpochSeconds): void {
  sink.put(letters[event.kind]);
  sink.put("\t");
  sink.putNumber(to - event.polledAt);
  sink.put("\t");
  sink.putNumber(event.polledAt - event.modifiedAt);
  sink.put("\t");
  sink.putNumber(event.sizeBytes);
  sink.put("\t");
  if (event.lifetimeSeconds === undefined) sink.put("-");
  else sink.putNumber(event.lifetimeSeconds);
  sink.put("\t");
  sink.put(event.digest ?? "-");
  sink.put("\t");
  sink.put(event.path);
  sink.put("\n");
}

/** Numbers of a line, up to a TAB each. */
class NumberReader {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The next number, at most 16 digits; -1 if there is none, or it is too large. */
  next(max: number): number {
    const bytes = this.#bytes;
    const start = this.at;
    let value = 0;
    let at = start;
    for (let digit = (bytes[at] as number) - 48; digit >= 0 && digit <= 9; digit = (bytes[++at] as number) - 48)
      value = value * 10 + digit;
    if (bytes[at] !== tab || at === start || at - start > 16 || value > max) return -1;
    this.at = at + 1;
    return value;
  }
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * The events of an archive, as its bytes: an event is made into an object where somebody asks for it, since most tell
 * nothing new. Events have places from 0 on, in the order of sites and paths.
 */
export class EventArchive implements ToldEvents {
  readonly content: Uint8Array;
  readonly sites: ArchivedSite[] = [];
  readonly pathStarts: Uint32Array;
  readonly pathEnds: Uint32Array;
  /** 0 where an event has no digest. */
  readonly digestStarts: Uint32Array;
  readonly polledAt: Float64Array;
  readonly #to: EpochSeconds;
  readonly #lineStarts: Uint32Array;
  readonly #numbers: NumberReader;
  /** Whether the last path is one that was seen to be canonical without making it a text. */
  #isPlain = false;

  constructor(content: Uint8Array, to: EpochSeconds) {
    this.content = content;
    this.#to = to;
    this.#numbers = new NumberReader(content);
    const most = Math.min(maxArchiveChanges, Math.ceil(content.length / leastLineBytes));
    this.pathStarts = new Uint32Array(most);
    this.pathEnds = new Uint32Array(most);
    this.digestStarts = new Uint32Array(most);
    this.#lineStarts = new Uint32Array(most);
    this.polledAt = new Float64Array(most);
  }

  pathAt(at: number): string {
    return textOf(this.content, this.pathStarts[at] as number, this.pathEnds[at]);
  }

  eventAt(at: number): SiteEvent {
    const start = this.#lineStarts[at] as number;
    const numbers = this.#numbers;
    numbers.at = start + 2;
    const polledAt = this.#to - numbers.next(this.#to);
    const modifiedAt = polledAt - numbers.next(polledAt);
    const sizeBytes = numbers.next(Number.MAX_SAFE_INTEGER);
    const kind = kindsByCode.get(this.content[start] as number) as ChangeKind;
    const path = this.pathAt(at);
    const event: Writable<SiteEvent> = { kind, path, sizeBytes, modifiedAt, polledAt };
    if (this.content[numbers.at] !== minus) event.lifetimeSeconds = numbers.next(maxEpochSeconds);
    const digest = this.digestStarts[at] as number;
    if (digest > 0) event.digest = textOf(this.content, digest, digest + eventDigestLength);
    return event;
  }

  /**
   * Reads the lines of a site, up to one that is no event or not the next one. There are none after it in an archive that is right, but
   * that of the next site.
   *
   * @param start - of the first
   * @returns where that line is
   */
  readSite(origin: string, start: number): number {
    const first = this.sites.at(-1)?.to ?? 0;
    let at = first;
    let from = start;
    for (; from < this.content.length; at++) {
      const lineEnd = this.#readLine(from, at, at > first);
      if (lineEnd === undefined) break;
      from = lineEnd + 1;
    }
    this.sites.push({ origin, from: first, to: at });
    return from;
  }

  /** @returns the place of its LF; undefined if it is wrong */
  #readLine(start: number, at: number, isNext: boolean): number | undefined {
    const { content } = this;
    const numbers = this.#numbers;
    if (content[start + 1] !== tab || !kindsByCode.has(content[start] as number)) return undefined;
    numbers.at = start + 2;
    const seenAgo = numbers.next(this.#to);
    if (seenAgo < 0) return undefined;
    const seenAt = this.#to - seenAgo;
    if (numbers.next(seenAt) < 0 || numbers.next(Number.MAX_SAFE_INTEGER) < 0) return undefined;
    if (content[numbers.at] === minus && content[numbers.at + 1] === tab) numbers.at += 2;
    else if (numbers.next(maxEpochSeconds) < 0) return undefined;
    const digest = numbers.at;
    const hasDigest = content[digest + 1] !== tab;
    const path = digest + (hasDigest ? eventDigestLength : 1) + 1;
    if (content[path - 1] !== tab || !(hasDigest ? isDigest(content, digest) : content[digest] === minus))
      return undefined;
    const shared = isNext ? this.#countShared(path, at - 1) : 0;
    if (shared < 0) return undefined;
    const plainEnd = findPlainPathEnd(content, path, this.#isPlain ? shared : 0);
    this.#isPlain = plainEnd !== undefined;
    const lineEnd = plainEnd ?? content.indexOf(lineFeed, path);
    if (!this.#isPlain && !isCanonicalPath(textOf(content, path, lineEnd))) return undefined;
    // Beyond the bound nothing is kept, and the archive is refused.
    this.#lineStarts[at] = start;
    this.digestStarts[at] = hasDigest ? digest : 0;
    this.pathStarts[at] = path;
    this.pathEnds[at] = lineEnd;
    this.polledAt[at] = seenAt;
    return lineEnd;
  }

  /** @returns with how many bytes of another event's path a path begins; -1 if it does not come after it */
  #countShared(path: number, other: number): number {
    const { content } = this;
    const start = this.pathStarts[other] as number;
    const most = (this.pathEnds[other] as number) - start;
    let shared = 0;
    while (shared < most && content[path + shared] === content[start + shared]) shared++;
    // The LF that ends it is less than all that paths have.
    return (content[path + shared] as number) <= (content[start + shared] as number) ? -1 : shared;
  }
}

const digestBytes = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[\w-]/.test(String.fromCharCode(byte))));

function isDigest(bytes: Uint8Array, start: number): boolean {
  for (let at = start; at < start + eventDigestLength; at++) if (digestBytes[bytes[at] as number] !== 1) return false;
  return true;
}

/**
 * Reads an archive of events. Sites that are not wanted are passed over without a look at their lines, and lines of the
 * others must be right: an archive is taken whole or not at all.
 *
 * @param content - uncompressed bytes, at most {@link maxArchiveBytes}; they are used as long as the archive is
 * @param to - end of the interval, from the archive's name
 * @param isWanted - whether events of an origin are read; what is asked for may be no origin at all
 * @returns the archive, with the sites that are wanted in its order, or the first problem
 */
export function parseEventArchive(
  content: Uint8Array,
  to: EpochSeconds,
  isWanted: (origin: string) => boolean,
): Result<EventArchive> {
  if (content.length > maxArchiveBytes) return problem("too-large", `an archive of ${content.length} bytes`);
  const excerptAt = (start: number): string => excerpt(textOf(content, start, start + 1000).split("\n", 1)[0] ?? "");
  const begin = eventArchiveHeader.length + 1;
  if (textOf(content, 0, begin) !== `${eventArchiveHeader}\n`)
    return problem("bad-header", `not an archive of events: it begins with ${excerptAt(0)}`);
  if (content.at(-1) !== lineFeed) return problem("truncated", "the archive's last line has no end");
  const archive = new EventArchive(content, to);
  let lastOrigin = "";
  let hasEvents = false;
  let sites = 0;
  for (let from = begin; from < content.length; ) {
    if (!isSiteLine(content, from))
      return problem("bad-line", `not the next ${hasEvents ? "event" : "site"}: ${excerptAt(from)}`);
    const lineEnd = content.indexOf(lineFeed, from);
    const origin = textOf(content, from + 2, lineEnd);
    if (origin <= lastOrigin) return problem("bad-line", `not the next site: ${excerptAt(from)}`);
    lastOrigin = origin;
    sites += 1;
    if (sites > maxArchiveChanges) return problem("too-large", `more than ${maxArchiveChanges} sites`);
    hasEvents = isWanted(origin);
    from = hasEvents ? archive.readSite(origin, lineEnd + 1) : findSiteLine(content, lineEnd + 1);
    if ((archive.sites.at(-1)?.to ?? 0) > maxArchiveChanges)
      return problem("too-large", `more than ${maxArchiveChanges} events`);
  }
  return ok(archive);
}

function textOf(bytes: Uint8Array, start: number, end?: number): string {
  return new TextDecoder("latin1").decode(bytes.subarray(start, end));
}

function isSiteLine(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === siteLetter && bytes[at + 1] === tab;
}

/** The next line that begins a site, from the beginning of a line on; the end if there is none. */
function findSiteLine(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(siteLetter, start); at >= 0; at = bytes.indexOf(siteLetter, at + 1))
    if (bytes[at - 1] === lineFeed && isSiteLine(bytes, at)) return at;
  return bytes.length;
}
