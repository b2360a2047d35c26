import type { CrawlPorts } from "../../core/index.ts";
import {
  type CrawlEvent,
  type CrawlSummary,
  type EpochMs,
  type EpochSeconds,
  type PageFilter,
  type PageOrder,
  type Result,
  type SitePosition,
  type SiteRecord,
  sourceNames,
  TidemarkError,
  type Usage,
} from "../../core/index.ts";
import { loadTextComparison } from "../../formats/html/index.ts";
import { ownProductToken, type Robots, type RobotsAgent } from "../../formats/robots/index.ts";
import type { CrawlVisit, PollPlan, Significance } from "./discovery/crawl-visit.ts";
import { narrowUrls } from "./discovery/narrow-urls.ts";
import { copyKeyOf, isSameRobots, keepCrawlDelay, type RobotsRules, readRobots } from "./discovery/robots-rules.ts";
import { makeSources, type SourceOptions } from "./discovery/source-choice.ts";
import { findSource, linksKeyOf, SourceMemory } from "./discovery/source-search.ts";
import { UrlScope } from "./discovery/url-scope.ts";
import { respectRobotsUsage } from "./discovery/usage-filter.ts";
import { doAnnouncedWork } from "./pipeline/announced-work.ts";
import { doPollWork } from "./pipeline/poll-work.ts";
import { maxTroublesInARow } from "./politeness/patient-request.ts";
import type { PollPlannerName } from "./revisit/poll-planners.ts";
import { defaultDistrustMs } from "./revisit/poll-policy.ts";
import { ClockKeeper } from "./visit/clock-keeper.ts";
import type { LeftPolls } from "./visit/left-polls.ts";
import { ListBounds } from "./visit/list-bounds.ts";
import { defaultTimeoutMs, isCancelled, type ReadingVisit, throwIfAborted, warn } from "./visit/reading-visit.ts";
import { readSharedTags } from "./visit/shared-tags.ts";
import { Tally } from "./visit/tally.ts";
import { type ByteBounds, VisitBounds } from "./visit/visit-bounds.ts";
import { tellTrouble, type VisitEnd } from "./visit/visit-end.ts";
import { VisitProgress } from "./visit/visit-progress.ts";

/** What a visit is to do. */
export interface VisitOptions extends SourceOptions {
  /** Such as `https://example.org`, without a slash at the end. */
  readonly origin: string;
  /** The names under which robots.txt is obeyed. Default: that of this program. */
  readonly agent?: RobotsAgent;
  /** Which pages are wanted. */
  readonly filter: PageFilter;
  /** Pages of which the site disallows one of these uses are not kept. Default: none are respected. */
  readonly respectUsage?: readonly Usage[];
  /** Page requests that the visit may make; the rest stays work. Default: no bound. */
  readonly budget?: number;
  /** Requests under way at once. Default 1. */
  readonly concurrency?: number;
  /** Most pages of the site that are kept. Default: no bound. */
  readonly maxPages?: number;
  /** Most links from a start to a page. Default: no bound. */
  readonly maxDepth?: number;
  /** In which order pages that nobody has yet are asked for, where the site publishes no changes. Default `depth`. */
  readonly order?: PageOrder;
  /** Whether of a site that publishes no changes only pages are asked for that have probably changed. Default: whether `planner` is given. */
  readonly isPlanned?: boolean;
  /** Whether known pages are polled that no list, and no event of another crawler, names. Default true. */
  readonly isPolled?: boolean;
  /** The order among pages of about the same age, if other crawlers tell of their polls. */
  readonly sharingSeed?: number;
  /** Keeps what this visit chooses and does not come to, for the one that goes on with it. Default: each visit chooses for itself. */
  readonly leftPolls?: LeftPolls;
  /** Which planner chooses those, and what a budget is spent on. Default: the crawler's own. */
  readonly planner?: PollPlannerName;
  /** How much the page of a URL matters to it. Default 1. */
  readonly weightOf?: (url: string) => number;
  /**
   * A better source that a site had not is looked for again after so many milliseconds, or when robots.txt changes.
   * Default 7 days.
   */
  readonly lookAgainMs?: number;
  /** After so many milliseconds a page is fetched whole, whatever its validators say. Default 90 days. */
  readonly distrustMs?: number;
  /**
   * A change of an HTML page counts only if its visible text resembles the held one less than this, more than 0 and
   * at most 1: pages that change in trifles only are not asked for more often. They are kept as they are served all the
   * same. Default: each change counts.
   */
  readonly significant?: number;
  /** Time for a small request, and longest silence of a large one, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /** What may come, whatever is announced. */
  readonly bounds?: ByteBounds;
  /** Asked about each second of a request: whether nothing more is waited for, and what is under way is left. Default: it is not. */
  readonly mustEnd?: (() => boolean) | undefined;
  /** Asked between two pages; once it says no, the visit ends in order, and the rest stays work. Default: it goes on. */
  readonly mayGoOn?: () => boolean;
  /** Takes each page whose links may be read, whatever the source; then the visit does not follow them itself. */
  readonly linkTaker?: Pick<PollPlan, "takeLinks" | "noteUnread">;
  readonly signal?: AbortSignal;
  /**
   * Once it is aborted, no further request is made; what is under way is kept, and the visit is cut short. It excludes
   * `signal`.
   */
  readonly halt?: AbortSignal;
  readonly onEvent?: (event: CrawlEvent) => void;
}

/** What a visit came to, and what it says of the next one. */
export interface VisitResult {
  readonly summary: CrawlSummary;
  /** Times of the newest publications, ascending, none of them missing; undefined if nothing new was told of them. */
  readonly publications: readonly EpochSeconds[] | undefined;
  /** Pages that are held. */
  readonly held: number;
  /** Polls of held pages, those that saw a change, and the sum of the times since the polls before, in seconds. */
  readonly polls: Readonly<Tally["polls"]>;
  /** When the first page is due by the plan of polls; undefined if there is no such plan. */
  readonly nextDueAt: EpochMs | undefined;
  /** Until when the site wants to be left alone; 0 if nothing is known of that. */
  readonly restsUntil: EpochMs;
}

/** After troubles with what an earlier source left, so many requests may fail before the site is left alone. */
const triesAfterTroubles = 3;
/** What took so long is durable at once: a visit that is killed soon after would ask for it again, as would the next. */
const slowMs = 1000;
/** A site that answered so much later than now did so by a clock that was set back since. */
const clockSlackMs = 60_000;
/** A source that was absent is looked for again after so long. */
const defaultLookAgainMs = 7 * 86_400_000;

/** What robots.txt, the sources and the pages of one visit have to do with each other. */
class SiteVisit {
  readonly #ports: CrawlPorts;
  readonly #options: VisitOptions;
  readonly #visit: ReadingVisit;
  readonly #tally: Tally = new Tally();
  readonly #startedAt: number;
  /** When the site answered last in an earlier visit; 0 if that is not known. */
  readonly #answeredBefore: EpochMs;
  #progress: VisitProgress;
  #end: VisitEnd = { source: "none", passedOver: [], position: undefined };
  #publications: readonly EpochSeconds[] | undefined;
  #nextDueAt: EpochMs | undefined;
  readonly #lists: ListBounds;
  /** Whether lists are left that another look may read. */
  #hasMoreLists = false;
  #isCutShort = false;

  constructor(ports: CrawlPorts, options: VisitOptions) {
    const { origin, agent = [ownProductToken], concurrency = 1, timeoutMs = defaultTimeoutMs } = options;
    const { mustEnd, signal, halt, onEvent: report = () => undefined } = options;
    this.#ports = ports;
    this.#options = options;
    this.#lists = new ListBounds(options.budget ?? Infinity);
    this.#startedAt = ports.timing.now();
    const { rateLimiter } = ports;
    const clocks =
      rateLimiter &&
      new ClockKeeper(origin, rateLimiter, (state) => ports.memory.rememberClock(state), ports.memory.read().clock);
    this.#answeredBefore = ports.memory.read().clock?.answeredAt ?? 0;
    this.#progress = new VisitProgress(ports.memory, this.#startedAt, this.#since());
    if (this.#answeredBefore > this.#startedAt + clockSlackMs) ports.urls.setBack(this.#since());
    const tally = this.#tally;
    const bounds = new VisitBounds(options.bounds);
    bounds.begin(ports.urls.counts().heldBytes);
    const common = { origin, agent, ports, tally, report, concurrency, timeoutMs, bounds, mustEnd, signal, halt };
    this.#visit = { ...common, ...(clocks && { clocks }) };
  }

  async run(): Promise<VisitResult> {
    const record = this.#ports.memory.read();
    this.#prepareRateLimiter(record);
    // What was too large may not be so any more.
    if (this.#visit.bounds.noteIsRaised(this.#ports.memory)) this.#ports.urls.reopen("refused");
    try {
      return this.#resultOf(await this.#go(record));
    } catch (error) {
      const isOver = error instanceof TidemarkError && error.code === "aborted";
      // The next visit goes on where this one was halted, as after a kill.
      if (isOver && this.#visit.signal?.aborted !== true) return this.#resultOf(this.#summarize(true));
      // What an error cut short is taken up like what a kill did.
      this.#rememberClock(!isOver);
      throw error;
    }
  }

  #resultOf(summary: CrawlSummary): VisitResult {
    const restsUntil = Math.max(this.#tally.busyUntil, this.#ports.rateLimiter?.restsUntil(this.#visit.origin) ?? 0);
    const [{ held }, { polls }] = [this.#ports.urls.counts(), this.#tally];
    return { summary, publications: this.#publications, held, polls, nextDueAt: this.#nextDueAt, restsUntil };
  }

  // Times of answers are whole seconds: what begins in the second in which the visit before ended begins with the next.
  #since(): EpochSeconds {
    const since = Math.floor(this.#startedAt / 1000);
    return Math.floor(this.#answeredBefore / 1000) === since ? since + 1 : since;
  }

  #prepareRateLimiter(record: SiteRecord): void {
    const { rateLimiter } = this.#ports;
    const { origin, concurrency } = this.#visit;
    rateLimiter?.describe(origin, { concurrency, hasArchives: record.position !== undefined });
    if (record.clock !== undefined) rateLimiter?.restore(origin, record.clock);
  }

  #rememberClock(isOpen: boolean): void {
    const state = this.#ports.rateLimiter?.stateOf(this.#visit.origin, isOpen);
    if (state !== undefined) this.#ports.memory.rememberClock(state);
  }

  async #go(first: SiteRecord): Promise<CrawlSummary> {
    const { memory, timing } = this.#ports;
    this.#end = { ...this.#end, position: first.position };
    // What is left when the rules are a day old is gone on with under those of that day (RFC 9309 section 2.4).
    for (let record = first; ; record = memory.read()) {
      const rules = await this.#readRobots(record);
      throwIfAborted(this.#visit);
      if (!rules.ok) {
        const { code, message } = rules.error;
        warn(this.#visit, code, message);
        const [source = "archives"] = this.#options.sources ?? sourceNames;
        if (this.#end.source === "none") this.#end = { ...this.#end, passedOver: [{ source, code, why: message }] };
        return this.#conclude();
      }
      this.#visit.clocks?.opens();
      await this.#follow(rules.value, record.position);
      if (this.#isToGoOn()) this.#endProgress();
      else if (timing.now() < rules.value.until && !this.#hasMoreLists) return this.#conclude();
    }
  }

  /** Whether what an earlier visit left is done, so that the site can be asked what is new. */
  #isToGoOn(): boolean {
    const { budget = Infinity } = this.#options;
    const { isResumed, isAfterDelay } = this.#progress;
    if (!isResumed || isAfterDelay || isCancelled(this.#visit)) return false;
    return !this.#tally.isPostponed && this.#tally.pageRequests < budget && this.#mayGoOn();
  }

  readonly #mayGoOn = (): boolean => {
    const mayGoOn = this.#options.mayGoOn?.() ?? true;
    this.#isCutShort ||= !mayGoOn;
    return mayGoOn;
  };

  #endProgress(): void {
    this.#progress.end(this.#tally.isDelayed, this.#isCutShort);
    if (!this.#isCutShort) this.#options.leftPolls?.forget(this.#options.origin);
    this.#progress = new VisitProgress(this.#ports.memory, this.#ports.timing.now(), this.#since());
  }

  async #readRobots(record: SiteRecord): Promise<Result<RobotsRules>> {
    const { memory, timing } = this.#ports;
    // What was received and judged under another name says nothing of this one.
    const kept = record.robots?.agent === copyKeyOf(this.#visit.agent) ? record.robots : undefined;
    const askedAt = timing.now();
    const rules = await readRobots(this.#visit, kept, readSharedTags(memory), this.#progress);
    if (!rules.ok || isCancelled(this.#visit)) return rules;
    const { robots, copy } = rules.value;
    this.#progress.begin();
    keepCrawlDelay(this.#visit, robots);
    if (copy !== undefined) {
      if (!isSameRobots(record.robots, copy)) this.#ports.urls.reopen("disallowed");
      memory.rememberRobots(copy);
    }
    // Who is killed before the index comes need not wait for it again.
    if (timing.now() - askedAt >= slowMs) memory.flush();
    return rules;
  }

  async #follow({ robots, until }: RobotsRules, remembered: SitePosition | undefined): Promise<void> {
    const { maxDepth, lookAgainMs = defaultLookAgainMs } = this.#options;
    const visit = await this.#crawlVisit(robots, until);
    const memory = new SourceMemory(visit, lookAgainMs / 1000);
    const sources = makeSources(this.#options, visit.scope);
    const { found, passedOver, isLeftAlone } = await findSource(visit, sources, memory);
    throwIfAborted(this.#visit);
    if (found === undefined)
      for (const { code, source, why } of passedOver) warn(this.#visit, code, `${source}: ${why}`);
    else memory.noteFound(found, linksKeyOf(visit.filter, maxDepth));
    const position = found?.look.kind === "work" ? found.look.position : undefined;
    this.#end = { source: found?.name ?? "none", passedOver, position: position ?? remembered };
    narrowUrls(visit);
    // What was not finished earlier is work, whatever the source is today.
    const fetchPackages = found?.look.kind === "work" ? found.look.fetchPackages : undefined;
    if (found?.look.kind === "work") this.#publications = found.look.publications ?? this.#publications;
    if (!isLeftAlone && this.#ports.urls.counts().pending > 0) await doAnnouncedWork(visit, fetchPackages);
    if (found?.look.kind === "polls") {
      // What an earlier source left and cannot be had says little of the pages that this one names.
      this.#tally.forgive(maxTroublesInARow - triesAfterTroubles);
      const plan = { ...found.look.plan, ...visit.plan };
      this.#nextDueAt = await doPollWork({ ...visit, since: this.#progress.pollsSince }, plan);
    }
    const left = found?.look.kind === "polls" ? found.look.left : undefined;
    this.#hasMoreLists = left === "bounded" && this.#mayLookAgain();
    if (left !== undefined && !this.#hasMoreLists) this.#leaveLists();
    if (this.#visit.bounds.isSpent)
      warn(
        this.#visit,
        "visit-full",
        "The visit reached its limit of received bytes (--max-visit); the rest is left for the next visit.",
      );
  }

  async #crawlVisit(robots: Robots, rulesUntil: EpochMs): Promise<CrawlVisit> {
    const { filter, planner, significant, order = "depth", distrustMs = defaultDistrustMs } = this.#options;
    const { budget = Infinity, maxPages = Infinity, maxDepth = Infinity, respectUsage = [], linkTaker } = this.#options;
    const { isPolled = true, isPlanned = planner !== undefined, sharingSeed, weightOf, leftPolls } = this.#options;
    const { agent } = this.#visit;
    const mayReadList = this.#lists.begin(this.#ports.timing.now);
    const wanted = respectRobotsUsage(filter, respectUsage, { robots, agent, codec: this.#ports.codec });
    const significance: Significance | undefined =
      significant === undefined ? undefined : { leastResemblance: significant, texts: await loadTextComparison() };
    return {
      ...this.#visit,
      ports: this.#ports,
      robots,
      rulesUntil,
      filter: wanted,
      respectUsage,
      scope: new UrlScope(wanted, this.#ports.mediaTypes),
      mayReadList: () => this.#mayGoOn() && mayReadList(),
      mayGoOn: this.#mayGoOn,
      progress: this.#progress,
      since: this.#progress.pollsSince,
      budget,
      maxPages,
      maxDepth,
      order,
      distrustMs,
      significance,
      ...{ isPlanned, isPolled, sharingSeed, weightOf, leftPolls },
      planner: planner ?? "default",
      ...(linkTaker && { plan: { followsLinks: true, ...linkTaker } }),
    };
  }

  #leaveLists(): void {
    warn(this.#visit, "sitemaps-left", "Not all sitemaps were read yet: the rest is left for the next visit.");
    this.#nextDueAt = this.#ports.timing.now();
  }

  #mayLookAgain(): boolean {
    const { budget = Infinity } = this.#options;
    const isInTrouble = this.#tally.troublesInARow >= maxTroublesInARow;
    const isResting = (this.#ports.rateLimiter?.restsUntil(this.#visit.origin) ?? 0) > this.#ports.timing.now();
    return (
      this.#lists.isOpen &&
      this.#tally.pageRequests < budget &&
      !isInTrouble &&
      !(isResting || this.#tally.isPostponed) &&
      this.#mayGoOn() &&
      !this.#visit.bounds.isSpent
    );
  }

  #conclude(): CrawlSummary {
    this.#end = tellTrouble(this.#visit, this.#end);
    this.#endProgress();
    return this.#summarize(false);
  }

  #summarize(isCutShort: boolean): CrawlSummary {
    const { memory, timing, urls } = this.#ports;
    const { source, passedOver, position } = this.#end;
    const { maxPages = Infinity } = this.#options;
    const counts = urls.counts();
    // Where changes are published, what links led to and nobody asked for is not to come.
    const { writer } = memory.read();
    const isPolled = writer !== "archives" && writer !== "resourcesync";
    const fresh = isPolled ? Math.min(counts.fresh, Math.max(0, maxPages - counts.held)) : 0;
    const summary = this.#tally.summary(this.#options.origin, source, {
      passedOver,
      cursor: position?.cursor,
      counts: {
        held: counts.held,
        // What is over the bound is not to come.
        pending: counts.pending + fresh,
        disallowed: counts.disallowed + (isPolled ? counts.disallowedPolled : 0),
      },
      elapsedMs: timing.now() - this.#startedAt,
      isCutShort,
    });
    const clock = this.#ports.rateLimiter?.stateOf(this.#visit.origin, false);
    memory.rememberVisit(Math.floor(this.#startedAt / 1000), summary, clock);
    return summary;
  }
}

/**
 * Visits a site once: robots.txt, then what changed by the best source that works (the site's change archives,
 * ResourceSync, sitemaps, links), and then the pages. Everything comes in through ports, so that the same visit runs
 * under virtual time.
 *
 * A site that cannot be asked is no error: the summary's `source` is `none` and warnings say why; work that was
 * pending is still done where that is allowed.
 *
 * @throws TidemarkError `aborted` after the signal, with everything that was done kept; errors of the store
 */
export async function visitSite(ports: CrawlPorts, options: VisitOptions): Promise<VisitResult> {
  return await new SiteVisit(ports, options).run();
}
