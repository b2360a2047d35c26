import { excerpt, TidemarkError } from "../../core/index.ts";
import { normaliseEscapes } from "./url-normal.ts";

/** Which URLs of a site are wanted, as patterns of paths. */
export interface UrlPatterns {
  /** Only paths that begin with this, such as `/docs/`. Default: all. */
  readonly within?: string | undefined;
  /** If not empty, only URLs that match one of these. */
  readonly include?: readonly string[] | undefined;
  /** No URLs that match one of these. */
  readonly exclude?: readonly string[] | undefined;
}

/** A test of paths with query. */
export interface UrlFilter {
  /** The patterns in canonical form; empty if every URL is wanted. */
  readonly key: string;
  /** @param path - of the site, canonical, with its query if it has one */
  readonly admits: (path: string) => boolean;
}

const maxPatternCharacters = 4096;
/** A wildcard that stops at `/`, and one that does not. */
const [star, anything] = ["*", "**"];

/** A pattern's literals and wildcards; a literal is one character. */
type Pattern = readonly string[];

// Nothing outside ASCII, and escapes in the one spelling in which patterns and paths are compared.
function encodePattern(pattern: string): string {
  return normaliseEscapes(pattern.replace(/[^\x21-\x7e]|[\\^`{}"<>]/gu, encodeURIComponent));
}

function compilePattern(pattern: string, option: string): (path: string) => boolean {
  if (pattern.length > maxPatternCharacters || !/^(?:\/|\*)/.test(pattern) || pattern.includes("#"))
    throw new TidemarkError("bad-option", `Not a pattern of paths for ${option}: ${excerpt(pattern)}.`, {
      hint: `Begin it with / or *, as in ${option} '/docs/**' or ${option} '*.pdf'.`,
      details: { pattern: excerpt(pattern) },
    });
  const [path = "", query] = encodePattern(pattern).split(/\?(.*)/s);
  const parts: string[] = path.startsWith("/") ? [] : [anything];
  for (const [part] of path.matchAll(/\*+|[^*]/g)) parts.push(part.length > 1 ? anything : part);
  if (path.endsWith("/")) parts.push(anything);
  if (query === undefined) return (text) => matchesPattern(parts, text.split("?", 1)[0] ?? "");
  // A value in a query may hold a `/`.
  for (const [part] of `?${query}`.matchAll(/\*+|[^*]/g)) parts.push(part.startsWith(star) ? anything : part);
  return (text) => matchesPattern(parts, text);
}

/**
 * Whether a pattern matches all of a text. It follows all ways at once, so that a site cannot name a URL that takes long:
 * at most a step for each pair of characters.
 */
function matchesPattern(parts: Pattern, text: string): boolean {
  // Most paths differ at the beginning.
  let fixed = 0;
  for (; fixed < parts.length && !parts[fixed]?.startsWith(star); fixed++)
    if (parts[fixed] !== text[fixed]) return false;
  if (fixed === parts.length) return fixed === text.length;
  let places = new Set<number>();
  const enter = (into: Set<number>, place: number): void => {
    let at = place;
    for (into.add(at); parts[at]?.startsWith(star) === true; into.add(at)) at++;
  };
  enter(places, fixed);
  for (let at = fixed; at < text.length && places.size > 0; at++) {
    const character = text.charAt(at);
    const next = new Set<number>();
    for (const place of places) {
      const part = parts[place];
      if (part === anything || (part === star && character !== "/")) enter(next, place);
      else if (part === character) enter(next, place + 1);
    }
    places = next;
  }
  return places.has(parts.length);
}

/**
 * Makes a filter of URLs from patterns. In a pattern, `*` is any number of characters other than `/`, `**` any number of
 * characters; one that ends with `/` means everything below, and one that begins with `*` matches in every folder. A
 * pattern with `?` is compared with path and query, one without it with the path alone. How a path is escaped makes no
 * difference. `exclude` takes precedence.
 *
 * @throws TidemarkError `bad-option` if a pattern begins with neither `/` nor `*`
 */
export function compileUrlFilter({ within = "/", include = [], exclude = [] }: UrlPatterns): UrlFilter {
  const included = include.map((pattern) => compilePattern(pattern, "--include"));
  const excluded = exclude.map((pattern) => compilePattern(pattern, "--exclude"));
  const keys = [
    ...(within === "/" ? [] : [within]),
    ...[...new Set(include.map((pattern) => `+${encodePattern(pattern)}`))].sort(),
    ...[...new Set(exclude.map((pattern) => `-${encodePattern(pattern)}`))].sort(),
  ];
  const start = normaliseEscapes(within);
  return {
    key: keys.join(" "),
    admits: (path) => {
      const normal = normaliseEscapes(path);
      return (
        normal.startsWith(start) &&
        (included.length === 0 || included.some((matches) => matches(normal))) &&
        !excluded.some((matches) => matches(normal))
      );
    },
  };
}
