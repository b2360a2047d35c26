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
const toNormalise = /%[0-9A-Fa-f]{2}|[\0-\x20"<>[\]\\^`{|}*$\x7f-\xff]/g;
const mayNeedIt = /[%\0-\x20"<>[\]\\^`{|}*$\x7f-\xff]/;

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

/** An Allow or Disallow line of a group. */
export interface RobotsRule {
  readonly allow: boolean;
  /** The line's value, one character (0 to 255) a byte. */
  readonly value: string;
}

// Most rules with a wildcard that one agent may have. Of those beyond, an Allow is dropped and a
// Disallow is widened to its text before the wildcard: a hostile file makes itself unreadable, and
// costs nobody time.
const maxWildcardRules = 4096;

// How strong a match is: twice the octets, and one more for Allow, which wins ties.
type Strength = number;
const noMatch: Strength = 0;

interface WildcardRule {
  readonly pattern: RobotsPattern;
  readonly strength: Strength;
}

const indexPage = /^(.*\/)index\.htm[^/]*$/s;

// google/robotstxt takes `Allow: /dir/index.html` to allow `/dir/` as well.
function* withIndexPages(rules: Iterable<RobotsRule>): Generator<RobotsRule> {
  for (const rule of rules) {
    yield rule;
    const folder = rule.allow ? indexPage.exec(rule.value)?.[1] : undefined;
    if (folder !== undefined) yield { allow: true, value: `${folder}$` };
  }
}

function commonLength(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let at = 0;
  while (at < limit && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

/**
 * Literal prefixes, sorted, each with the longest other one that it begins with. The longest prefix
 * of a path is then the path's neighbour in the order or one of that one's ancestors.
 */
class PrefixTable {
  readonly #prefixes: readonly string[];
  readonly #parents: Int32Array;
  readonly #strengths: Float64Array;

  constructor(strengths: ReadonlyMap<string, Strength>) {
    this.#prefixes = [...strengths.keys()].sort();
    this.#parents = new Int32Array(this.#prefixes.length);
    this.#strengths = new Float64Array(this.#prefixes.length);
    const open: number[] = [];
    for (const [at, prefix] of this.#prefixes.entries()) {
      while (open.length > 0 && !prefix.startsWith(this.#prefixes[open.at(-1) ?? 0] ?? "")) open.pop();
      const parent = open.at(-1) ?? -1;
      this.#parents[at] = parent;
      this.#strengths[at] = Math.max(strengths.get(prefix) ?? noMatch, this.#strengths[parent] ?? noMatch);
      open.push(at);
    }
  }

  strongest(path: string): Strength {
    let low = 0;
    let high = this.#prefixes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#prefixes[middle] ?? "") <= path) low = middle + 1;
      else high = middle;
    }
    let at = low - 1;
    const common = commonLength(path, this.#prefixes[at] ?? "");
    while (at >= 0 && (this.#prefixes[at] ?? "").length > common) at = this.#parents[at] ?? -1;
    return this.#strengths[at] ?? noMatch;
  }
}

/** The rules that hold for one agent, made ready for many paths. */
export class RobotsRules {
  readonly #prefixes: PrefixTable;
  readonly #wildcards: readonly WildcardRule[];

  constructor(rules: Iterable<RobotsRule>) {
    const prefixes = new Map<string, Strength>();
    const wildcards = new Map<string, WildcardRule>();
    for (const { allow, value } of withIndexPages(rules)) {
      const pattern = parseRobotsPattern(value);
      if (pattern === undefined) continue;
      const strength = 2 * pattern.octets + (allow ? 1 : 0);
      const head = pattern.pieces[0] ?? "";
      const key = `${pattern.anchored ? "$" : ""}${pattern.pieces.join("*")}`;
      if (pattern.pieces.length === 1 && !pattern.anchored) {
        prefixes.set(head, Math.max(strength, prefixes.get(head) ?? noMatch));
      } else if (wildcards.has(key) || wildcards.size < maxWildcardRules) {
        const known = wildcards.get(key);
        if (known === undefined || known.strength < strength) wildcards.set(key, { pattern, strength });
      } else if (!allow) {
        prefixes.set(head, Math.max(strength, prefixes.get(head) ?? noMatch));
      }
    }
    this.#prefixes = new PrefixTable(prefixes);
    this.#wildcards = [...wildcards.values()].sort((a, b) => b.strength - a.strength);
  }

  /** Whether a path may be fetched: the rule of most octets decides, Allow on a tie, yes if there is none. */
  allow(path: string): boolean {
    const normal = normaliseRobotsPath(path);
    const literal = this.#prefixes.strongest(normal);
    const whole: RobotsPath = { text: normal };
    for (const { pattern, strength } of this.#wildcards) {
      if (strength <= literal) break;
      if (matchesRobotsPattern(pattern, whole)) return strength % 2 === 1;
    }
    return literal === noMatch || literal % 2 === 1;
  }
}
