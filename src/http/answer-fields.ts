import type { EpochMs, Validators } from "../core/index.ts";
import { parseHttpDate } from "../formats/http/index.ts";

const fieldNames = {
  etag: "etag",
  date: "date",
  "last-modified": "lastModified",
  "content-type": "contentType",
  "content-encoding": "contentEncoding",
  "content-language": "contentLanguage",
  "content-range": "contentRange",
  "cache-control": "cacheControl",
  location: "location",
  "retry-after": "retryAfter",
  link: "link",
  refresh: "refresh",
  "www-authenticate": "wwwAuthenticate",
  "content-length": "contentLength",
  "transfer-encoding": "transferEncoding",
  "content-usage": "contentUsage",
  "x-robots-tag": "robotsTag",
  "tdm-reservation": "tdmReservation",
} as const;

type FieldName = (typeof fieldNames)[keyof typeof fieldNames];
type FieldValues = { [Name in FieldName]?: string | undefined };

/**
 * The response fields that matter here, one character (0 to 255) per byte; codings in lower case. Undefined if the
 * response has none.
 */
export interface AnswerFields extends Readonly<Omit<FieldValues, "contentLength">> {
  readonly validators: Validators;
  /** In bytes. */
  readonly contentLength: number | undefined;
  /** Whether the body ends where the connection ends. */
  readonly endsWithConnection: boolean;
}

const maxValidatorBytes = 1024;

/** Fields that form one list when repeated. */
const lists: ReadonlySet<FieldName> = new Set<FieldName>([
  "contentEncoding",
  "cacheControl",
  "link",
  "wwwAuthenticate",
  "transferEncoding",
  "contentUsage",
]);

const namesInLowerCase: ReadonlyMap<string, FieldName> = new Map(Object.entries(fieldNames));

// Most fields of a response are not needed: checking length and first letter avoids creating their names as strings.
const shapes = new Set(Object.keys(fieldNames).map((name) => (name.length << 8) | name.charCodeAt(0)));

/**
 * Parses the fields of a response. If a field that is no list is repeated, the first one counts.
 *
 * @param raw - names and values alternating, as bytes
 */
export function readAnswerFields(raw: readonly Buffer[]): AnswerFields {
  const values = noFields();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at];
    if (name === undefined || !shapes.has((name.length << 8) | ((name[0] ?? 0) | 0x20))) continue;
    const key = namesInLowerCase.get(name.toString("latin1").toLowerCase());
    const value = readValue(raw[at + 1]);
    if (key === undefined || value === "") continue;
    const before = values[key];
    if (before === undefined) values[key] = value;
    else if (lists.has(key)) values[key] = `${before}, ${value}`;
    // An agent that one field names does not hold for the next.
    else if (key === "robotsTag") values[key] = `${before}\n${value}`;
  }
  values.contentEncoding = values.contentEncoding?.toLowerCase();
  values.transferEncoding = values.transferEncoding?.toLowerCase();
  const { etag, lastModified, contentLength: length } = values;
  const contentLength = length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
  return Object.assign(values, {
    validators: makeValidators(keepable(etag), keepable(lastModified)),
    contentLength,
    endsWithConnection: contentLength === undefined && values.transferEncoding === undefined,
  });
}

/** All fields from the start: an object that grows by names that are not written here becomes a slow dictionary. */
function noFields(): FieldValues {
  return {
    etag: undefined,
    date: undefined,
    lastModified: undefined,
    contentType: undefined,
    contentEncoding: undefined,
    contentLanguage: undefined,
    contentRange: undefined,
    cacheControl: undefined,
    location: undefined,
    retryAfter: undefined,
    link: undefined,
    refresh: undefined,
    wwwAuthenticate: undefined,
    contentLength: undefined,
    transferEncoding: undefined,
    contentUsage: undefined,
    robotsTag: undefined,
    tdmReservation: undefined,
  };
}

const isBlank = (byte: number | undefined): boolean => byte === 32 || byte === 9;

// RFC 9110 section 5.5: only spaces and tabs are trimmed. Other JavaScript white space may be the last byte of a
// character. Not by an expression: it would try each blank within the value.
function readValue(raw: Buffer | undefined): string {
  if (raw === undefined) return "";
  let start = 0;
  let end = raw.length;
  while (isBlank(raw[start])) start++;
  while (end > start && isBlank(raw[end - 1])) end--;
  return raw.toString("latin1", start, end);
}

// A very long validator would make the server refuse every conditional request.
function keepable(validator: string | undefined): string | undefined {
  return validator === undefined || validator.length > maxValidatorBytes ? undefined : validator;
}

function makeValidators(etag: string | undefined, lastModified: string | undefined): Validators {
  if (etag === undefined) return lastModified === undefined ? {} : { lastModified };
  return lastModified === undefined ? { etag } : { etag, lastModified };
}

/**
 * The validators without a Last-Modified of the second in which the answer was made, or later: another version may come in that
 * second, with the same time. A Date that is missing is the time at which the answer came (section 6.6.1).
 *
 * @returns `validators` themselves if they are strong enough to be sent
 * @see RFC 9110 section 8.8.2.2
 */
export function withoutWeakDate({ validators, date }: AnswerFields, now: EpochMs): Validators {
  const { etag, lastModified } = validators;
  const modifiedMs = parseHttpDate(lastModified ?? "", now);
  if (modifiedMs === undefined || (parseHttpDate(date ?? "", now) ?? now) - modifiedMs >= 1000) return validators;
  return makeValidators(etag, undefined);
}

/**
 * All fields of a response by lower-case name; repeated values are joined by `, `, those of X-Robots-Tag by a line feed; of Location there is the first.
 *
 * @param raw - names and values alternating, as bytes
 */
export function readAllFields(raw: readonly Buffer[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]?.toString("latin1").toLowerCase() ?? "";
    const value = readValue(raw[at + 1]);
    const before = fields.get(name);
    // Who follows a redirect takes the first, and a comma may be part of it.
    if (before !== undefined && name === "location") continue;
    const between = name === "x-robots-tag" ? "\n" : ", ";
    fields.set(name, before === undefined ? value : before + between + value);
  }
  return fields;
}

/** No server may make us wait longer than this. */
const maxRetryAfterMs = 7 * 24 * 3600 * 1000;

/**
 * Parses Retry-After.
 *
 * @returns a time from now to one week later, or undefined if the text is neither seconds nor a date
 * @see RFC 9110 section 10.2.3
 */
export function parseRetryAfter(text: string | undefined, now: EpochMs): EpochMs | undefined {
  if (text === undefined) return undefined;
  const time = /^\d+$/.test(text) ? now + Number(text) * 1000 : parseHttpDate(text, now);
  return time === undefined ? undefined : Math.min(Math.max(time, now), now + maxRetryAfterMs);
}
