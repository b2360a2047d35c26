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
import { isCanonicalPathAt } from "../url/index.ts";
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
const [tab, lineFeed, minus] = [9, 10, 45];
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
    for (let code = bytes[at] as number; code !== tab; code = bytes[++at] as number) {
      if (!(code >= 48 && code <= 57) || at - start >= 16) return -1;
      value = value * 10 + (code - 48);
    }
    if (at === start || value > max) return -1;
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
  readonly #text: string;
  readonly #to: EpochSeconds;
  readonly #lineStarts: Uint32Array;
  readonly #numbers: NumberReader;

  /** @param text - the content, one character a byte */
  constructor(content: Uint8Array, text: string, to: EpochSeconds) {
    this.content = content;
    this.#text = text;
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
    return this.#text.slice(this.pathStarts[at], this.pathEnds[at]);
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
    if (digest > 0) event.digest = this.#text.slice(digest, digest + eventDigestLength);
    return event;
  }

  /**
   * Reads the lines of a site.
   *
   * @param start - of the first
   * @param end - of the last
   * @returns where the first line is that is no event, or not the next one; undefined if there is none
   */
  readSite(origin: string, start: number, end: number): number | undefined {
    const first = this.sites.at(-1)?.to ?? 0;
    let at = first;
    for (let from = start; from < end; at++) {
      const lineEnd = this.#readLine(from, at, at > first);
      if (lineEnd === undefined) return from;
      from = lineEnd + 1;
    }
    this.sites.push({ origin, from: first, to: at });
    return undefined;
  }

  /** @returns the place of its LF; undefined if it is wrong */
  #readLine(start: number, at: number, isNext: boolean): number | undefined {
    const { content, pathStarts, pathEnds, digestStarts, polledAt } = this;
    const numbers = this.#numbers;
    if (!kindsByCode.has(content[start] as number) || content[start + 1] !== tab) return undefined;
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
    const lineEnd = content.indexOf(lineFeed, path);
    if (!isCanonicalPathAt(content, path, lineEnd)) return undefined;
    if (isNext && !isAfter(content, path, lineEnd, pathStarts[at - 1] as number, pathEnds[at - 1] as number))
      return undefined;
    // Beyond the bound nothing is kept, and the archive is refused.
    this.#lineStarts[at] = start;
    digestStarts[at] = hasDigest ? digest : 0;
    pathStarts[at] = path;
    pathEnds[at] = lineEnd;
    polledAt[at] = seenAt;
    return lineEnd;
  }
}

function isDigest(bytes: Uint8Array, start: number): boolean {
  for (let at = start; at < start + eventDigestLength; at++) {
    const code = bytes[at] as number;
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
    if (!isLetter && !(code >= 48 && code <= 57) && code !== minus && code !== 95) return false;
  }
  return true;
}

/** Whether some bytes come after others, which end one place before theirs would otherwise be equal. */
function isAfter(bytes: Uint8Array, start: number, end: number, otherStart: number, otherEnd: number): boolean {
  const shared = Math.min(end - start, otherEnd - otherStart);
  for (let at = 0; at < shared; at++) {
    const difference = (bytes[start + at] as number) - (bytes[otherStart + at] as number);
    if (difference !== 0) return difference > 0;
  }
  return end - start > otherEnd - otherStart;
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
  const text = new TextDecoder("latin1").decode(content);
  if (!text.startsWith(`${eventArchiveHeader}\n`))
    return problem("bad-header", `not an archive of events: it begins with ${excerpt(text)}`);
  if (!text.endsWith("\n")) return problem("truncated", "the archive's last line has no end");
  const archive = new EventArchive(content, text, to);
  let lastOrigin = "";
  for (let from = eventArchiveHeader.length + 1; from < text.length; ) {
    const lineEnd = text.indexOf("\n", from);
    const origin = text.slice(from + 2, lineEnd);
    if (!text.startsWith("S\t", from) || origin <= lastOrigin)
      return problem("bad-line", `not the next site: ${excerpt(text.slice(from, lineEnd))}`);
    lastOrigin = origin;
    const next = text.indexOf("\nS\t", lineEnd);
    const end = next < 0 ? text.length : next + 1;
    if (isWanted(origin)) {
      const wrong = archive.readSite(origin, lineEnd + 1, end);
      if (wrong !== undefined)
        return problem("bad-line", `not the next event: ${excerpt(text.slice(wrong, text.indexOf("\n", wrong)))}`);
      if ((archive.sites.at(-1)?.to ?? 0) > maxArchiveChanges)
        return problem("too-large", `more than ${maxArchiveChanges} events`);
    }
    from = end;
  }
  return ok(archive);
}
