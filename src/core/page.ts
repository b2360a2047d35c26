import type { EpochSeconds } from "./time.ts";

/** A page of the site as the exporter publishes it. */
export interface Page {
  /**
   * Percent-encoded WHATWG URL path with query, from the site's root: starts with `/`, is ASCII, contains no TAB, LF or
   * space.
   */
  readonly path: string;
  /** Length of the body in bytes, without content coding; undefined if unknown, as for a page without a file. */
  readonly sizeBytes: number | undefined;
  /** When the bytes last changed; a redeployment of equal bytes does not change it. */
  readonly lastModified: EpochSeconds;
  /** Essence of the media type, lower case, without parameters: `text/html`. */
  readonly mediaType: string;
  /** First 8 bytes of the SHA-256 of the body as base64url (11 characters); undefined if it was not computed. */
  readonly digest: string | undefined;
}

/** How many leading bytes of the SHA-256 are kept in a page's digest. */
export const digestBytes = 8;

/** Whether a text has the form of a page digest. */
export function isDigest(text: string): boolean {
  return /^[A-Za-z0-9_-]{10}[AEIMQUYcgkosw048]$/.test(text);
}

/** A digest that can be verified. */
export interface ContentHash {
  /** Name of the algorithm in Node and OpenSSL. */
  readonly algorithm: "md5" | "sha1" | "sha256";
  /** Hexadecimal digits in lower case. */
  readonly hex: string;
}

/** A test of media types, made from patterns such as `text/html` and `image/*`. */
export interface MediaTypeFilter {
  /** The patterns in canonical form: lower case, sorted, without duplicates, joined by commas; empty for "all". */
  readonly key: string;
  /** Whether pages of this type are wanted. */
  readonly matches: (mediaType: string) => boolean;
}

/** Which pages of a site are wanted: by media type and by URL. */
export interface PageFilter extends MediaTypeFilter {
  /** That of the media types and that of the URLs: with another one, what was skipped may be wanted. */
  readonly key: string;
  /** The patterns of URLs in canonical form; empty for "all". */
  readonly urlsKey: string;
  /** Whether a page of this path, with query, is wanted. */
  readonly admits: (path: string) => boolean;
}

// RFC 6838 section 4.2, restricted-name.
const patternForm = /^(?:\*\/\*|[a-z0-9][a-z0-9!#$&^_.+-]*\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*))$/;

const typeForm = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;
const maxTypeCharacters = 255;

/**
 * Whether a text is a lower-case media type without parameters.
 *
 * @see RFC 6838 section 4.2
 */
export function isMediaType(text: string): boolean {
  return text.length <= maxTypeCharacters && typeForm.test(text);
}

/**
 * Makes a filter from patterns.
 *
 * @param patterns - `type/subtype`, `type/*`, or an empty list for all types
 * @returns the filter, or undefined if a pattern is malformed
 */
export function parseMediaTypeFilter(patterns: readonly string[]): MediaTypeFilter | undefined {
  const wanted = [...new Set(patterns.map((pattern) => pattern.trim().toLowerCase()))].sort();
  if (wanted.some((pattern) => !patternForm.test(pattern))) return undefined;
  if (wanted.length === 0 || wanted.includes("*/*")) return { key: "", matches: () => true };
  const exact = new Set(wanted.filter((pattern) => !pattern.endsWith("/*")));
  const families = wanted.filter((pattern) => pattern.endsWith("/*")).map((pattern) => pattern.slice(0, -1));
  return {
    key: wanted.join(","),
    matches: (type) => exact.has(type) || families.some((family) => type.startsWith(family)),
  };
}
