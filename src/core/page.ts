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
