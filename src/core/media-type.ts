/** A test of media types, made from patterns such as `text/html` and `image/*`. */
export interface MediaTypeFilter {
  /** The patterns in canonical form: lower case, sorted, without duplicates, joined by commas; empty for "all". */
  readonly key: string;
  /** Whether pages of this type are wanted. */
  readonly matches: (mediaType: string) => boolean;
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
