import { type EpochSeconds, excerpt, ok, problem, type Result } from "../../core/index.ts";
import { formatW3cDate, parseW3cDate } from "../time/index.ts";

/** The head of a record of WARC 1.1. Ids are URIs without the angle brackets around them. */
export interface WarcHead {
  /** `warcinfo`, `request`, `response`, `revisit`, or another token. */
  readonly type: string;
  readonly recordId: string;
  /** When the capture began. */
  readonly date: EpochSeconds;
  /** Of the block, in bytes. */
  readonly lengthBytes: number;
  readonly contentType?: string;
  readonly targetUri?: string;
  readonly ipAddress?: string;
  /** With its algorithm, such as `sha1:…` in Base32. */
  readonly blockDigest?: string;
  readonly payloadDigest?: string;
  readonly profile?: string;
  readonly refersTo?: string;
  readonly refersToTargetUri?: string;
  readonly refersToDate?: EpochSeconds;
  /** Why the block is not whole: `length`, `time`, `disconnect` or `unspecified`. */
  readonly truncated?: string;
  readonly warcinfoId?: string;
  readonly filename?: string;
  /** Other records of the same capture. */
  readonly concurrentTo?: readonly string[];
}

/** What the block of a `revisit` record is (WARC 1.1 section 6.7). */
export const revisitProfiles = {
  identicalPayloadDigest: "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
  serverNotModified: "http://netpreserve.org/warc/1.1/revisit/server-not-modified",
} as const;

/** What stands between two records. */
export const warcRecordEnd = "\r\n\r\n";

/** A head may have this many bytes. */
export const maxWarcHeadBytes: number = 64 * 1024;

type TextKey = Exclude<keyof WarcHead, "lengthBytes" | "concurrentTo" | "date" | "refersToDate">;
type Kind = "text" | "uri" | "id" | "date";

// In the order in which they are written.
const defined: ReadonlyArray<readonly [string, TextKey | "date" | "refersToDate", Kind]> = [
  ["WARC-Type", "type", "text"],
  ["WARC-Record-ID", "recordId", "id"],
  ["WARC-Date", "date", "date"],
  ["WARC-Target-URI", "targetUri", "uri"],
  ["WARC-Filename", "filename", "text"],
  ["WARC-IP-Address", "ipAddress", "text"],
  ["WARC-Warcinfo-ID", "warcinfoId", "id"],
  ["WARC-Profile", "profile", "uri"],
  ["WARC-Refers-To", "refersTo", "id"],
  ["WARC-Refers-To-Target-URI", "refersToTargetUri", "uri"],
  ["WARC-Refers-To-Date", "refersToDate", "date"],
  ["WARC-Truncated", "truncated", "text"],
  ["WARC-Payload-Digest", "payloadDigest", "text"],
  ["WARC-Block-Digest", "blockDigest", "text"],
  ["Content-Type", "contentType", "text"],
];
const byName = new Map(defined.map((field) => [field[0].toLowerCase(), field] as const));

const versionLine = "WARC/1.1";
const knownVersion = /^WARC\/1\.[01]$/;
const unfit = /[\x00-\x1f\x7f]/;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function write(name: string, value: string): string {
  if (unfit.test(value) || value.trim() !== value || value === "")
    throw new RangeError(`not a value of ${name}: ${excerpt(value)}`);
  return `${name}: ${value}\r\n`;
}

/**
 * Writes the head of a record, with the empty line after it; the block and {@link warcRecordEnd} follow.
 *
 * @throws RangeError for a value that cannot stand in a head
 * @see WARC 1.1 (ISO 28500:2017) sections 4 and 5
 */
export function formatWarcHead(head: WarcHead): Uint8Array {
  let text = `${versionLine}\r\n`;
  for (const [name, key, kind] of defined) {
    const value = head[key];
    if (value === undefined) continue;
    const written = typeof value === "number" ? formatW3cDate(value) : value;
    text += write(name, kind === "id" ? `<${written}>` : written);
  }
  for (const id of head.concurrentTo ?? []) text += write("WARC-Concurrent-To", `<${id}>`);
  text += write("Content-Length", String(head.lengthBytes));
  return new TextEncoder().encode(`${text}\r\n`);
}

/**
 * Writes a block of `application/warc-fields`. Characters that no value can have become spaces.
 *
 * @see WARC 1.1 (ISO 28500:2017) section 6.6 and annex B
 */
export function formatWarcFields(fields: ReadonlyArray<readonly [name: string, value: string]>): Uint8Array {
  const lines = fields.map(([name, value]) => `${name}: ${value.replace(/[\x00-\x1f\x7f]/g, " ")}\r\n`);
  return new TextEncoder().encode(lines.join(""));
}

function bad(message: string): Result<never> {
  return problem("bad-record", message);
}

function readValue(kind: Kind, value: string): string | number | undefined {
  if (kind === "date") return parseW3cDate(value);
  if (kind === "text") return value;
  // WARC 1.0 had the brackets around every URI.
  const bare = value.startsWith("<") && value.endsWith(">") ? value.slice(1, -1) : value;
  return bare === "" || /\s/.test(bare) ? undefined : bare;
}

/**
 * Reads the head of a record, without the empty line after it. Fields that are not known are passed over.
 *
 * @returns a problem `bad-record` for what breaks the grammar, a field that stands twice, or one that is missing
 */
export function parseWarcHead(bytes: Uint8Array): Result<WarcHead> {
  if (bytes.length > maxWarcHeadBytes) return bad(`a head of ${bytes.length} bytes`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bad("the head is not UTF-8");
  }
  const [version = "", ...lines] = text.replace(/\r\n[ \t]+/g, " ").split("\r\n");
  if (!knownVersion.test(version)) return bad(`not a record of WARC 1.0 or 1.1: ${excerpt(version)}`);
  const values: Record<string, unknown> = {};
  const concurrentTo: string[] = [];
  for (const line of lines) {
    if (line === "") continue;
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    const value = line.slice(colon + 1).trim();
    if (!token.test(name) || unfit.test(value)) return bad(`not a field: ${excerpt(line)}`);
    const lower = name.toLowerCase();
    const field = byName.get(lower);
    const key = field?.[1] ?? (lower === "content-length" ? "lengthBytes" : undefined);
    if (key !== undefined && values[key] !== undefined) return bad(`${name} stands twice`);
    if (lower === "warc-concurrent-to") concurrentTo.push(String(readValue("id", value) ?? ""));
    else if (lower === "content-length") values.lengthBytes = /^\d{1,15}$/.test(value) ? Number(value) : undefined;
    else if (field !== undefined) values[field[1]] = value === "" ? undefined : readValue(field[2], value);
    if (key !== undefined && values[key] === undefined) return bad(`not a value of ${name}: ${excerpt(value)}`);
  }
  for (const key of ["type", "recordId", "date", "lengthBytes"])
    if (values[key] === undefined) return bad(`the record has no ${key}`);
  return ok({ ...values, ...(concurrentTo.length === 0 ? {} : { concurrentTo }) } as unknown as WarcHead);
}

/** A record's id of 16 random bytes: a UUID of version 4 as URN (RFC 9562 section 5.4). */
export function formatRecordId(random: Uint8Array): string {
  const bytes = [...random.subarray(0, 16)];
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return `urn:uuid:${parts.join("-")}`;
}

const base32Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Bytes as Base32 without padding, as WARC's readers have digests (RFC 4648 section 6). */
export function formatBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += base32Letters[(value >> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + base32Letters[(value << (5 - bits)) & 31];
}

/** Takes records as they are read. */
export interface WarcSink {
  head(head: WarcHead): void;
  /** A piece of the block; only valid during the call. */
  block(piece: Uint8Array): void;
  /** The record is whole. */
  end(): void;
}

const lineFeed = 10;

/**
 * Reads unpacked records piece by piece. Memory is one head, of at most 64 KiB.
 *
 * @see WARC 1.1 (ISO 28500:2017) section 4
 */
export class WarcDecoder {
  readonly #sink: WarcSink;
  #state: "head" | "block" | "tail" = "head";
  #head: number[] = [];
  #left = 0;

  constructor(sink: WarcSink) {
    this.#sink = sink;
  }

  /** @returns a problem `bad-record`; nothing may be pushed after one */
  push(chunk: Uint8Array): Result<undefined> {
    for (let at = 0; at < chunk.length; ) {
      if (this.#state === "head") {
        const byte = chunk[at++] ?? 0;
        this.#head.push(byte);
        if (this.#head.length > maxWarcHeadBytes) return problem("bad-record", "a head without an end");
        if (byte === lineFeed && this.#isHeadWhole()) {
          const head = parseWarcHead(Uint8Array.from(this.#head).subarray(0, -4));
          if (!head.ok) return head;
          this.#head = [];
          this.#left = head.value.lengthBytes;
          this.#sink.head(head.value);
          this.#enterBlock();
        }
      } else if (this.#state === "block") {
        const piece = chunk.subarray(at, at + this.#left);
        at += piece.length;
        this.#left -= piece.length;
        this.#sink.block(piece);
        this.#enterBlock();
      } else {
        if (chunk[at++] !== warcRecordEnd.charCodeAt(warcRecordEnd.length - this.#left))
          return problem("bad-record", "the block is longer than its head says");
        if (--this.#left === 0) {
          this.#state = "head";
          this.#sink.end();
        }
      }
    }
    return ok(undefined);
  }

  /** @returns a problem `bad-record` if the last record is not whole */
  end(): Result<undefined> {
    const isWhole = this.#state === "head" && this.#head.length === 0;
    return isWhole ? ok(undefined) : problem("bad-record", "the record is cut off");
  }

  #enterBlock(): void {
    this.#state = this.#left === 0 ? "tail" : "block";
    if (this.#left === 0) this.#left = warcRecordEnd.length;
  }

  #isHeadWhole(): boolean {
    const end = this.#head.slice(-4);
    return end[0] === 13 && end[1] === lineFeed && end[2] === 13;
  }
}
