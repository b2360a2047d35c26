import type { EpochMs, Validators } from "../core/index.ts";
import { parseHttpDate } from "../formats/http/index.ts";

/** The fields of an answer that matter here, one character (0 to 255) a byte. */
export interface AnswerFields {
  readonly validators: Validators;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly contentRange: string | undefined;
  readonly cacheControl: string | undefined;
  readonly location: string | undefined;
  readonly retryAfter: string | undefined;
  readonly link: string | undefined;
  readonly refresh: string | undefined;
  /** In bytes. */
  readonly contentLength: number | undefined;
  /** Transfer codings, lower case; several fields are one list. */
  readonly transferEncoding: string | undefined;
  /** Whether the end of the connection is the end of the body. */
  readonly endsWithConnection: boolean;
}

const maxValidatorBytes = 1024;

type FieldName = keyof Omit<AnswerFields, "validators" | "endsWithConnection"> | keyof Validators;

/** Of these several lines are one list. */
const lists: ReadonlySet<FieldName> = new Set<FieldName>([
  "contentEncoding",
  "cacheControl",
  "link",
  "transferEncoding",
]);

const fieldNames = new Map<string, FieldName>([
  ["etag", "etag"],
  ["last-modified", "lastModified"],
  ["content-type", "contentType"],
  ["content-encoding", "contentEncoding"],
  ["content-range", "contentRange"],
  ["cache-control", "cacheControl"],
  ["location", "location"],
  ["retry-after", "retryAfter"],
  ["link", "link"],
  ["refresh", "refresh"],
  ["content-length", "contentLength"],
  ["transfer-encoding", "transferEncoding"],
]);

// Most fields of an answer are not wanted: length and first letter spare making a string of their names.
const shapes = new Set([...fieldNames.keys()].map((name) => (name.length << 8) | name.charCodeAt(0)));

/**
 * Reads the fields of an answer. Of a field that stands twice and is no list, the first is taken.
 *
 * @param raw - names and values in turn, as bytes
 */
export function readAnswerFields(raw: readonly Buffer[]): AnswerFields {
  const values: { [Name in FieldName]: string | undefined } = {
    etag: undefined,
    lastModified: undefined,
    contentType: undefined,
    contentEncoding: undefined,
    contentRange: undefined,
    cacheControl: undefined,
    location: undefined,
    retryAfter: undefined,
    link: undefined,
    refresh: undefined,
    contentLength: undefined,
    transferEncoding: undefined,
  };
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at];
    if (name === undefined || !shapes.has((name.length << 8) | ((name[0] ?? 0) | 0x20))) continue;
    const key = fieldNames.get(name.toString("latin1").toLowerCase());
    const value = readValue(raw[at + 1]);
    if (key === undefined || value === "") continue;
    const before = values[key];
    if (before === undefined) values[key] = value;
    else if (lists.has(key)) values[key] = `${before}, ${value}`;
  }
  const {
    contentLength: length,
    contentEncoding,
    contentRange,
    contentType,
    cacheControl,
    location,
    retryAfter,
    link,
    refresh,
    transferEncoding,
  } = values;
  const contentLength = length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
  return {
    validators: makeValidators(keepable(values.etag), keepable(values.lastModified)),
    contentType,
    contentRange,
    cacheControl,
    location,
    retryAfter,
    link,
    refresh,
    contentEncoding: contentEncoding?.toLowerCase(),
    transferEncoding: transferEncoding?.toLowerCase(),
    contentLength,
    endsWithConnection: contentLength === undefined && transferEncoding === undefined,
  };
}

// RFC 9110 section 5.5: only spaces and tabs are no part of it. What JavaScript takes for white space may be the last
// byte of a character.
function readValue(raw: Buffer | undefined): string {
  return raw?.toString("latin1").replace(/^[ \t]+|[ \t]+$/g, "") ?? "";
}

// A validator that fills the fields of a request would make the server refuse each that carries it.
function keepable(validator: string | undefined): string | undefined {
  return validator === undefined || validator.length > maxValidatorBytes ? undefined : validator;
}

function makeValidators(etag: string | undefined, lastModified: string | undefined): Validators {
  if (etag === undefined) return lastModified === undefined ? {} : { lastModified };
  return lastModified === undefined ? { etag } : { etag, lastModified };
}

/**
 * Every field of an answer, by name in lower case; values of a field that stands twice are joined.
 *
 * @param raw - names and values in turn, as bytes
 */
export function readAllFields(raw: readonly Buffer[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]?.toString("latin1").toLowerCase() ?? "";
    const value = readValue(raw[at + 1]);
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return fields;
}

/** No server makes us wait longer than this. */
const maxRetryAfterMs = 7 * 24 * 3600 * 1000;

/**
 * Reads Retry-After.
 *
 * @returns a time from now to a week after it, or undefined if the text is neither seconds nor a date
 * @see RFC 9110 section 10.2.3
 */
export function parseRetryAfter(text: string | undefined, now: EpochMs): EpochMs | undefined {
  if (text === undefined) return undefined;
  const time = /^\d+$/.test(text) ? now + Number(text) * 1000 : parseHttpDate(text, now);
  return time === undefined ? undefined : Math.min(Math.max(time, now), now + maxRetryAfterMs);
}
