import type { EpochSeconds } from "../core/index.ts";
import { Account, type DayTally } from "./account.ts";
import type { Basis } from "./crawler.ts";
import { type MediaKind, mediaKinds } from "./media-kind.ts";
import type { PageVisits } from "./page-visits.ts";
import { type Purpose, purposes } from "./purpose.ts";
import type { SiteHistory } from "./site-history.ts";
import { addTally, createTally, type Tally } from "./tally.ts";
import type { CountedCrawler, TrafficCounter } from "./traffic-counter.ts";

/** Crawlers of one operator and purpose. */
export interface TrafficGroup {
  /** A domain such as `openai.com`; the crawler's own name where the list knows no operator. */
  readonly operator: string;
  readonly purpose: Purpose;
  /** Names, those with the most bytes first; at most ten. */
  readonly crawlers: readonly string[];
  /** Whether these only say that they are the operator's: their addresses are not. */
  readonly areImpostors: boolean;
  readonly counts: Readonly<Tally>;
}

/** Requests and bytes of one kind of file. */
export interface KindTraffic {
  readonly kind: MediaKind;
  readonly requests: number;
  readonly bytes: number;
}

/** The most requests in a minute. */
export interface Peak {
  /** When the minute began, in seconds since 1970. */
  readonly at: EpochSeconds;
  readonly requests: number;
}

/** What a crawler, or all of them, did in a day. */
export type DayCounts = Readonly<Pick<DayTally, "requests" | "bytes" | "needless" | "wastedBytes">>;

/** One day of UTC. */
export interface DayTraffic {
  /** Such as `2026-09-01`. */
  readonly day: string;
  readonly requests: number;
  readonly bytes: number;
  readonly crawling: DayCounts;
  /** Requests and bytes of crawlers by purpose; those without any are absent. */
  readonly purposes: Readonly<Partial<Record<Purpose, { readonly requests: number; readonly bytes: number }>>>;
}

/** What a crawler saw of a site whose archives are at hand. */
export interface SeenPages {
  /** GETs of pages that had not changed since its last, by the site's own history; and the bytes of the answers. */
  readonly needless: number;
  readonly wastedBytes: number;
  /** Requests of which the archives cannot tell, because they keep only the page's latest change. */
  readonly undecided: number;
  /** Requests that found a changed page, and how long after the change they came: half and nine tenths of them. */
  readonly updates: number;
  readonly medianDelaySeconds: number | null;
  readonly p90DelaySeconds: number | null;
  /** Of the site's pages now: those it never requested, and those that changed after its last request. */
  readonly neverRequested: number;
  readonly outdated: number;
  /** Requests that are compared, which are those since the client was known for a crawler, and the bytes of their answers. */
  readonly requests: number;
  readonly bytes: number;
  /** What they would have cost with archives: each day's index and archives, and the pages that were new or changed. */
  readonly neededRequests: number;
  readonly neededBytes: number;
}

/** One crawler. */
export interface CrawlerTraffic {
  readonly name: string;
  /** A domain such as `openai.com`; null where the list knows none. */
  readonly operator: string | null;
  readonly purpose: Purpose;
  readonly basis: Basis;
  /** Whether its addresses are the operator's: false for an impostor, null if it was not checked. */
  readonly verified: boolean | null;
  /** Addresses, about: one that was forgotten in between counts twice. */
  readonly clients: number;
  readonly counts: Readonly<Tally>;
  /** This, `kinds` and `pages` are not told apart by address: where addresses are checked by DNS, they are of all who go by the name. */
  readonly peak: Peak;
  /** By kind of file, most bytes first; what was asked before the client was known for a crawler is left out. */
  readonly kinds: readonly KindTraffic[];
  /** By day, in order. */
  readonly days: readonly (DayCounts & { readonly day: string })[];
  /** Null without the site's archives. */
  readonly pages: SeenPages | null;
  /** Null if it never asked for the site's archives, or did from its first day on. */
  readonly archiveUse: ArchiveUse | null;
}

/** What a crawler cost a day before it read the site's archives, and since. */
export interface ArchiveUse {
  /** The first day with a request of archives, such as `2026-09-01`. */
  readonly since: string;
  readonly requestsPerDayBefore: number;
  readonly requestsPerDaySince: number;
  readonly bytesPerDayBefore: number;
  readonly bytesPerDaySince: number;
}

/** What the site's archives add. */
export interface HistoryTraffic {
  /** Pages of the site now. */
  readonly pages: number;
  /** Those that no crawler requested, and the paths of some of them. */
  readonly neverRequested: number;
  readonly neverRequestedPaths: readonly string[];
  /** Sums of what each crawler saw. */
  readonly needless: number;
  readonly wastedBytes: number;
  readonly undecided: number;
  readonly neededRequests: number;
  readonly neededBytes: number;
  /** What would be saved: requests and bytes that are compared, less what they would have needed; negative if archives cost more. */
  readonly savedRequests: number;
  readonly savedBytes: number;
}

/** What a log says of crawlers. Plain JSON; `docs/cli.md` has an example. */
export interface TrafficReport {
  /** First and last moment of the log's lines, in seconds since 1970; absent if no line has a time. */
  readonly from?: EpochSeconds;
  readonly to?: EpochSeconds;
  readonly all: Readonly<Tally>;
  readonly crawling: Readonly<Tally>;
  readonly peak: Peak;
  readonly kinds: readonly KindTraffic[];
  /** In order; none if no line has a time. */
  readonly days: readonly DayTraffic[];
  /** Those with the most bytes first, as in the next two. */
  readonly purposes: readonly { readonly purpose: Purpose; readonly counts: Readonly<Tally> }[];
  readonly groups: readonly TrafficGroup[];
  /** At most 200. */
  readonly crawlers: readonly CrawlerTraffic[];
  /** How many crawlers there are, by name. */
  readonly crawlerCount: number;
  /** How many of them got at least one 304: 13 % in Brandman et al., section 4.1. */
  readonly crawlersWithNotModified: number;
  /** Whether the log has `If-Modified-Since` or `If-None-Match`; if not, `conditional` counts answers 304 alone. */
  readonly areConditionsLogged: boolean;
  /** Whether clients were judged by what they load with pages: false if the log has hardly any images, styles and scripts. */
  readonly isBehaviourJudged: boolean;
  /** Answers that were not compared with later ones, because the table was full: `needless` may be too low by as many. */
  readonly uncomparedAnswers: number;
  /** Clients that were forgotten to make room for others: one that comes back is a new one. */
  readonly forgottenClients: number;
  /** Requests of crawlers that count in another day than theirs, because too many days of crawlers would have been kept. */
  readonly misplacedRequests: number;
  /** Null without the site's archives. */
  readonly history: HistoryTraffic | null;
}

const namesOfGroup = 10;
const maxCrawlersTold = 200;
const pathsTold = 20;

type Counts = { readonly tally: Readonly<Tally> };
const byBytes = (a: Counts, b: Counts): number => b.tally.bytes - a.tally.bytes || b.tally.requests - a.tally.requests;

/** Makes the report of what was counted. */
export function writeTrafficReport(counter: TrafficCounter, history: SiteHistory | undefined): TrafficReport {
  const crawlers = counter.crawlers.sort((a, b) => byBytes(a.account, b.account));
  const { all, from, to } = counter;
  const crawling = new Account();
  const byPurpose = new Map<Purpose, Account>();
  for (const { crawler, account } of crawlers) {
    const { name } = crawler;
    crawling.merge(account);
    const sum = byPurpose.get(name.purpose) ?? new Account();
    byPurpose.set(name.purpose, sum);
    sum.merge(account);
  }
  const names = groupBy(crawlers, ({ crawler }) => crawler.name.name);
  return {
    ...(from !== undefined && to !== undefined && { from, to }),
    all: all.tally,
    crawling: crawling.tally,
    peak: { at: counter.peak.at, requests: counter.peak.requests },
    kinds: writeKinds(counter.kinds),
    days: from === undefined ? [] : writeDays(all, crawling, byPurpose),
    purposes: [...byPurpose]
      .sort(([, a], [, b]) => byBytes(a, b))
      .map(([purpose, { tally }]) => ({ purpose, counts: tally })),
    groups: writeGroups(crawlers),
    crawlers: crawlers
      .slice(0, maxCrawlersTold)
      .map((crawler) => writeCrawler(crawler, history, to === undefined ? undefined : Math.floor(to / 86_400))),
    crawlerCount: names.size,
    crawlersWithNotModified: [...names.values()].filter((same) =>
      same.some(({ account }) => account.tally.notModified > 0),
    ).length,
    areConditionsLogged: counter.areConditionsLogged,
    isBehaviourJudged: counter.isBehaviourJudged,
    uncomparedAnswers: counter.uncomparedAnswers,
    forgottenClients: counter.forgottenClients,
    misplacedRequests: counter.misplacedRequests,
    history: history === undefined ? null : writeHistory(crawlers, history),
  };
}

function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
}

const isImpostor = ({ crawler }: CountedCrawler): boolean => crawler.verified === false;

function writeGroups(crawlers: readonly CountedCrawler[]): TrafficGroup[] {
  const groups = groupBy(crawlers, (one) => {
    const { operator, name, purpose } = one.crawler.name;
    return `${operator ?? name} ${purpose} ${isImpostor(one)}`;
  });
  return [...groups.values()]
    .map((members) => {
      const counts = createTally();
      for (const { account } of members) addTally(counts, account.tally);
      const [first] = members as [CountedCrawler];
      const { operator, name, purpose } = first.crawler.name;
      return {
        operator: operator ?? name,
        purpose,
        crawlers: [...new Set(members.map(({ crawler }) => crawler.name.name))].slice(0, namesOfGroup),
        areImpostors: isImpostor(first),
        counts,
      };
    })
    .sort((a, b) => b.counts.bytes - a.counts.bytes || b.counts.requests - a.counts.requests);
}

const dayText = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);
const sortedDays = ({ days }: Account): DayTally[] => [...days].sort((a, b) => a.day - b.day);

function countsOf(day: DayTally | undefined): DayCounts {
  const { requests = 0, bytes = 0, needless = 0, wastedBytes = 0 } = day ?? {};
  return { requests, bytes, needless, wastedBytes };
}

function writeDays(all: Account, crawling: Account, byPurpose: ReadonlyMap<Purpose, Account>): DayTraffic[] {
  const find = (account: Account | undefined, day: number) => account?.days.find((one) => one.day === day);
  return sortedDays(all).map(({ day, requests, bytes }) => {
    const told = purposes.flatMap((purpose) => {
      const one = find(byPurpose.get(purpose), day);
      return one === undefined ? [] : [[purpose, { requests: one.requests, bytes: one.bytes }] as const];
    });
    return {
      day: dayText(day),
      requests,
      bytes,
      crawling: countsOf(find(crawling, day)),
      purposes: Object.fromEntries(told),
    };
  });
}

function writeKinds(counts: Float64Array): KindTraffic[] {
  return mediaKinds
    .map((kind, at) => ({ kind, requests: counts[2 * at] as number, bytes: counts[2 * at + 1] as number }))
    .filter(({ requests }) => requests > 0)
    .sort((a, b) => b.bytes - a.bytes || b.requests - a.requests);
}

/** @param lastDay - of the log; undefined if no line has a time */
function writeCrawler(
  { crawler, account, clients }: CountedCrawler,
  history: SiteHistory | undefined,
  lastDay: number | undefined,
): CrawlerTraffic {
  const { name, basis, verified, peak, kinds, visits } = crawler;
  const days = lastDay === undefined ? [] : sortedDays(account);
  return {
    name: name.name,
    operator: name.operator ?? null,
    purpose: name.purpose,
    basis,
    verified: verified ?? null,
    clients,
    counts: account.tally,
    peak: { at: peak.at, requests: peak.requests },
    kinds: writeKinds(kinds),
    days: days.map((day) => ({ day: dayText(day.day), ...countsOf(day) })),
    pages: history === undefined || visits === undefined ? null : writeSeen(visits, history),
    archiveUse: writeArchiveUse(days, lastDay),
  };
}

function writeArchiveUse(days: readonly DayTally[], lastDay = 0): ArchiveUse | null {
  const at = days.findIndex(({ archives }) => archives > 0);
  if (at <= 0) return null;
  const [first, change] = [days[0], days[at]] as [DayTally, DayTally];
  const sum = (some: readonly DayTally[], key: "requests" | "bytes"): number =>
    some.reduce((total, day) => total + day[key], 0);
  // Days without a request count too: who reads archives comes less often.
  const [before, since] = [change.day - first.day, lastDay - change.day + 1];
  return {
    since: dayText(change.day),
    requestsPerDayBefore: sum(days.slice(0, at), "requests") / before,
    requestsPerDaySince: sum(days.slice(at), "requests") / since,
    bytesPerDayBefore: sum(days.slice(0, at), "bytes") / before,
    bytesPerDaySince: sum(days.slice(at), "bytes") / since,
  };
}

function writeSeen(visits: PageVisits, history: SiteHistory): SeenPages {
  let neverRequested = 0;
  let outdated = 0;
  for (const page of history.pages()) {
    if (page.isDeleted) continue;
    const last = visits.lastOf(page);
    if (last === 0) neverRequested++;
    else if ((page.changes.at(-1)?.at ?? 0) > last) outdated++;
  }
  const { requests, bytes, needless, wastedBytes, undecided, updates, neededRequests, neededBytes } = visits;
  return {
    requests,
    bytes,
    needless,
    wastedBytes,
    undecided,
    updates,
    medianDelaySeconds: visits.delayOf(0.5) ?? null,
    p90DelaySeconds: visits.delayOf(0.9) ?? null,
    neverRequested,
    outdated,
    neededRequests,
    neededBytes,
  };
}

function writeHistory(crawlers: readonly CountedCrawler[], history: SiteHistory): HistoryTraffic {
  // Of a crawler whose addresses are checked, the parts have the same.
  const compared = [...new Set(crawlers.flatMap(({ crawler }) => crawler.visits ?? []))];
  const sum = (value: (visits: PageVisits) => number): number =>
    compared.reduce((total, visits) => total + value(visits), 0);
  const live = [...history.pages()].filter(({ isDeleted }) => !isDeleted);
  const never = live.filter((page) => compared.every((visits) => visits.lastOf(page) === 0));
  const neededRequests = sum((visits) => visits.neededRequests);
  const neededBytes = sum((visits) => visits.neededBytes);
  return {
    pages: live.length,
    neverRequested: never.length,
    neverRequestedPaths: never.slice(0, pathsTold).map(({ path }) => path),
    needless: sum((visits) => visits.needless),
    wastedBytes: sum((visits) => visits.wastedBytes),
    undecided: sum((visits) => visits.undecided),
    neededRequests,
    neededBytes,
    savedRequests: sum((visits) => visits.requests) - neededRequests,
    savedBytes: sum((visits) => visits.bytes) - neededBytes,
  };
}
