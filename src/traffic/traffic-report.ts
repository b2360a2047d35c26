import type { EpochSeconds } from "../core/index.ts";
import type { CountedCrawler } from "./tally.ts";
import { addTally, createTally, type Tally } from "./tally.ts";

/** Crawlers of one operator and purpose. */
export interface TrafficGroup {
  /** A domain such as `openai.com`; the crawler's own name where the list knows no operator. */
  readonly operator: string;
  /** Such as `search-engine`, `ai-crawler`, `seo`, `unknown`. */
  readonly purpose: string;
  /** Names, those with the most bytes first; at most ten. */
  readonly crawlers: readonly string[];
  readonly counts: Readonly<Tally>;
}

/** What a log says of crawlers. */
export interface TrafficReport {
  /** First and last moment of the log's lines, in seconds since 1970; absent if no line has a time. */
  readonly from?: EpochSeconds;
  readonly to?: EpochSeconds;
  readonly all: Readonly<Tally>;
  readonly crawling: Readonly<Tally>;
  /** Those with the most bytes first. */
  readonly groups: readonly TrafficGroup[];
  /** How many crawlers there are, by name. */
  readonly crawlers: number;
  /** How many of them got at least one 304: 13 % in Brandman et al., section 4.1. */
  readonly crawlersWithNotModified: number;
  /** Whether the log has `If-Modified-Since` or `If-None-Match`; if not, `conditional` counts answers 304 alone. */
  readonly areConditionsLogged: boolean;
  /** Clients whose earlier requests are not counted as a crawler's, if they asked for robots.txt later. */
  readonly forgottenClients: number;
  /** Answers that were not compared with later ones, because the table was full: `needless` may be too low by as many. */
  readonly uncomparedAnswers: number;
}

const namesOfGroup = 10;

/** Groups what was counted. */
export function writeTrafficReport(
  counted: Omit<TrafficReport, "crawling" | "groups" | "crawlers" | "crawlersWithNotModified"> & {
    readonly crawlers: readonly CountedCrawler[];
  },
): TrafficReport {
  const crawling = createTally();
  const groups = new Map<string, { operator: string; purpose: string; crawlers: string[]; counts: Tally }>();
  const byBytes = [...counted.crawlers]
    .filter(({ tally }) => tally.requests > 0)
    .sort((a, b) => b.tally.bytes - a.tally.bytes || b.tally.requests - a.tally.requests);
  for (const { name, tally } of byBytes) {
    const { operator = name.name, purpose } = name;
    const key = `${operator} ${purpose}`;
    const group = groups.get(key) ?? { operator, purpose, crawlers: [], counts: createTally() };
    groups.set(key, group);
    addTally(group.counts, tally);
    addTally(crawling, tally);
    if (group.crawlers.length < namesOfGroup) group.crawlers.push(name.name);
  }
  return {
    ...counted,
    crawling,
    groups: [...groups.values()].sort(
      (a, b) => b.counts.bytes - a.counts.bytes || b.counts.requests - a.counts.requests,
    ),
    crawlers: byBytes.length,
    crawlersWithNotModified: byBytes.filter(({ tally }) => tally.notModified > 0).length,
  };
}
