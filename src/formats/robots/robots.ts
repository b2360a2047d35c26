import { combineUsage, noUsage, type UsagePreferences } from "../../core/index.ts";
import { normaliseUrl } from "../url/index.ts";
import { parseContentSignal, parseContentUsage } from "../usage/index.ts";
import type { RobotsAgent } from "./robots-agent.ts";
import { maxRobotsBytes, parseRobotsLine, readRobotsText, splitRobotsLines } from "./robots-line.ts";
import { type RobotsRule, RobotsRules } from "./robots-rules.ts";
import { UsageRules } from "./robots-usage.ts";

/** Longest crawl delay that is believed, in seconds: a day. */
export const maxCrawlDelaySeconds = 86_400;

interface Group {
  readonly rules: RobotsRule[];
}

// A delay holds for the agents that were named since the last line that was no name: an owner who writes a name and a
// delay, and the next name, did not mean both. For rules those names are one group (RFC 9309 section 2.2.4). So do
// preferences about use.
interface Pace {
  seconds: number | undefined;
  /** Values of Content-Usage and Content-Signal. */
  readonly usage: string[];
  readonly signals: string[];
}

const newPace = (): Pace => ({ seconds: undefined, usage: [], signals: [] });

const everyAgent = "*";

/**
 * What a robots.txt says. Made by {@link parseRobots}; ask it with {@link robotsAllow} and
 * {@link robotsCrawlDelaySeconds}.
 */
export class Robots {
  /** Values of `Archive-Index`, as written, in their order; they are checked by nobody. */
  readonly archiveIndexes: readonly string[];
  /** Values of `Archive`, likewise. */
  readonly archives: readonly string[];
  /** Values of `Sitemap`, likewise, each once; see {@link robotsSitemaps}. */
  readonly sitemaps: readonly string[];
  /** Whether it was longer than {@link maxRobotsBytes} and its end is missing. */
  readonly truncated: boolean;
  /** Whether it has a Disallow, of any agent. */
  readonly hasDisallow: boolean;
  readonly #groups: ReadonlyMap<string, readonly Group[]>;
  readonly #paces: ReadonlyMap<string, readonly Pace[]>;
  readonly #everybodysPace: Pace;
  readonly #rules: Map<readonly Group[], RobotsRules> = new Map();
  readonly #usageRules: Map<string, readonly UsageRules[]> = new Map();

  constructor(content: Uint8Array) {
    this.truncated = content.length > maxRobotsBytes;
    const archiveIndexes: string[] = [];
    const archives: string[] = [];
    const sitemaps = new Set<string>();
    const groups = new Map<string, Group[]>();
    const paces = new Map<string, Pace[]>();
    this.#everybodysPace = newPace();
    let group: Group | undefined;
    let pace = this.#everybodysPace;
    let namesGroup = false;
    let namesPace = false;
    let hasDisallow = false;
    for (const text of splitRobotsLines(readRobotsText(content))) {
      const line = parseRobotsLine(text);
      if (line === undefined) continue;
      switch (line.key) {
        case "user-agent":
          if (group === undefined || !namesGroup) group = { rules: [] };
          if (!namesPace) pace = newPace();
          namesGroup = true;
          namesPace = true;
          for (const agent of agentsOf(line.value)) {
            addOnce(groups, agent, group);
            addOnce(paces, agent, pace);
          }
          break;
        case "allow":
        case "disallow":
          namesGroup = false;
          namesPace = false;
          group?.rules.push({ allow: line.key === "allow", value: line.value });
          hasDisallow ||= group !== undefined && line.key === "disallow";
          break;
        case "crawl-delay":
          namesPace = false;
          pace.seconds = longerDelay(pace.seconds, parseDelay(line.value));
          break;
        case "content-usage":
          namesPace = false;
          pace.usage.push(line.value);
          break;
        case "content-signal":
          namesPace = false;
          pace.signals.push(line.value);
          break;
        case "sitemap":
          if (line.value !== "") sitemaps.add(line.value);
          break;
        case "archive-index":
          if (line.value !== "") archiveIndexes.push(line.value);
          break;
        case "archive":
          archives.push(line.value);
          break;
      }
    }
    this.hasDisallow = hasDisallow;
    this.archiveIndexes = archiveIndexes;
    this.archives = archives;
    this.sitemaps = [...sitemaps];
    this.#groups = groups;
    this.#paces = paces;
  }

  /** See {@link robotsAllow}. */
  allow(agent: string | RobotsAgent, path: string): boolean {
    if (path === "/robots.txt") return true;
    const groups = this.#groups.get(this.#nameOf(agent));
    if (groups === undefined) return true;
    let rules = this.#rules.get(groups);
    if (rules === undefined) {
      rules = new RobotsRules(groups.flatMap((group) => group.rules));
      this.#rules.set(groups, rules);
    }
    return rules.allow(path);
  }

  /** See {@link robotsCrawlDelaySeconds}. */
  crawlDelaySeconds(agent: string | RobotsAgent): number | undefined {
    const paces = this.#paces.get(this.#nameOf(agent)) ?? [];
    return paces.reduce((delay, pace) => longerDelay(delay, pace.seconds), this.#everybodysPace.seconds);
  }

  /** See {@link robotsUsage}. */
  usage(agent: string | RobotsAgent, path: string): UsagePreferences {
    const name = this.#nameOf(agent);
    let rules = this.#usageRules.get(name);
    if (rules === undefined) {
      const { usage, signals } = this.#usageValues(name);
      rules = [
        ...(usage.length === 0 ? [] : [new UsageRules(usage, parseContentUsage)]),
        ...(signals.length === 0 ? [] : [new UsageRules(signals, parseContentSignal)]),
      ];
      this.#usageRules.set(name, rules);
    }
    if (rules.length === 0 || !this.allow(agent, path)) return noUsage;
    return combineUsage(...rules.map((one) => one.find(path)));
  }

  /** See {@link robotsUsageText}. */
  usageText(agent: RobotsAgent): string {
    const { usage, signals } = this.#usageValues(this.#nameOf(agent));
    return [...usage.sort(), ...signals.sort()].join("\n");
  }

  #usageValues(name: string): { usage: string[]; signals: string[] } {
    const paces = this.#paces.get(name) ?? [];
    return { usage: paces.flatMap((pace) => pace.usage), signals: paces.flatMap((pace) => pace.signals) };
  }

  #nameOf(agent: string | RobotsAgent): string {
    if (typeof agent === "string") return this.#nameOf([agent]);
    for (const name of agent) if (this.#groups.has(name.toLowerCase())) return name.toLowerCase();
    return everyAgent;
  }
}

function addOnce<T>(map: Map<string, T[]>, agent: string, one: T): void {
  const known = map.get(agent);
  if (known === undefined) map.set(agent, [one]);
  else if (known.at(-1) !== one) known.push(one);
}

// One token a line is the standard. A list with commas can mean only one thing; of words, the first is taken, as
// google/robotstxt does. Digits are no part of a token by the standard, but of many an agent's name.
function agentsOf(value: string): string[] {
  return value.split(",").map((name) => {
    const token = name.trimStart();
    if (/^\*(?:\s|$)/.test(token)) return everyAgent;
    return /^[A-Za-z0-9_-]*/.exec(token)?.[0].toLowerCase() ?? "";
  });
}

function parseDelay(value: string): number | undefined {
  return /^\d{1,9}(?:\.\d{1,9})?$/.test(value) ? Math.min(Number(value), maxCrawlDelaySeconds) : undefined;
}

function longerDelay(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}

/**
 * Reads a robots.txt by RFC 9309, with the leniencies of google/robotstxt. Any bytes give a result;
 * what cannot be read is passed over.
 *
 * Groups of one agent are merged. `Sitemap`, `Archive-Index`, `Archive`, `Crawl-delay` and unknown
 * keys may stand anywhere and end no group. Costs O(n) for n bytes; the rules of an agent are made
 * ready when it first asks.
 *
 * @param content - the body as it was received; what is beyond {@link maxRobotsBytes} is ignored from
 *   the last whole line on
 * @see RFC 9309; docs/decisions/0040-robots.md for where we differ
 * @example
 * const robots = parseRobots(new TextEncoder().encode("User-agent: *\nDisallow: /private/\n"));
 * robotsAllow(robots, "tidemark", "/private/a.html"); // false
 */
export function parseRobots(content: Uint8Array): Robots {
  return new Robots(content);
}

/**
 * Whether an agent may fetch a path. `/robots.txt` always may. The rule with the most octets
 * decides, Allow on a tie; the group of `*` is asked only if no group names the agent.
 *
 * Costs O(log r) string comparisons for r rules without wildcards, and O(length of path) for each
 * wildcard rule that is longer than the one that matched; bounded for any file.
 *
 * @param agent - a product token such as `tidemark`, in any case, without a version; of several the first that a group
 *   names counts
 * @param path - percent-encoded path with query, beginning with `/`
 */
export function robotsAllow(robots: Robots, agent: string | RobotsAgent, path: string): boolean {
  return robots.allow(agent, path);
}

/**
 * The longest `Crawl-delay` that an agent is given (that `*` is given if no group names it), lines before
 * any group included, which speak to everybody. A delay holds for the agents named right before it and
 * its rules. Not part of RFC 9309.
 *
 * @param agent - see {@link robotsAllow}
 * @returns seconds, maybe with a fraction, from 0 to {@link maxCrawlDelaySeconds}; undefined if there is none
 */
export function robotsCrawlDelaySeconds(robots: Robots, agent: string | RobotsAgent): number | undefined {
  return robots.crawlDelaySeconds(agent);
}

/**
 * What robots.txt states about the use of a path for an agent, by `Content-Usage` and `Content-Signal` in its groups. Of
 * each the rule with the most octets counts, and both together. Nothing is stated of what may not be fetched.
 *
 * @param path - as of {@link robotsAllow}
 * @see draft-ietf-aipref-attach-05 section 3; contentsignals.org
 */
export function robotsUsage(robots: Robots, agent: string | RobotsAgent, path: string): UsagePreferences {
  return robots.usage(agent, path);
}

/** What of robots.txt decides {@link robotsUsage} of allowed paths, as a text that is the same for the same rules. */
export function robotsUsageText(robots: Robots, agent: RobotsAgent): string {
  return robots.usageText(agent);
}

/**
 * The sitemaps that robots.txt names: those of http and https, absolute or relative, whichever group they stand
 * in, each once.
 *
 * @param url - where robots.txt was found
 * @see RFC 9309 section 2.2.4; sitemaps.org/protocol, "Informing search engine crawlers"
 */
export function robotsSitemaps(robots: Robots, url: string): string[] {
  const urls = robots.sitemaps.map((value) => {
    const text = decodeByteString(value);
    return normaliseUrl(text, url) ?? normaliseUrl(text);
  });
  return [...new Set(urls.filter((one) => one !== undefined))];
}

function decodeByteString(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(text, (character) => character.charCodeAt(0)));
}
