import {
  type ClaimStore,
  type Clock,
  type CrawlEvent,
  type CrawlSummary,
  type EpochMs,
  type FetchOutcome,
  omitUndefined,
  type PeerStore,
  TidemarkError,
  type Timing,
  type VisitPlan,
} from "../../core/index.ts";
import { realTiming } from "../../http/index.ts";
import { openStore, type Store } from "../../storage/index.ts";
import { type VisitMeans, visitInStore } from "../crawl-site.ts";
import type { FollowedSite } from "../crawl-site-options.ts";
import { LeftPolls } from "../engine/visit/left-polls.ts";
import { isHaltOver } from "../engine/visit/reading-visit.ts";
import { earliestVisitOf, unvisited, type VisitEnd } from "../engine/visit-plan.ts";
import { failedVisitOf } from "../failed-visit.ts";
import { type CreatePolitenessOptions, createPoliteness, type Politeness } from "../politeness.ts";
import { ControlInbox } from "./control-inbox.ts";
import { FollowMetrics } from "./follow-metrics.ts";
import type { FollowStatus } from "./follow-status.ts";
import { FollowedSites } from "./followed-sites.ts";
import { writeFollowedList } from "./list-sites.ts";
import { type OpenVisit, SiteFollower } from "./site-follower.ts";
import { SiteScheduler } from "./site-scheduler.ts";

/** Result of a visit to one of many sites. */
export interface FollowedVisit {
  /** Its origin. */
  readonly site: string;
  /** Absent if the visit failed. */
  readonly summary?: CrawlSummary;
  /** Why it failed. */
  readonly error?: unknown;
  /** When the next visit is due, if the site is followed for ever. */
  readonly nextAt: EpochMs;
  /** Open visits and sites due when this visit ended. */
  readonly open: number;
  readonly due: number;
  readonly sites: number;
}

/** Summary of following many sites. */
export interface FollowSummary {
  readonly visits: number;
  /** Visits that failed, and those that learned nothing about their site. */
  readonly failedVisits: number;
}

/** What runs beside visits is given this. */
export interface CompanionMeans {
  readonly peers: PeerStore;
  readonly claims: ClaimStore;
  /** Visits a followed site as soon as the least time since its last visit is over. */
  readonly expedite: (origin: string) => void;
  readonly timing: Timing;
  /** Aborted when the visits end. */
  readonly signal: AbortSignal;
}

/** Which sites to follow, and how. */
export interface FollowSitesOptions {
  /**
   * The sites, each once. With an iterable, each list replaces the one before: sites missing from it are no longer
   * followed, and their data is kept. A later list with a mistake is refused: its error is thrown into the iterator at its
   * `yield`; one that catches it goes on with the list before.
   */
  readonly sites: readonly FollowedSite[] | AsyncIterable<readonly FollowedSite[]>;
  /** Folder of the mirrors, as of `crawlSite`. */
  readonly into: string;
  /** The state's file. Default `<into>/.tidemark/state.db`. */
  readonly stateFile?: string;
  /**
   * Whether sites are visited again and again; if false, each is visited once, and only the first list counts. Default
   * true.
   */
  readonly isForever?: boolean;
  /** Most concurrent requests to all sites together. Default 16. */
  readonly connections?: number;
  /** Most open visits; a visit to a resting site needs no connection. Default 8 per connection. */
  readonly visitsAtOnce?: number;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Waits. Default: real time. */
  readonly delay?: Timing["delay"];
  /** From 0 to 1. Default: `Math.random`. */
  readonly random?: () => number;
  /** Addresses of a host, as text. Default: the system's resolver is asked. */
  readonly addressesOf?: CreatePolitenessOptions["addressesOf"];
  /** Stops in order: pages under way are kept, and no more are requested. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: CrawlEvent) => void;
  readonly onVisit?: (visit: FollowedVisit) => void;
  /**
   * Called with each decision from the inbox while sites are followed for ever, such as one of `tidemark sites
   * --pause`.
   */
  readonly onDecision?: (told: FollowDecision) => void;
  /**
   * Whether pages are requested that neither a list of their site nor an event of another crawler names, if the site
   * publishes no changes. Default true.
   */
  readonly isPolled?: boolean;
  /** Any number, if other crawlers tell of their polls; see `CrawlSiteOptions`. */
  readonly sharingSeed?: number;
  /**
   * Runs beside the visits with the store that they use, such as what merges events of other crawlers. Whoever follows
   * waits for its end after the signal; what it throws ends the visits.
   */
  readonly companion?: (means: CompanionMeans) => Promise<void>;
  /** Called every second or so with the follower's status, while sites are followed for ever. */
  readonly onStatus?: (status: FollowStatus) => void;
}

/** Result of a file in the inbox: a decision for one site that is in force from now on, or why it was refused. */
export type FollowDecision =
  | { readonly site: string; readonly isPaused?: boolean; readonly priority?: number; readonly isDue?: true }
  | { readonly refused: string };

const defaultConnections = 16;
const visitsPerConnection = 8;

/** Dependencies besides the clock; only simulations differ from {@link followSites}. */
export interface FollowMeans extends Pick<VisitMeans, "createFetcher"> {
  readonly store: Store;
}

class Following {
  readonly #options: FollowSitesOptions;
  readonly #createFetcher: VisitMeans["createFetcher"];
  readonly #store: Store;
  readonly #timing: Timing;
  readonly #politeness: Politeness;
  readonly #scheduler = new SiteScheduler();
  readonly #metrics: FollowMetrics;
  readonly #sites: FollowedSites;
  readonly #follower: SiteFollower;
  readonly #leftPolls = new LeftPolls();
  readonly #stop = new AbortController();

  constructor(options: FollowSitesOptions, { store, createFetcher }: FollowMeans) {
    const { random = Math.random, addressesOf, isForever = true } = options;
    const { connections = defaultConnections, visitsAtOnce = connections * visitsPerConnection } = options;
    const timing = realTiming(options.clock, options.delay);
    const { now, delay } = timing;
    const scheduler = this.#scheduler;
    this.#options = options;
    this.#store = store;
    this.#createFetcher = createFetcher;
    this.#timing = timing;
    this.#metrics = new FollowMetrics(scheduler, now, connections);
    this.#sites = new FollowedSites(scheduler, store.plans, { now, isForever, metrics: this.#metrics });
    const { politenessBySite: ofSites } = this.#sites;
    this.#politeness = createPoliteness({ clock: now, delay, random, addressesOf, connections, ofSites });
    this.#follower = new SiteFollower({
      ...{ timing, random, scheduler, plans: store.plans, sites: this.#sites, visitsAtOnce, isForever },
      visit: (site, visit) => this.#visit(site, visit),
      onVisit: (site, end, plan) => this.#tell(site, end, plan),
    });
  }

  async run(): Promise<FollowSummary> {
    const { sites, signal, isForever = true } = this.#options;
    const stop = (): void => this.#stop.abort();
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
    let failure: { readonly error: unknown } | undefined;
    const inbox = isForever ? this.#makeControlInbox() : undefined;
    const fail = (error: unknown): void => {
      failure ??= { error };
      stop();
    };
    let companion: Promise<void> | undefined;
    const lists = Symbol.asyncIterator in sites ? sites[Symbol.asyncIterator]() : [sites].values();
    try {
      const first = await lists.next();
      if (first.done !== true) this.#take(first.value);
      inbox?.open();
      if (isForever && first.done !== true) void this.#takeLists(lists).catch(fail);
      companion = this.#options.companion?.(this.#companionMeans()).catch(fail);
      await this.#follower.run(this.#stop.signal);
    } finally {
      void lists.return?.();
      signal?.removeEventListener("abort", stop);
      // Lists are no longer read.
      stop();
      inbox?.close();
      await companion;
    }
    if (failure !== undefined) throw failure.error;
    const { visits, failedVisits } = this.#metrics;
    return { visits, failedVisits };
  }

  #take(list: readonly FollowedSite[]): void {
    this.#sites.set(list);
    const { isForever = true, into } = this.#options;
    if (isForever) writeFollowedList(into, this.#sites.listed());
  }

  #companionMeans(): CompanionMeans {
    const expedite = (origin: string): void => {
      if (!this.#sites.has(origin)) return;
      const plan = (this.#store.plans.read(origin) as VisitPlan | undefined) ?? unvisited;
      const at = earliestVisitOf(plan, this.#sites.boundsOf(origin));
      if (at === undefined) return;
      this.#scheduler.expedite(origin, Math.max(this.#timing.now(), at));
      this.#follower.notice();
    };
    return {
      peers: this.#store.peers,
      claims: this.#store.claims,
      expedite,
      timing: this.#timing,
      signal: this.#stop.signal,
    };
  }

  #makeControlInbox(): ControlInbox {
    const { into, onDecision, onStatus } = this.#options;
    return new ControlInbox({
      into,
      onStatus,
      metrics: this.#metrics,
      isFollowed: (site) => this.#sites.has(site),
      decide: (decision) => {
        const { site, isDue, ...rest } = decision;
        this.#store.plans.decide(site, isDue ? { ...rest, at: this.#timing.now() } : rest);
        this.#sites.apply(decision);
        this.#follower.notice();
      },
      onOutcome: (outcome) =>
        onDecision?.(outcome.kind === "decided" ? outcome.decision : { refused: outcome.message }),
    });
  }

  async #takeLists(lists: AsyncIterator<readonly FollowedSite[]> | Iterator<readonly FollowedSite[]>): Promise<void> {
    for (let list = await lists.next(); list.done !== true; ) {
      if (this.#stop.signal.aborted) return;
      try {
        this.#take(list.value);
      } catch (error) {
        // Who gives lists may go on after one that is refused; the one before it stays in force.
        if (!(error instanceof TidemarkError) || lists.throw === undefined) throw error;
        list = await lists.throw(error);
        continue;
      }
      this.#follower.notice();
      list = await lists.next();
    }
  }

  async #visit(site: string, { mayGoOn, halt }: OpenVisit): Promise<VisitEnd> {
    const options = this.#sites.optionsOf(site);
    const { now: clock, delay } = this.#timing;
    const onEvent = (event: CrawlEvent): void => {
      this.#metrics.note(event);
      this.#options.onEvent?.(event);
    };
    const onOutcome = (origin: string, outcome: FetchOutcome): void => this.#metrics.count(origin, outcome);
    this.#metrics.begin(site);
    let isSliceOver = false;
    const mayStill = (): boolean => {
      isSliceOver ||= !mayGoOn();
      return !isSliceOver;
    };
    try {
      const createFetcher = this.#createFetcher;
      const means = { store: this.#store, politeness: this.#politeness, clock, delay, createFetcher, onOutcome };
      // Otherwise a followed site that publishes no changes would have all its pages requested at each visit.
      const { isForever = true, isPolled, sharingSeed } = this.#options;
      const planned = { ...(isForever ? { isPlanned: true } : {}), ...omitUndefined({ isPolled, sharingSeed }) };
      const mustEnd = (): boolean => halt.aborted && isHaltOver(halt.reason, clock(), options.timeoutMs);
      const visit = {
        ...planned,
        ...options,
        origin: site,
        mayGoOn: mayStill,
        mustEnd,
        halt,
        onEvent,
        leftPolls: this.#leftPolls,
      };
      const result = await visitInStore(means, visit);
      return { kind: "done", result, isCutShort: isSliceOver || result.summary.isCutShort === true };
    } catch (error) {
      return failedVisitOf(error, site);
    }
  }

  #tell(site: string, end: VisitEnd, plan: VisitPlan): void {
    this.#metrics.end(site, end, plan);
    this.#options.onVisit?.({
      site,
      ...(end.kind === "done" ? { summary: end.result.summary } : { error: end.error }),
      nextAt: plan.at,
      open: this.#scheduler.underWay,
      due: this.#scheduler.countDue(this.#timing.now()),
      sites: this.#scheduler.size,
    });
  }
}

/**
 * Follows many sites of one store, several at a time. Visits each when its next publication is expected or its pages
 * are due, and plans the next visit from what it found. Ends with the signal, after the pages under way; or, unless
 * sites are followed for ever, once each was visited.
 *
 * A failed visit is reported to `onVisit` and retried with growing delays; it does not delay other sites. The process
 * can be killed at any time and run again.
 *
 * @throws TidemarkError `bad-option`, `locked`, `disk-full`, `no-permission`, `read-only`, `state-corrupt`,
 *   `state-version`, `io`; what `sites` or a callback of `keep` throws, as it is
 * @example
 * await followSites({ sites: urls.map((url) => ({ url })), into: "mirrors", signal: stop.signal });
 */
export async function followSites(options: FollowSitesOptions): Promise<FollowSummary> {
  const { into, stateFile } = options;
  checkCounts(options);
  using store = openStore({ into, ...omitUndefined({ stateFile }) });
  return await followSitesBy({ store }, options);
}

function checkCounts({ connections, visitsAtOnce }: FollowSitesOptions): void {
  for (const [name, value] of Object.entries({ connections, visitsAtOnce })) {
    if (value === undefined || (Number.isInteger(value) && value > 0)) continue;
    throw new TidemarkError("bad-option", `${name} must be a whole number from 1 on, not ${value}.`);
  }
}

/**
 * Like {@link followSites}, with an open store that stays open and requests answered by the caller: the production loop
 * in virtual time, or with a web in memory. `into` and `stateFile` are not used.
 *
 * @throws as {@link followSites}
 */
export async function followSitesBy(means: FollowMeans, options: FollowSitesOptions): Promise<FollowSummary> {
  checkCounts(options);
  return await new Following(options, means).run();
}
