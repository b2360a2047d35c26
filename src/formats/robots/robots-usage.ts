import { combineUsage, noUsage, type UsagePreferences } from "../../core/index.ts";
import {
  matchesRobotsPattern,
  normaliseRobotsPath,
  parseRobotsPattern,
  type RobotsPath,
  type RobotsPattern,
} from "./robots-rules.ts";

/** Most patterns that one agent may have; those beyond are ignored. */
const maxPatterns = 4096;

interface UsageRule {
  /** Undefined for a rule without a path, which holds where no other does. */
  readonly pattern: RobotsPattern | undefined;
  readonly octets: number;
  readonly preferences: UsagePreferences;
}

/** Rules of one kind, such as `Content-Usage`, that hold for one agent. */
export class UsageRules {
  readonly #rules: readonly UsageRule[];

  /**
   * @param values - of the lines: a path and a statement, or a statement alone
   * @param parse - reads a statement
   */
  constructor(values: Iterable<string>, parse: (text: string) => UsagePreferences) {
    const byPath = new Map<string, UsageRule>();
    for (const value of values) {
      const [, path = "", statement = ""] = /^(\/[^ \t]*)?[ \t]*(.*)$/s.exec(value) ?? [];
      const pattern = path === "" ? undefined : parseRobotsPattern(path);
      const key = pattern === undefined ? "" : `${pattern.anchored ? "$" : ""}${pattern.pieces.join("*")}`;
      const known = byPath.get(key);
      if (known === undefined && byPath.size >= maxPatterns) continue;
      const preferences = combineUsage(known?.preferences ?? noUsage, parse(statement));
      byPath.set(key, { pattern, octets: pattern?.octets ?? 0, preferences });
    }
    this.#rules = [...byPath.values()].sort((a, b) => b.octets - a.octets);
  }

  /** The preferences for a path: those of the rule of most octets, of several together. */
  find(path: string): UsagePreferences {
    if (this.#rules.length === 0) return noUsage;
    const whole: RobotsPath = { text: normaliseRobotsPath(path) };
    let found: UsagePreferences | undefined;
    let octets = 0;
    for (const rule of this.#rules) {
      if (found !== undefined && rule.octets < octets) break;
      if (rule.pattern !== undefined && !matchesRobotsPattern(rule.pattern, whole)) continue;
      found = combineUsage(found ?? noUsage, rule.preferences);
      octets = rule.octets;
    }
    return found ?? noUsage;
  }
}
