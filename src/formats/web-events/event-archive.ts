import {
  type ChangeKind,
  changeKinds,
  type EpochSeconds,
  excerpt,
  maxEpochSeconds,
  ok,
  problem,
  type Result,
} from "../../core/index.ts";
import { type LineSink, maxArchiveBytes, maxArchiveChanges } from "../archive/index.ts";
import { isCanonicalPath } from "../url/index.ts";
import { eventDigestLength, type WebEvent } from "./web-event.ts";

/** First line of every archive of events. */
export const eventArchiveHeader = "tme1";

/** An event of a site; the archive's index says whose it is. */
export type SiteEvent = Omit<WebEvent, "url" | "crawler"> & {
  /** Canonical path with query, as in the archives of a site. */
  readonly path: string;
};

/** The events of one site in an archive, in path order. */
export interface SiteEvents {
  readonly origin: string;
  readonly events: readonly SiteEvent[];
}

const letters = { created: "C", updated: "U", deleted: "D" } as const;
const digestForm = /^[\w-]+$/;
const kindsByLetter: ReadonlyMap<string, ChangeKind> = new Map(changeKinds.map((kind) => [letters[kind], kind]));

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

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Reads the fields of a line. */
class Line {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** A whole number up to the next TAB, at most 16 digits; -1 if there is none, or it is too large. */
  number(max: number): number {
    let value = 0;
    const start = this.at;
    for (let code = this.#text.charCodeAt(this.at); code !== 9; code = this.#text.charCodeAt(++this.at)) {
      if (!(code >= 48 && code <= 57) || this.at - start >= 16) return -1;
      value = value * 10 + (code - 48);
    }
    if (this.at === start || value > max) return -1;
    this.at += 1;
    return value;
  }

  /** A digest up to the next TAB; "" if there is none, undefined if it is malformed. */
  digest(): string | undefined {
    const end = this.#text.indexOf("\t", this.at);
    const digest = this.#text.slice(this.at, end);
    this.at = end + 1;
    if (digest === "-") return "";
    return digest.length === eventDigestLength && digestForm.test(digest) ? digest : undefined;
  }
}

/**
 * Reads an archive of events. Sites that are not wanted are passed over without a look at their lines, and lines of the
 * others must be right: an archive is taken whole or not at all.
 *
 * @param content - uncompressed bytes, at most {@link maxArchiveBytes}
 * @param to - end of the interval, from the archive's name
 * @param isWanted - whether events of an origin are read; what is asked for may be no origin at all
 * @returns the sites in the archive's order, or the first problem
 */
export function parseEventArchive(
  content: Uint8Array,
  to: EpochSeconds,
  isWanted: (origin: string) => boolean,
): Result<SiteEvents[]> {
  if (content.length > maxArchiveBytes) return problem("too-large", `an archive of ${content.length} bytes`);
  const text = new TextDecoder("latin1").decode(content);
  if (!text.startsWith(`${eventArchiveHeader}\n`))
    return problem("bad-header", `not an archive of events: it begins with ${excerpt(text)}`);
  if (!text.endsWith("\n")) return problem("truncated", "the archive's last line has no end");
  const sites: SiteEvents[] = [];
  let events = 0;
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
      const read = readSite(text, lineEnd + 1, end, to);
      if (!read.ok) return read;
      events += read.value.length;
      if (events > maxArchiveChanges) return problem("too-large", `more than ${maxArchiveChanges} events`);
      sites.push({ origin, events: read.value });
    }
    from = end;
  }
  return ok(sites);
}

function readSite(text: string, start: number, end: number, to: EpochSeconds): Result<SiteEvent[]> {
  const events: SiteEvent[] = [];
  const line = new Line(text);
  let last = "";
  for (let from = start; from < end; ) {
    const lineEnd = text.indexOf("\n", from);
    const kind = kindsByLetter.get(text.charAt(from));
    line.at = from + 2;
    const polledAt = to - line.number(to);
    const modifiedAt = polledAt - line.number(polledAt);
    const sizeBytes = line.number(Number.MAX_SAFE_INTEGER);
    const hasLifetime = !text.startsWith("-\t", line.at);
    if (!hasLifetime) line.at += 2;
    const lifetimeSeconds = hasLifetime ? line.number(maxEpochSeconds) : 0;
    const digest = line.digest();
    const path = text.slice(line.at, lineEnd);
    // A number that could not be read is -1, which makes a time one second later than what it is counted from.
    const isWrong =
      polledAt > to || modifiedAt > polledAt || sizeBytes < 0 || lifetimeSeconds < 0 || digest === undefined;
    if (kind === undefined || text.charCodeAt(from + 1) !== 9 || isWrong || !isCanonicalPath(path) || path <= last)
      return problem("bad-line", `not the next event: ${excerpt(text.slice(from, lineEnd))}`);
    last = path;
    const event: Writable<SiteEvent> = { kind, path, sizeBytes, modifiedAt, polledAt };
    if (hasLifetime) event.lifetimeSeconds = lifetimeSeconds;
    if (digest !== "") event.digest = digest;
    events.push(event);
    from = lineEnd + 1;
  }
  return ok(events);
}
