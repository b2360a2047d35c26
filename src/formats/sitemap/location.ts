/** Shortest `loc` that the schema of sitemaps allows, in characters. */
const minLocationCharacters = 12;
/** Longest `loc` that it allows. */
const maxLocationCharacters = 2048;

const notInUri = /[[\]|]/;
const escapesInUri: Readonly<Record<string, string>> = { "[": "%5B", "]": "%5D", "|": "%7C" };
const loosePercent = /%(?![0-9A-Fa-f]{2})/;
// What RFC 3986 lets stand in a URI, with the three characters that are escaped.
const uriCharacters = /^[!#$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z|~]*$/;

/**
 * Writes a page's URL as sitemaps and ResourceSync carry it. `[`, `]` and `|`, which browsers leave in a path and
 * RFC 3986 does not allow there, are percent-encoded; servers take both for the same.
 *
 * @param base - the site's origin without a slash at its end, or `""` where `path` is a whole URL
 * @param path - as archives carry it
 */
export function formatLocation(base: string, path: string): string {
  if (!notInUri.test(path)) return base + path;
  return base + path.replace(/[[\]|]/g, (character) => escapesInUri[character] ?? "");
}

/**
 * Whether a sitemap can list a page: its URL, as {@link formatLocation} writes it, has 12 to 2048 characters, is
 * ASCII that RFC 3986 allows, and has no `%` without two hex digits. What cannot be listed is left out by the
 * caller: the archives hold it all the same.
 *
 * @see sitemaps.org/schemas/sitemap/0.9/sitemap.xsd, `tLoc`
 */
export function isListable(base: string, path: string): boolean {
  let length = base.length + path.length;
  if (length < minLocationCharacters || length > maxLocationCharacters || !uriCharacters.test(path)) return false;
  if (notInUri.test(path)) length = formatLocation(base, path).length;
  return length <= maxLocationCharacters && !(path.includes("%") && loosePercent.test(path));
}
