import {
  digestBytes,
  type EpochSeconds,
  excerpt,
  isDigest,
  maxEpochSeconds,
  ok,
  type Problem,
  parseUrl,
  problem,
  type Result,
} from "../../core/index.ts";
import { parseW3cDate } from "../../formats/time/index.ts";
import { isCanonicalPath } from "../../formats/url/index.ts";
import { memoize } from "../walk/memoize.ts";

/** A page that somebody says exists: it need not be a file. What was not said is undefined. */
export interface ListedPage {
  /** Encoded path with query, in canonical form. */
  readonly path: string;
  readonly sizeBytes: number | undefined;
  readonly lastModified: EpochSeconds | undefined;
  /** Essence of the media type, lower case. */
  readonly mediaType: string | undefined;
  /** First 8 bytes of the SHA-256 of the body as base64url. */
  readonly digest: string | undefined;
}

/** Listed pages in path order, each path once. */
export interface ListedPageSource extends AsyncDisposable {
  /** Gives some thousand pages at a time; undefined after the last. */
  next(): Promise<readonly ListedPage[] | undefined>;
  /** Whether what it does not name is not there; known when the first pages were given. */
  readonly isComplete: boolean;
  /** Paths whose lines are not understood: what was published of them stays. Known when the first pages were given; bounded. */
  readonly kept: ReadonlySet<string>;
}

const epoch = /^\d{1,12}(?:\.\d{1,9})?$/;
const wholeNumber = /^\d{1,15}$/;
const sha256Hex = /^(?:sha-?256:)?([0-9a-f]{64})$/i;
// What the WHATWG URL parser leaves in a path or a query and an archive does not carry.
const unescaped = /[\\^`{}"<>]/g;
/** An essence, lower case. */
export const mediaTypeForm: RegExp = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;

/**
 * Reads a time of a list: seconds since 1970, maybe with a fraction, or a date of ISO 8601 as W3C writes it. Without
 * a zone it is UTC. A year of four digits is a year, not 2026 seconds after 1970.
 */
export function parseListedTime(text: string): Result<EpochSeconds, Problem> {
  const seconds = epoch.test(text) && text.length !== 4 ? Math.floor(Number(text)) : parseW3cDate(text);
  if (seconds === undefined || seconds < 0 || seconds > maxEpochSeconds)
    return problem("bad-time", `neither seconds since 1970 nor a date of ISO 8601: ${excerpt(text)}`);
  return ok(seconds);
}

export function parseListedSize(text: string): Result<number, Problem> {
  return wholeNumber.test(text) ? ok(Number(text)) : problem("bad-size", `not a size in bytes: ${excerpt(text)}`);
}

/** Reads a digest: ours of 11 characters, or a whole SHA-256 in hexadecimal, which is cut down to it. */
export function parseListedDigest(text: string): Result<string, Problem> {
  if (isDigest(text)) return ok(text);
  const hex = sha256Hex.exec(text)?.[1];
  if (hex === undefined) return problem("bad-digest", `not a SHA-256: ${excerpt(text)}`);
  return ok(Buffer.from(hex.slice(0, 2 * digestBytes), "hex").toString("base64url"));
}

/** Reads a media type; parameters are dropped. */
export const parseListedType: (text: string) => Result<string, Problem> = memoize((text) => {
  const essence = (text.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (essence.length > 255 || !mediaTypeForm.test(essence))
    return problem("bad-type", `not a media type: ${excerpt(text)}`);
  return ok(essence);
});

/**
 * Reads a URL of a list as a path of the site.
 *
 * @param text - an absolute URL, or a path with query that begins with `/`; a character from 128 to 255 is taken as
 *   a byte if `isBytes`
 * @param origin - the site's, without a slash at the end
 * @returns the canonical path with query, the fragment dropped; a problem `bad-url`, `other-origin` or `bad-path`
 * @see WHATWG URL Standard, section 4.4 (URL parsing)
 */
export function parseListedUrl(text: string, origin: string, isBytes: boolean): Result<string, Problem> {
  const path = text.startsWith(origin) ? text.slice(origin.length) : text;
  // Nearly all are as they should be, and no URL need be made of them.
  if (isCanonicalPath(path)) return ok(path);
  const given = text.trim();
  if (!/^(?:\/|https?:\/\/)/i.test(given)) return problem("bad-url", `neither a URL nor a path: ${excerpt(given)}`);
  const escaped = isBytes ? given.replace(/[\x80-\xff]/g, escapeByte) : given;
  const url = parseUrl(escaped, origin);
  if (url === undefined) return problem("bad-url", `not a URL: ${excerpt(given)}`);
  if (url.origin !== origin) return problem("other-origin", `not a URL of ${origin}: ${excerpt(given)}`);
  if (url.username !== "" || url.password !== "") return problem("bad-url", `a URL with a password in it`);
  const canonical = (url.pathname + url.search).replace(unescaped, escapeByte);
  return isCanonicalPath(canonical) ? ok(canonical) : problem("bad-path", `not a path to publish: ${excerpt(given)}`);
}

function escapeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
