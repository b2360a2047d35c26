import type { IncomingHttpHeaders } from "node:http";
import type { EpochMs } from "../core/index.ts";
import { formatHttpDate, parseHttpDate } from "../formats/http/index.ts";

/** What a file's bytes are recognised by. */
export interface FileValidators {
  readonly etag: string;
  readonly lastModified: string;
  /** The time in `lastModified`. */
  readonly modifiedMs: EpochMs;
}

/**
 * Names a file's bytes by its length and by its time, of which the tag has the parts of a second, too (RFC 9110 section 8.8.3).
 *
 * @param mtimeMs - a time in the future is given as now: RFC 9110 section 8.8.2.1 forbids to send it
 */
export function fileValidators(mtimeMs: EpochMs, sizeBytes: number, now: EpochMs): FileValidators {
  const mtimeSeconds = Math.floor(mtimeMs / 1000);
  const modifiedMs = Math.min(mtimeSeconds, Math.floor(now / 1000)) * 1000;
  const etag = `"${Math.floor(mtimeMs * 1000).toString(16)}-${sizeBytes.toString(16)}"`;
  return { etag, lastModified: formatHttpDate(modifiedMs), modifiedMs };
}

export function isConditional(headers: IncomingHttpHeaders): boolean {
  return headers["if-none-match"] !== undefined || headers["if-modified-since"] !== undefined;
}

/**
 * Whether the client wants other bytes than these, or nothing: those that it has begun to load.
 *
 * @see RFC 9110 section 13.2.2: If-Unmodified-Since counts only without If-Match
 */
export function isPreconditionFailed(headers: IncomingHttpHeaders, file: FileValidators, now: EpochMs): boolean {
  const tags = headers["if-match"];
  // Compared strongly: a weak tag is that of no bytes.
  if (tags !== undefined) return tags.trim() !== "*" && !tags.match(/(?:W\/)?"[^"]*"/g)?.includes(file.etag);
  const since = parseHttpDate(headers["if-unmodified-since"] ?? "", now);
  return since !== undefined && file.modifiedMs > since;
}

/**
 * Whether what the client holds is still current.
 *
 * @see RFC 9110 section 13.2.2: If-Modified-Since counts only without If-None-Match
 */
export function isNotModified(headers: IncomingHttpHeaders, file: FileValidators, now: EpochMs): boolean {
  const tags = headers["if-none-match"];
  if (tags !== undefined) return tags.trim() === "*" || listTags(tags).includes(file.etag);
  const since = parseHttpDate(headers["if-modified-since"] ?? "", now);
  return since !== undefined && file.modifiedMs <= since;
}

/**
 * Whether a range may be sent: without If-Range, or if what the client holds is of the same bytes.
 *
 * @see RFC 9110 section 13.1.5
 */
export function isRangeWanted(headers: IncomingHttpHeaders, file: FileValidators): boolean {
  const held = headers["if-range"];
  return held === undefined || held === file.etag || held === file.lastModified;
}

// Compared weakly (RFC 9110 section 13.1.2): the mark of a weak tag stands outside the quotes.
function listTags(field: string): string[] {
  return field.match(/"[^"]*"/g) ?? [];
}

export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const rangeForm = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i;

/**
 * Reads Range.
 *
 * @returns undefined if the whole is to be sent: without the field, with several ranges, or with one that is none
 * @see RFC 9110 section 14.2
 */
export function parseRange(field: string | undefined, sizeBytes: number): ByteRange | "unsatisfiable" | undefined {
  const match = field === undefined ? null : rangeForm.exec(field);
  if (match === null) return undefined;
  const [, firstText = "", lastText = ""] = match;
  if (firstText === "") {
    if (lastText === "") return undefined;
    const length = Math.min(Number(lastText), sizeBytes);
    return length === 0 ? "unsatisfiable" : { first: sizeBytes - length, last: sizeBytes - 1 };
  }
  const first = Number(firstText);
  const last = lastText === "" ? sizeBytes - 1 : Math.min(Number(lastText), sizeBytes - 1);
  if (lastText !== "" && Number(lastText) < first) return undefined;
  return first >= sizeBytes ? "unsatisfiable" : { first, last };
}
