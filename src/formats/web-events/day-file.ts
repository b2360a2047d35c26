import { type ChangeKind, type EpochSeconds, maxEpochSeconds, omitUndefined, parseHttpUrl } from "../../core/index.ts";
import { isCrawlerName } from "./share-control.ts";
import { maxEventUrlLength, type WebEvent } from "./web-event.ts";

const daySeconds = 86_400;
const maxLineBytes = 8192;
const maxLinesPerRecord = 64;

/** The day of a time in UTC, as days since 1970. */
export function dayOf(at: EpochSeconds): number {
  return Math.floor(at / daySeconds);
}

/** The name of a day's file. @param day - days since 1970 */
export function dayFileName(day: number): string {
  return `${day}.dat`;
}

/** The day of a file's name; undefined if it is none. */
export function parseDayFileName(name: string): number | undefined {
  const [, digits] = /^(0|[1-9]\d{0,6})\.dat$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

const letters: Readonly<Record<ChangeKind, string>> = { created: "C", updated: "U", deleted: "D" };
const kinds: Readonly<Record<string, ChangeKind>> = { C: "created", U: "updated", D: "deleted" };

/** Formats a record, its fields in the order of the thesis's Figure 3.4, and the empty line that ends it. */
export function formatWebEvent(event: WebEvent): string {
  const { url, kind, sizeBytes, modifiedAt, polledAt, crawler, lifetimeSeconds } = event;
  const lifetime = lifetimeSeconds === undefined ? "" : `ttl: ${lifetimeSeconds}\n`;
  return (
    `url: ${url}\nsize: ${sizeBytes}\nlmd: ${modifiedAt}\nlpd: ${polledAt}\ncid: ${crawler}\n` +
    `${lifetime}stat: ${letters[kind]}\n\n`
  );
}

/** Bounds on a day's file. */
export interface DayFileBounds {
  /** Most bytes that are read. */
  readonly maxBytes: number;
  /** Most records that are read, good or bad. */
  readonly maxRecords: number;
}

/** What a day's file came to. */
export interface DayFileCounts {
  readonly events: number;
  /** Records that were passed over: a field is missing, twice, or not what it must be. */
  readonly bad: number;
  /** Records of another day, or of the future. */
  readonly misdated: number;
  /** Whether a bound was reached: the rest was not read. */
  readonly isCut: boolean;
}

/**
 * Reads a day's file as its bytes arrive. A record that is wrong is counted and passed over, and the next one is read: records
 * do not depend on each other. Unknown fields are ignored. Memory is one record.
 *
 * @see G. L. McLearn, Autonomous Cooperating Web Crawlers, M.Math. thesis, Waterloo 2002, sections 3.2.2 and 3.2.3
 */
export class DayFileReader {
  readonly #day: number;
  readonly #latest: EpochSeconds;
  readonly #bounds: DayFileBounds;
  readonly #onEvent: (event: WebEvent) => void;
  readonly #decoder = new TextDecoder();
  #bytes = 0;
  #line = "";
  #fields = new Map<string, string>();
  #lines = 0;
  #isBad = false;
  /** Lines that are still read, also those that are of no record. */
  #linesLeft: number;
  #counts = { events: 0, bad: 0, misdated: 0, isCut: false };

  /**
   * @param day - whose file it is: "All web-event records contained in this file must have been discovered" on it
   * @param latest - the latest time that is believed, usually now
   */
  constructor(day: number, latest: EpochSeconds, bounds: DayFileBounds, onEvent: (event: WebEvent) => void) {
    this.#day = day;
    this.#latest = latest;
    this.#bounds = bounds;
    this.#linesLeft = bounds.maxRecords * (maxLinesPerRecord + 1);
    this.#onEvent = onEvent;
  }

  /** Reads on; calls `onEvent` for each record that is complete now. */
  write(piece: Uint8Array): void {
    if (this.#counts.isCut) return;
    const room = this.#bounds.maxBytes - this.#bytes;
    this.#bytes += piece.length;
    this.#split(this.#decoder.decode(piece.subarray(0, Math.max(0, room)), { stream: true }));
    if (piece.length > room) this.#counts.isCut = true;
  }

  /** Ends the file. A record that was cut off is not read. @param isWhole - whether all of the file came */
  end(isWhole: boolean): DayFileCounts {
    if (isWhole && !this.#counts.isCut) this.#split(`${this.#decoder.decode()}\n\n`);
    return this.#counts;
  }

  #split(text: string): void {
    const lines = text.split("\n");
    for (const [at, part] of lines.entries()) {
      // Of a line that is too long only its length is kept.
      if (this.#line.length + part.length > maxLineBytes) {
        this.#isBad = true;
        this.#line = ":";
      } else this.#line += part;
      if (at === lines.length - 1 || this.#counts.isCut) return;
      this.#takeLine(this.#line.endsWith("\r") ? this.#line.slice(0, -1) : this.#line);
      this.#line = "";
    }
  }

  #takeLine(line: string): void {
    this.#linesLeft -= 1;
    if (this.#linesLeft < 0) this.#counts.isCut = true;
    else if (line === "" || /^[ \t]+$/.test(line)) {
      if (this.#lines > 0) this.#endRecord();
    } else this.#takeField(line);
  }

  #takeField(line: string): void {
    this.#lines += 1;
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (colon < 0 || this.#lines > maxLinesPerRecord || this.#fields.has(name)) this.#isBad = true;
    else this.#fields.set(name, line.slice(colon + 1).trim());
  }

  #endRecord(): void {
    const event = this.#isBad ? undefined : readRecord(this.#fields);
    this.#fields = new Map();
    this.#lines = 0;
    this.#isBad = false;
    const { events, bad, misdated } = this.#counts;
    if (events + bad + misdated >= this.#bounds.maxRecords) {
      this.#counts.isCut = true;
    } else if (event === undefined) this.#counts.bad += 1;
    else if (dayOf(event.polledAt) !== this.#day || event.polledAt > this.#latest || event.modifiedAt > this.#latest)
      this.#counts.misdated += 1;
    else {
      this.#counts.events += 1;
      this.#onEvent(event);
    }
  }
}

function readNumber(text: string | undefined, max: number): number | undefined {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined;
  return Number(text) <= max ? Number(text) : undefined;
}

function readRecord(fields: ReadonlyMap<string, string>): WebEvent | undefined {
  const url = fields.get("url") ?? "";
  const parsed = url.length <= maxEventUrlLength ? parseHttpUrl(url) : undefined;
  const kind = kinds[fields.get("stat") ?? ""];
  const crawler = fields.get("cid") ?? "";
  const sizeBytes = readNumber(fields.get("size"), Number.MAX_SAFE_INTEGER);
  const modifiedAt = readNumber(fields.get("lmd"), maxEpochSeconds);
  const polledAt = readNumber(fields.get("lpd"), maxEpochSeconds);
  const lifetimeSeconds = readNumber(fields.get("ttl"), maxEpochSeconds);
  if (parsed === undefined || parsed.username !== "" || parsed.password !== "" || kind === undefined) return undefined;
  if (sizeBytes === undefined || modifiedAt === undefined || polledAt === undefined) return undefined;
  if (!isCrawlerName(crawler) || (fields.has("ttl") && lifetimeSeconds === undefined)) return undefined;
  parsed.hash = "";
  return { url: parsed.href, kind, sizeBytes, modifiedAt, polledAt, crawler, ...omitUndefined({ lifetimeSeconds }) };
}
