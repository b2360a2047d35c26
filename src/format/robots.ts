import { maxRobotsLineBytes, parseRobotsLine, splitRobotsLines } from "./robots-line.ts";
import { type RobotsRule, RobotsRules } from "./robots-rules.ts";

/**
 * Bytes of a robots.txt that are read (RFC 9309 section 2.5 asks for at least 500 KiB). Who fetches
 * one keeps a byte more than this, so that {@link parseRobots} can tell that it was longer.
 */
export const maxRobotsBytes: number = 500 * 1024;

/** Longest crawl delay that is believed, in seconds: a day. */
export const maxCrawlDelaySeconds = 86_400;

interface Group {
  readonly rules: RobotsRule[];
  crawlDelaySeconds: number | undefined;
}

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
  /** Values of `Sitemap`, likewise. */
  readonly sitemaps: readonly string[];
  /** Whether it was longer than {@link maxRobotsBytes} and its end is missing. */
  readonly truncated: boolean;
  readonly #groups: ReadonlyMap<string, readonly Group[]>;
  readonly #ungrouped: Group;
  readonly #rules: Map<readonly Group[], RobotsRules> = new Map();

  constructor(content: Uint8Array) {
    this.truncated = content.length > maxRobotsBytes;
    const archiveIndexes: string[] = [];
    const archives: string[] = [];
    const sitemaps: string[] = [];
    const groups = new Map<string, Group[]>();
    this.#ungrouped = { rules: [], crawlDelaySeconds: undefined };
    let group = this.#ungrouped;
    let namesAgents = false;
    for (const text of splitRobotsLines(readText(content))) {
      const line = parseRobotsLine(text);
      if (line === undefined) continue;
      switch (line.key) {
        case "user-agent": {
          if (!namesAgents) group = { rules: [], crawlDelaySeconds: undefined };
          namesAgents = true;
          const agent = agentOf(line.value);
          const known = groups.get(agent);
          if (known === undefined) groups.set(agent, [group]);
          else if (known.at(-1) !== group) known.push(group);
          break;
        }
        case "allow":
        case "disallow":
          namesAgents = false;
          if (group !== this.#ungrouped) group.rules.push({ allow: line.key === "allow", value: line.value });
          break;
        case "crawl-delay":
          group.crawlDelaySeconds = longerDelay(group.crawlDelaySeconds, parseDelay(line.value));
          break;
        case "sitemap":
          sitemaps.push(line.value);
          break;
        case "archive-index":
          archiveIndexes.push(line.value);
          break;
        case "archive":
          archives.push(line.value);
          break;
      }
    }
    this.archiveIndexes = archiveIndexes;
    this.archives = archives;
    this.sitemaps = sitemaps;
    this.#groups = groups;
  }

  /** See {@link robotsAllow}. */
  allow(productToken: string, path: string): boolean {
    if (path === "/robots.txt") return true;
    const groups = this.#groupsOf(productToken);
    if (groups === undefined) return true;
    let rules = this.#rules.get(groups);
    if (rules === undefined) {
      rules = new RobotsRules(groups.flatMap((group) => group.rules));
      this.#rules.set(groups, rules);
    }
    return rules.allow(path);
  }

  /** See {@link robotsCrawlDelaySeconds}. */
  crawlDelaySeconds(productToken: string): number | undefined {
    let delay = this.#ungrouped.crawlDelaySeconds;
    for (const group of this.#groupsOf(productToken) ?? []) delay = longerDelay(delay, group.crawlDelaySeconds);
    return delay;
  }

  #groupsOf(productToken: string): readonly Group[] | undefined {
    return this.#groups.get(productToken.toLowerCase()) ?? this.#groups.get(everyAgent);
  }
}

// One character a byte: a TextDecoder of "latin1" is one of windows-1252, which moves 80 to 9F.
function readText(content: Uint8Array): string {
  let from = 0;
  // Also a part of a byte order mark is passed over, as google/robotstxt does.
  for (const byte of [0xef, 0xbb, 0xbf]) {
    if (content[from] !== byte) break;
    from++;
  }
  let text = "";
  const to = Math.min(content.length, maxRobotsBytes);
  while (from < to) {
    const end = Math.min(from + 4096, to);
    text += String.fromCharCode(...content.subarray(from, end));
    from = end;
  }
  if (content.length <= maxRobotsBytes) return text;
  // The last line may be cut in its middle, unless so much of it is there as is read of any line.
  const lineEnd = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"));
  return text.length - lineEnd > maxRobotsLineBytes ? text : text.slice(0, lineEnd + 1);
}

function agentOf(value: string): string {
  if (/^\*(?:\s|$)/.test(value)) return everyAgent;
  return /^[A-Za-z_-]*/.exec(value)?.[0].toLowerCase() ?? "";
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
 * @see RFC 9309; docs/decisions/0001-own-robots-parser.md for where we differ
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
 * @param productToken - such as `tidemark`, in any case, without a version
 * @param path - percent-encoded path with query, beginning with `/`
 */
export function robotsAllow(robots: Robots, productToken: string, path: string): boolean {
  return robots.allow(productToken, path);
}

/**
 * The longest `Crawl-delay` of an agent's groups (of `*` if no group names it) and of lines before
 * any group, which speak to everybody. Not part of RFC 9309.
 *
 * @returns seconds, maybe with a fraction, from 0 to {@link maxCrawlDelaySeconds}; undefined if there is none
 */
export function robotsCrawlDelaySeconds(robots: Robots, productToken: string): number | undefined {
  return robots.crawlDelaySeconds(productToken);
}
