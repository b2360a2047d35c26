import type { Validators } from "../model/index.ts";

/** The fields of an answer that matter here, one character (0 to 255) a byte. */
export interface AnswerFields {
  readonly validators: Validators;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly cacheControl: string | undefined;
  readonly location: string | undefined;
  readonly retryAfter: string | undefined;
  /** In bytes. */
  readonly contentLength: number | undefined;
  /** Whether the end of the connection is the end of the body. */
  readonly endsWithConnection: boolean;
}

const wanted = new Set([
  "etag",
  "last-modified",
  "content-type",
  "content-encoding",
  "cache-control",
  "location",
  "retry-after",
  "content-length",
  "transfer-encoding",
]);
const wantedLengths = new Set([...wanted].map((name) => name.length));

/**
 * Reads the fields of an answer.
 *
 * @param raw - names and values in turn, as bytes
 */
export function readAnswerFields(raw: readonly Buffer[]): AnswerFields {
  const values: Record<string, string> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at];
    if (name === undefined || !wantedLengths.has(name.length)) continue;
    const key = name.toString("latin1").toLowerCase();
    const value = raw[at + 1]?.toString("latin1").trim();
    if (value === undefined || value === "" || !wanted.has(key)) continue;
    const before = values[key];
    values[key] = before === undefined ? value : isList(key) ? `${before}, ${value}` : before;
  }
  const length = values["content-length"];
  const contentLength = length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
  const etag = values.etag;
  const lastModified = values["last-modified"];
  return {
    validators: { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) },
    contentType: values["content-type"],
    contentEncoding: values["content-encoding"]?.toLowerCase(),
    cacheControl: values["cache-control"],
    location: values.location,
    retryAfter: values["retry-after"],
    contentLength,
    endsWithConnection: contentLength === undefined && values["transfer-encoding"] === undefined,
  };
}

// Of other fields that stand twice, the first is taken.
function isList(name: string): boolean {
  return name === "content-encoding" || name === "cache-control";
}
