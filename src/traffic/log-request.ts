import type { EpochSeconds } from "../core/index.ts";
import { LogClock, type LogField, type LogLine, logField } from "../formats/access-log/index.ts";
import { publishedFolder } from "../formats/archive/index.ts";
import { hashBytes } from "./byte-hash.ts";
import { assetKinds, mediaKindOf, mediaKinds } from "./media-kind.ts";

const isAsset = mediaKinds.map((kind) => assetKinds.has(kind));
const page = mediaKinds.indexOf("page");
const other = mediaKinds.indexOf("other");
const daySeconds = 86_400;

/** A line's request, as it is counted. One object serves all lines in turn. */
export class LogRequest {
  readonly #clock = new LogClock();
  readonly #seed: number;
  #line!: LogLine;
  /** 0 if no line so far had a time. */
  time: EpochSeconds = 0;
  hasTime = false;
  day = 0;
  status = 0;
  bytes = 0;
  /** A number of {@link mediaKinds}. */
  kind = 0;
  isGet = false;
  isPage = false;
  isAsset = false;
  isConditional = false;
  isSigned = false;
  isOfRobots = false;
  isOfArchives = false;
  /** Of the target alone; 0 if the line has none. */
  targetHash = 0;

  /** @param seed - 32 bits that nobody who writes into a log knows */
  constructor(seed: number) {
    this.#seed = seed;
  }

  read(line: LogLine): void {
    this.#line = line;
    const time = this.#clock.timeOf(line);
    this.hasTime = time !== undefined;
    // A line without a time belongs to those around it.
    if (time !== undefined) {
      this.time = time;
      this.day = Math.floor(time / daySeconds);
    }
    this.status = line.numberOf(logField.status);
    this.bytes = line.numberOf(logField.bytes);
    this.isConditional = this.status === 304 || line.has(logField.ifModifiedSince) || line.has(logField.ifNoneMatch);
    this.isSigned = line.has(logField.signatureInput) || line.has(logField.signatureAgent);
    this.isGet = !line.knows(logField.method) || line.equals(logField.method, "GET");
    this.#readTarget(line);
  }

  #readTarget(line: LogLine): void {
    const hasTarget = line.has(logField.target);
    const from = line.from[logField.target] as number;
    const to = line.to[logField.target] as number;
    // A request that never came, or was none, as of a scan of ports, is of no page.
    this.kind = hasTarget ? mediaKindOf(line.bytes, from, to) : other;
    this.isPage = this.kind === page;
    this.isAsset = isAsset[this.kind] as boolean;
    this.isOfRobots = hasTarget && line.startsWith(logField.target, "/robots.txt") && isEnd(line.bytes, from + 11, to);
    this.isOfArchives = hasTarget && line.startsWith(logField.target, publishedFolder);
    this.targetHash = hasTarget ? hashBytes(line.bytes, from, to, this.#seed) || 1 : 0;
  }

  /** A hash of a field, not 0. */
  hash(field: LogField, salt: number): number {
    const line = this.#line;
    const knows = line.knows(field);
    const from = knows ? (line.from[field] as number) : 0;
    return hashBytes(line.bytes, from, knows ? (line.to[field] as number) : 0, this.#seed ^ salt) || 1;
  }

  /** A hash of the ETag as `If-None-Match` compares it: weak or not (RFC 9110, section 13.1.2). Apache's are weak while a file is new. */
  hashTag(): number {
    const line = this.#line;
    const from = (line.from[logField.etag] as number) + (line.startsWith(logField.etag, "W/") ? 2 : 0);
    return hashBytes(line.bytes, from, line.to[logField.etag] as number, this.#seed) >>> 0;
  }

  /** A field as text, see {@link LogLine}. */
  text(field: LogField, most: number): string {
    return this.#line.textOf(field, most);
  }

  /** Whether the line has a value for a field. */
  has(field: LogField): boolean {
    return this.#line.has(field);
  }
}

const question = 0x3f;

function isEnd(bytes: Uint8Array, at: number, to: number): boolean {
  return at === to || bytes[at] === question;
}
