import type { EpochSeconds } from "./time.ts";

/** A URL's representation on the site, as the exporter publishes it. */
export interface Page {
  /** Percent-encoded WHATWG URL path with query, from the site's root: begins with `/`, is ASCII, holds no TAB, LF or space. */
  readonly path: string;
  /** Length of the body in bytes, without content coding; undefined where nobody said, as of a page that is no file. */
  readonly sizeBytes: number | undefined;
  /** When the bytes last became what they are; a redeploy of equal bytes does not move it. */
  readonly lastModified: EpochSeconds;
  /** Essence of the media type, lower case, without parameters: `text/html`. */
  readonly mediaType: string;
  /** First 8 bytes of the SHA-256 of the body as base64url (11 characters), or undefined where it was not computed. */
  readonly digest: string | undefined;
}

/** How many leading bytes of a SHA-256 a page's digest keeps. */
export const digestBytes = 8;

/** Whether a text has the form of a page's digest. */
export function isDigest(text: string): boolean {
  return /^[A-Za-z0-9_-]{10}[AEIMQUYcgkosw048]$/.test(text);
}

/** A hash that can be checked. */
export interface ContentHash {
  /** As Node and OpenSSL call it. */
  readonly algorithm: "md5" | "sha1" | "sha256";
  /** Lower case. */
  readonly hex: string;
}
