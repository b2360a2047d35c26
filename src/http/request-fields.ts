import { createRequire } from "node:module";
import type { FetchRequest } from "../core/index.ts";
import { acceptedCodings } from "./content-coding.ts";

const secrets = new Set(["authorization", "cookie", "proxy-authorization"]);

const conditions = ["if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range"];

/**
 * The fields of every request, names and values alternating.
 *
 * @param from - mail address of the crawler's operator (RFC 9110 section 10.1.2)
 */
export function commonFields(userAgent: string = formatUserAgent(), from?: string): string[] {
  const who = ["user-agent", userAgent, ...(from === undefined ? [] : ["from", from])];
  return [...who, "accept-encoding", "identity"];
}

/** State of a request with redirects. */
export interface Whereabouts {
  /** Whether a redirect has led to another URL. */
  readonly isRedirected: boolean;
  /** Whether a redirect has left the origin of the request. */
  readonly isElsewhere: boolean;
}

/**
 * The fields of one request, names and values alternating.
 *
 * @param common - the result of {@link commonFields}; returned unchanged if there is nothing to add
 */
export function requestFields(common: string[], request: FetchRequest, where: Whereabouts): string[] {
  const { headers, validators, acceptCoding = false } = request;
  if (headers === undefined && validators === undefined && !acceptCoding) return common;
  if (headers === undefined && validators === undefined) {
    const fields = [...common];
    fields[fields.indexOf("accept-encoding") + 1] = acceptedCodings;
    return fields;
  }
  const fields = new Map<string, string>();
  for (let at = 0; at < common.length; at += 2) fields.set(common[at] ?? "", common[at + 1] ?? "");
  if (acceptCoding) fields.set("accept-encoding", acceptedCodings);
  for (const [name, value] of Object.entries(headers ?? {})) fields.set(name.toLowerCase(), value);
  if (validators?.etag !== undefined) fields.set("if-none-match", validators.etag);
  if (validators?.lastModified !== undefined) fields.set("if-modified-since", validators.lastModified);
  // Validators belong to one URL: at another the same ETag may mean something else.
  if (where.isRedirected) for (const name of conditions) fields.delete(name);
  if (where.isElsewhere) for (const name of secrets) fields.delete(name);
  return [...fields].flat();
}

/** Whether a 304 is a valid response to this request. */
export function isConditional(request: FetchRequest): boolean {
  const { validators, headers } = request;
  if (validators?.etag !== undefined || validators?.lastModified !== undefined) return true;
  return headers !== undefined && ("if-none-match" in headers || "if-modified-since" in headers);
}

/**
 * Whether a 206 is a valid response to this request: the requested range, from its first byte.
 *
 * @param contentRange - the field of the response
 */
export function isRangeAskedFor({ headers }: FetchRequest, contentRange: string | undefined): boolean {
  const [, first] = /^bytes=(\d*)-\d*$/.exec(headers?.range ?? "") ?? [];
  const [, given] = /^bytes (\d+)-\d+\/(?:\d+|\*)$/i.exec(contentRange ?? "") ?? [];
  return first !== undefined && given !== undefined && (first === "" || Number(first) === Number(given));
}

/** The default User-Agent. */
function formatUserAgent(): string {
  const { version } = createRequire(import.meta.url)("tidemark/package.json") as { version: string };
  return `tidemark/${version} (+https://www.npmjs.com/package/tidemark)`;
}
