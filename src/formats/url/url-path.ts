/**
 * Longest path that is published or read, in characters. RFC 9110 section 4.1 asks for 8000 octets
 * of URI to be supported; a path of 4096 bytes, Linux's limit, stays below it unless nearly all of
 * it is escaped.
 */
export const maxPathLength = 8000;

const hexDigits = "0123456789ABCDEF";

// WHATWG URL, path percent-encode set, and "%" and "\": a file's name is bytes, not a URL.
const escapedInNames = new Set([...' "#<>?^`{}%\\'].map((character) => character.charCodeAt(0)));

const plainName = /^[!$&'()*+,\-.0-9:;=@A-Z[\]_a-z|~]*$/;

const escapes: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const escaped = byte <= 0x1f || byte >= 0x7f || escapedInNames.has(byte) || byte === 0x2f;
  return escaped ? `%${hexDigits[byte >> 4]}${hexDigits[byte & 15]}` : String.fromCharCode(byte);
});

/**
 * Percent-encodes one file or folder name as a segment of a URL's path.
 *
 * @param name - the name's bytes, one character (0 to 255) a byte, as Node's `latin1` gives them
 * @returns ASCII; bytes outside it, `%`, `\`, and the WHATWG URL Standard's path percent-encode set are escaped
 */
export function encodePathSegment(name: string): string {
  if (plainName.test(name)) return name;
  let encoded = "";
  for (let at = 0; at < name.length; at++) encoded += escapes[name.charCodeAt(at) & 0xff];
  return encoded;
}

/**
 * Undoes percent-encoding.
 *
 * @param segment - part of a path, ASCII
 * @returns the bytes, one character (0 to 255) a byte; a `%` without two hex digits stands for itself
 */
export function decodePathSegment(segment: string): string {
  if (!segment.includes("%")) return segment;
  return segment.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * Percent-encodes the bytes of a field of HTTP that are not ASCII, whatever encoding the server meant.
 *
 * @param url - one character (0 to 255) a byte
 */
export function escapeBytes(url: string): string {
  return url.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

// Printable ASCII without the space, "#", "\" and the quotes and brackets that the WHATWG URL parser would escape;
// in a query it also escapes "'". An empty query is lost where a URL is taken apart and put together again.
const canonicalPath = /^\/(?!\/)[!$%&'()*+,\-./0-9:;=@A-Z[\]_a-z|~]*(?:\?[!$%&()*+,\-./0-9:;=?@A-Z[\]_a-z|~]+)?$/;
const dotSegment = /(?:^|\/)(?:\.|%2e){1,2}(?=\/|\?|$)/i;

/**
 * Whether a text is a path with query as archives carry them: what the WHATWG URL parser would
 * leave as it is, so that no two readers resolve it differently. Dot segments in any spelling, `//`
 * at the start, fragments and backslashes are not.
 */
export function isCanonicalPath(path: string): boolean {
  return path.length <= maxPathLength && canonicalPath.test(path) && !dotSegment.test(path.split("?", 1)[0] ?? "");
}

// Bytes of a path without query: 2 for those that a plain path does not have after a slash, 0 for what it never has.
const pathBytes = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return /[%./]/.test(character) ? 2 : Number(/[!$&'()*+,\-0-9:;=@A-Z[\]_a-z|~]/.test(character));
});
const [lineFeed, slash] = [10, 47];

/**
 * Where a line ends that is, from some byte on, {@link isCanonicalPath | a canonical path} without query and without a segment that begins
 * with a dot or an escape: most paths are, and need no text to see it.
 *
 * @param shared - with so many bytes another such path begins
 * @returns the place of the LF; undefined if the path is another one, or none
 */
export function findPlainPathEnd(bytes: Uint8Array, start: number, shared: number): number | undefined {
  // The last of them may be a slash.
  let at = start + Math.max(0, shared - 1);
  let last = 0;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    const kind = pathBytes[byte] as number;
    if (kind !== 1 && (kind === 0 || last === slash)) break;
    last = byte;
  }
  return bytes[at] === lineFeed && bytes[start] === slash && at - start <= maxPathLength ? at : undefined;
}

/** How a site's links name a page that is published under another path. */
export type ServedForm =
  /** `/docs/` for `/docs/index.html`; `name` is that of the file. */
  | { readonly kind: "index"; readonly name: string; readonly file: string }
  /** `/about` for `/about.html`. */
  | { readonly kind: "clean"; readonly file: string };

const indexNames = ["index.html", "index.htm", "index.shtml"] as const;

/**
 * Says whether a link names a page in a shorter form than the one under which it is published.
 *
 * @param path - that a link leads to, without query and fragment
 * @param isPublished - whether a page is published under a path
 * @returns undefined if it names a published path, or nothing that is published
 */
export function servedFormOf(path: string, isPublished: (path: string) => boolean): ServedForm | undefined {
  if (isPublished(path)) return undefined;
  if (path.endsWith("/")) {
    const name = indexNames.find((candidate) => isPublished(path + candidate));
    return name === undefined ? undefined : { kind: "index", name, file: path + name };
  }
  const file = `${path}.html`;
  return isPublished(file) ? { kind: "clean", file } : undefined;
}
