import {
  matchesRobotsPattern,
  normaliseRobotsPath,
  parseRobotsPattern,
  type RobotsPath,
  type RobotsPattern,
} from "./robots-pattern.ts";

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
