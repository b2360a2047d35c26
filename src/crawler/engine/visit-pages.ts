import type { CrawlEvent, CrawlPorts, EpochMs, EpochSeconds, PageFilter, TrackedUrl, Usage } from "../../core/index.ts";
import { ownProductToken, type RobotsAgent } from "../../formats/robots/index.ts";
import type { CrawlVisit, LinkedPage } from "./discovery/crawl-visit.ts";
import { copyKeyOf, isSameRobots, keepCrawlDelay, readRobots } from "./discovery/robots-rules.ts";
import { linksKeyOf, noteTurn } from "./discovery/source-search.ts";
import { UrlScope } from "./discovery/url-scope.ts";
import { respectRobotsUsage } from "./discovery/usage-filter.ts";
import { PageWork } from "./pipeline/page-work.ts";
import { patienceVisits } from "./politeness/patient-request.ts";
import { defaultDistrustMs } from "./revisit/poll-policy.ts";
import { ClockKeeper } from "./visit/clock-keeper.ts";
import { defaultTimeoutMs, isCancelled, type ReadingVisit } from "./visit/reading-visit.ts";
import { maxCopyAgeMs } from "./visit/robots-freshness.ts";
import { readSharedTags } from "./visit/shared-tags.ts";
import { Tally } from "./visit/tally.ts";
import { type ByteBounds, VisitBounds } from "./visit/visit-bounds.ts";
import { VisitProgress } from "./visit/visit-progress.ts";

/** With a longer Crawl-delay a copy of robots.txt may be a day old by the time of the next request, or the one after it. */
const longDelayMs = maxCopyAgeMs / 2;

/** Some pages of one site. */
export interface PageTurnOptions {
  /** Such as `https://example.org`, without a slash at the end. */
  readonly origin: string;
  /** Paths with query, in the order in which they are requested, and the links within the site that lead to each. */
  readonly paths: ReadonlyMap<string, number>;
  /** The names under which robots.txt is obeyed. Default: that of this program. */
  readonly agent?: RobotsAgent;
  /** Which pages are wanted. */
  readonly filter: PageFilter;
  /** Pages of which the site disallows one of these uses are not kept. Default: none are respected. */
  readonly respectUsage?: readonly Usage[];
  /** Pages that were answered from then on are not requested again. */
  readonly since: EpochSeconds;
  readonly timeoutMs?: number;
  readonly bounds?: ByteBounds;
  /** Takes each page whose links may be read. */
  readonly takeLinks: (page: LinkedPage) => void;
  /** Whether the ports take redirects that are not followed at once. Default false: their further requests wait. */
  readonly leavesRedirects?: boolean;
  /** Ends the request that is under way, too. */
  readonly signal?: AbortSignal;
  /** Once it is aborted, no further request is made; one that is under way is waited for. */
  readonly halt?: AbortSignal;
  /** Whether a request that is under way is not waited for any more. */
  readonly mustEnd?: () => boolean;
  readonly onEvent?: (event: CrawlEvent) => void;
}

/** What a turn came to. */
export interface PageTurn {
  /** Paths that were not answered, to be requested in another turn. */
  readonly left: readonly string[];
  /** Pages that were not requested, because they had been answered before. */
  readonly answeredBefore: readonly string[];
  /** Why robots.txt could not be read: then no page was requested. Undefined if it could. */
  readonly whyUnreachable: string | undefined;
  /**
   * When the site may be asked again, where politeness ended the turn: it or one of its addresses rests. Undefined if nothing was put
   * off. With `whyUnreachable` not even robots.txt was asked for, and nothing is known against the site.
   */
  readonly postponedUntil: EpochMs | undefined;
  readonly tally: Readonly<Tally>;
}

/** What is left is what has no answer, and what may be there again in another turn. */
function isLeft({ postponed, askedAt }: TrackedUrl): boolean {
  if (postponed === undefined) return askedAt === undefined;
  const { trouble, attempts } = postponed;
  return trouble === "unavailable" && attempts < patienceVisits;
}

function isAnswered(url: TrackedUrl, since: EpochSeconds): boolean {
  return (url.askedAt ?? -1) >= since || (url.postponed !== undefined && !isLeft(url));
}

/**
 * Requests pages of one site in the given order, as robots.txt allows, and keeps them: a turn of Castillo et al. It ends before the
 * last page where the site is to be left alone for a while, so that nobody waits for it.
 *
 * After the signal, or a halt, it ends early, with everything that was done kept.
 *
 * @throws errors of the store
 * @see C. Castillo, M. Marin, A. Rodriguez, R. Baeza-Yates, Scheduling Algorithms for Web Crawling, LA-WEB 2004, section 4
 */
export async function visitPages(ports: CrawlPorts, options: PageTurnOptions): Promise<PageTurn> {
  const {
    origin,
    paths: depths,
    agent = [ownProductToken],
    since,
    timeoutMs = defaultTimeoutMs,
    respectUsage = [],
  } = options;
  const { memory, rateLimiter, timing, urls } = ports;
  const paths = [...depths.keys()];
  const record = memory.read();
  rateLimiter?.describe(origin, { concurrency: 1 });
  if (record.clock !== undefined) rateLimiter?.restore(origin, record.clock);
  const clocks =
    rateLimiter && new ClockKeeper(origin, rateLimiter, (state) => memory.rememberClock(state), record.clock);
  const bounds = new VisitBounds(options.bounds);
  // To count them takes as long as the site has pages.
  if (options.bounds?.siteBytes !== undefined) bounds.begin(urls.counts().heldBytes);
  const tally = new Tally();
  const { signal, halt, mustEnd, takeLinks, leavesRedirects, onEvent: report = () => undefined } = options;
  const visit: ReadingVisit = {
    origin,
    agent,
    ports,
    tally,
    report,
    timeoutMs,
    bounds,
    signal,
    halt,
    mustEnd,
    concurrency: 1,
    clocks,
    ...(leavesRedirects === true && { leavesRedirects }),
  };
  const progress = new VisitProgress(memory, timing.now(), since);
  const kept = record.robots?.agent === copyKeyOf(agent) ? record.robots : undefined;
  const rules = await readRobots(visit, kept, readSharedTags(memory), progress);
  if (!rules.ok) {
    rememberClock(ports, origin);
    const postponedUntil = tally.isPostponed && tally.requests === 0 ? tally.postponedUntil : undefined;
    return { left: paths, answeredBefore: [], whyUnreachable: rules.error.message, postponedUntil, tally };
  }
  const { robots, copy, until } = rules.value;
  progress.begin();
  const crawlDelayMs = keepCrawlDelay(visit, robots);
  if (copy !== undefined) {
    if (!isSameRobots(record.robots, copy)) urls.reopen("disallowed");
    memory.rememberRobots(copy);
  }
  clocks?.opens();
  const filter = respectRobotsUsage(options.filter, respectUsage, { robots, agent, codec: ports.codec });
  const isFree = (): boolean => (rateLimiter?.restsUntil(origin) ?? 0) <= timing.now();
  const whole: CrawlVisit = {
    ...visit,
    ports,
    robots,
    filter,
    progress,
    respectUsage,
    rulesUntil: until,
    scope: new UrlScope(filter, ports.mediaTypes),
    mayReadList: () => false,
    mayGoOn: isFree,
    since,
    budget: Infinity,
    maxPages: Infinity,
    maxDepth: Infinity,
    order: "depth",
    distrustMs: defaultDistrustMs,
    significance: undefined,
    isPlanned: false,
    isPolled: true,
    sharingSeed: undefined,
    leftPolls: undefined,
    planner: "default",
    weightOf: undefined,
    plan: { followsLinks: true, takeLinks, settlesAtOnce: true, asks: "all", sampled: 0 },
  };
  noteTurn(ports, linksKeyOf(filter, undefined));
  urls.note(
    [...depths].filter(([path]) => filter.admits(path)).map(([path, depth]) => ({ path, depth, lastmod: undefined })),
    0,
  );
  const noted = urls.findAll(paths);
  const answeredBefore = noted.filter((url) => isAnswered(url, since)).map(({ path }) => path);
  const wanted = noted.filter((url) => !isAnswered(url, since));
  const work = new PageWork(whole);
  await work.fetch(wanted.values());
  // Whoever ended it knows of it.
  if (!isCancelled(visit)) work.conclude();
  const left = urls
    .findAll(paths)
    .filter(isLeft)
    .map(({ path }) => path);
  rememberClock(ports, origin);
  // The next turn would find the copy out of date, and ask for nothing else.
  if (crawlDelayMs >= longDelayMs) progress.end(true);
  const postponedUntil = tally.isPostponed ? tally.postponedUntil : undefined;
  return { left, answeredBefore, whyUnreachable: undefined, postponedUntil, tally };
}

function rememberClock({ memory, rateLimiter }: CrawlPorts, origin: string): void {
  const state = rateLimiter?.stateOf(origin, false);
  if (state !== undefined) memory.rememberClock(state);
}
