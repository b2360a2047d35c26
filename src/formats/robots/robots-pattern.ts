/** The value of an Allow or Disallow line, taken apart. */
export interface RobotsPattern {
  /** The literal text between the wildcards, normalised; the first stands at the path's start. */
  readonly pieces: readonly string[];
  /** For each long piece, the table by which it is found in one pass. */
  readonly borders: readonly (Int32Array | undefined)[];
  /** Whether the last piece stands at the path's end (`$`). */
  readonly anchored: boolean;
  /** Octets of the pattern, wildcards and `$` included: the longer one wins (RFC 9309 section 2.2.2). */
  readonly octets: number;
}

/** A path that is compared with many patterns. */
export interface RobotsPath {
  /** As {@link normaliseRobotsPath} gives it. */
  readonly text: string;
  /** The same as character codes, made when a pattern first needs them. */
  codes?: Uint16Array;
}

const unreserved = /^[A-Za-z0-9._~-]$/;
// What cannot stand in a URL as it is counts as its escape, so that `Disallow: /my files` is what it looks like.
const toNormalise = /%[0-9A-Fa-f]{2}|[\0-\x20"<>\\^`{|}*$\x7f-\xff]/g;
const mayNeedIt = /[%\0-\x20"<>\\^`{|}*$\x7f-\xff]/;

function normaliseOctet(found: string): string {
  if (found.length === 1) return `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
  return unreserved.test(character) ? character : found.toUpperCase();
}

/**
 * Brings a path, or the literal part of a pattern, to the one spelling in which they are compared:
 * octets above 7F and those that no URL has escaped, escapes in upper case, unreserved characters
 * never escaped (RFC 9309 section 2.2.2), `*` and `$` that stand for themselves escaped (section 2.2.3).
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
  const kept = [head, ...rest.filter((piece) => piece !== "")];
  const borders = kept.map((piece, at) => (at > 0 && piece.length > maxPlainPiece ? bordersOf(piece) : undefined));
  return { pieces: kept, borders, anchored: anchored && !open, octets };
}

// String.prototype.indexOf takes time in proportion to text times piece where a long piece repeats itself; for one as
// short as this it is faster than any table.
const maxPlainPiece = 256;

// For each beginning of the piece, the length of the longest shorter one that it ends with (Knuth, Morris and Pratt,
// "Fast Pattern Matching in Strings", 1977).
function bordersOf(piece: string): Int32Array {
  const borders = new Int32Array(piece.length);
  let length = 0;
  for (let at = 1; at < piece.length; at++) {
    while (length > 0 && piece.charCodeAt(at) !== piece.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (piece.charCodeAt(at) === piece.charCodeAt(length)) length++;
    borders[at] = length;
  }
  return borders;
}

function findPiece(path: RobotsPath, piece: string, borders: Int32Array | undefined, from: number): number {
  if (borders === undefined) return path.text.indexOf(piece, from);
  path.codes ??= Uint16Array.from(path.text, (character) => character.charCodeAt(0));
  const { codes } = path;
  let length = 0;
  for (let at = from; at < codes.length; at++) {
    while (length > 0 && codes[at] !== piece.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (codes[at] === piece.charCodeAt(length)) length++;
    if (length === piece.length) return at + 1 - length;
  }
  return -1;
}

/**
 * Whether a normalised path matches. Each piece is looked for once, from where the last one ended,
 * in one pass, so that the cost grows with the path's length and not with the number of wildcards.
 */
export function matchesRobotsPattern(pattern: RobotsPattern, path: RobotsPath): boolean {
  const { pieces, borders, anchored } = pattern;
  const { text: whole } = path;
  const head = pieces[0] ?? "";
  if (!whole.startsWith(head)) return false;
  let at = head.length;
  const last = pieces.length - 1;
  if (last === 0) return !anchored || at === whole.length;
  for (let piece = 1; piece <= last; piece++) {
    const text = pieces[piece] ?? "";
    if (anchored && piece === last) return whole.length - text.length >= at && whole.endsWith(text);
    const found = findPiece(path, text, borders[piece], at);
    if (found === -1) return false;
    at = found + text.length;
  }
  return true;
}
