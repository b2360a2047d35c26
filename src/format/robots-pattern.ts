/** The value of an Allow or Disallow line, taken apart. */
export interface RobotsPattern {
  /** The literal text between the wildcards, normalised; the first stands at the path's start. */
  readonly pieces: readonly string[];
  /** Whether the last piece stands at the path's end (`$`). */
  readonly anchored: boolean;
  /** Octets of the pattern, wildcards and `$` included: the longer one wins (RFC 9309 section 2.2.2). */
  readonly octets: number;
}

const unreserved = /^[A-Za-z0-9._~-]$/;
const toNormalise = /%[0-9A-Fa-f]{2}|[*$\x80-\xff]/g;
const mayNeedIt = /[%*$\x80-\xff]/;

function normaliseOctet(found: string): string {
  if (found.length === 1) return `%${found.charCodeAt(0).toString(16).toUpperCase()}`;
  const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
  return unreserved.test(character) ? character : found.toUpperCase();
}

/**
 * Brings a path, or the literal part of a pattern, to the one spelling in which they are compared:
 * octets above 7F escaped, escapes in upper case, unreserved characters never escaped (RFC 9309
 * section 2.2.2), `*` and `$` that stand for themselves escaped (section 2.2.3).
 */
export function normaliseRobotsPath(path: string): string {
  return mayNeedIt.test(path) ? path.replace(toNormalise, normaliseOctet) : path;
}

/**
 * Takes a pattern apart.
 *
 * @param value - one character (0 to 255) a byte
 * @returns undefined for a pattern that matches no path: an empty one, one without `/` or `*` at its start
 */
export function parseRobotsPattern(value: string): RobotsPattern | undefined {
  if (!value.startsWith("/") && !value.startsWith("*")) return undefined;
  const anchored = value.endsWith("$");
  const raw = (anchored ? value.slice(0, -1) : value).split("*");
  const pieces = raw.map(normaliseRobotsPath);
  const octets = pieces.reduce((sum, piece) => sum + piece.length, raw.length - 1 + (anchored ? 1 : 0));
  const open = pieces.length > 1 && pieces.at(-1) === "";
  const [head = "", ...rest] = pieces;
  return { pieces: [head, ...rest.filter((piece) => piece !== "")], anchored: anchored && !open, octets };
}

/**
 * Whether a normalised path matches. Each piece is looked for once, from where the last one ended,
 * so that the cost grows with the path's length and not with the number of wildcards.
 */
export function matchesRobotsPattern(pattern: RobotsPattern, path: string): boolean {
  const { pieces, anchored } = pattern;
  const head = pieces[0] ?? "";
  if (!path.startsWith(head)) return false;
  let at = head.length;
  const last = pieces.length - 1;
  if (last === 0) return !anchored || at === path.length;
  for (let piece = 1; piece <= last; piece++) {
    const text = pieces[piece] ?? "";
    if (anchored && piece === last) return path.length - text.length >= at && path.endsWith(text);
    const found = path.indexOf(text, at);
    if (found === -1) return false;
    at = found + text.length;
  }
  return true;
}
