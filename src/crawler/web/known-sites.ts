import { type EpochMs, grow, omitUndefined, type SourceName, type Timing, type VisitPlan } from "../../core/index.ts";
import type { Store } from "../../storage/index.ts";
import { pollPolicy } from "../engine/revisit/poll-policy.ts";
import { planNextVisit, unvisited, type VisitEnd } from "../engine/visit-plan.ts";
import type { VisitResult } from "../engine/visit-site.ts";
import { SiteScheduler } from "../follow/site-scheduler.ts";
import { AddressLines } from "./address-lines.ts";
import { KnownRates } from "./known-rates.ts";
import { RequestShares } from "./new-share.ts";
import { type PollAllowance, type PollLoad, PollPace } from "./poll-pace.ts";
import type { CrawlWebOptions } from "./web-options.ts";
import { type Found, seedFound } from "./web-scope.ts";

/** A site that is visited or resting is looked at again after so long. */
const againMs = 1000;
/** Visits that are later than this are more than the crawl gets done. */
const lateMs = 600_000;

/** When a site is visited next, and how the crawl came to it. */
interface WebPlan extends VisitPlan {
  readonly found?: Found;
  /** How often its pages change, if they are polled. */
  readonly bucket?: number;
  /** Whether it was last visited by its sitemap. */
  readonly isListed?: boolean;
  /** Pages that were known at the end of the last visit. */
  readonly pages?: number;
  /** What it may poll where not all that is due can be. */
  readonly allowance?: PollAllowance;
}

interface KnownSitesMeans {
  readonly plans: Pick<Store["plans"], "read" | "write" | "all">;
  readonly timing: Timing;
  /** From 0 to 1. */
  readonly random: () => number;
  /** The number of a site of this crawl. */
  readonly siteOf: (origin: string) => number | undefined;
  /** Pages that links led to, of a site that was not visited yet. */
  readonly pagesOf: (site: number) => number;
  readonly restsUntil: (origin: string) => EpochMs;
  /** Where a site is: sites at one address are visited one after the other. Never rejects. */
  readonly addressOf: (origin: string) => Promise<string | undefined>;
  readonly addressRestsUntil: (address: string) => EpochMs;
}

/** Notes a site that has answered and how it was found, to be visited from now on; nothing if it is noted. */
export function noteSite(
  { plans, timing }: Pick<KnownSitesMeans, "plans" | "timing">,
  origin: string,
  found: Found,
): void {
  if (plans.read(origin) !== undefined) return;
  const plan: WebPlan = { ...unvisited, at: timing.now(), found };
  plans.write(origin, plan);
}

/** A visit to a known site that is to be made. */
export interface KnownVisit {
  readonly origin: string;
  /** How the site was found. */
  readonly found: Found;
  /** Page requests that it may make; undefined for all that are due. */
  readonly budget: number | undefined;
}

/**
 * Sources that known sites are visited by. Archives and lists name pages without the way to them: where that or their number is bounded,
 * only pages that links led to are visited again.
 */
export function sourcesOf({ maxDepth, maxPages, maxTotal }: CrawlWebOptions): readonly SourceName[] {
  const isBounded = (maxDepth ?? maxPages ?? maxTotal) !== undefined;
  return isBounded ? ["links"] : ["archives", "resourcesync", "sitemap", "links"];
}

/**
 * The sites that have answered, each with the time of its next visit: the queue of known pages of Edwards et al. beside that of new
 * ones. Times are kept with the state. Memory: some 250 bytes a site.
 *
 * @see J. Edwards, K. McCurley, J. Tomlin, An Adaptive Model for Optimizing Performance of an Incremental Web Crawler, WWW10 2001, section 3
 */
export class KnownSites {
  readonly #options: CrawlWebOptions;
  readonly #means: KnownSitesMeans;
  readonly #scheduler = new SiteScheduler();
  readonly #underWay = new Set<string>();
  readonly #lines = new AddressLines();
  readonly #rates: KnownRates;
  readonly #pace: PollPace;
  /** Known pages by the number of a site; 0 before its first visit. */
  #pages = new Uint32Array(0);
  readonly shares: RequestShares;

  constructor(options: CrawlWebOptions, means: KnownSitesMeans) {
    this.#options = options;
    this.#means = means;
    const now = means.timing.now();
    this.#rates = new KnownRates(means.random);
    this.shares = new RequestShares(options.newShare, () => this.#rates.count(this.#pagesOf), now);
    const load = (): PollLoad => ({
      known: this.#rates.count(this.#pagesOf),
      isLate: this.#scheduler.latenessAt(means.timing.now()) > lateMs,
    });
    this.#pace = new PollPace(load, now);
    for (const { origin, at = now } of means.plans.all()) {
      const site = means.siteOf(origin);
      if (site === undefined) continue;
      const { bucket, pages, lookedAt, allowance } = (means.plans.read(origin) ?? unvisited) as WebPlan;
      // It was planned by a clock that was set back since, or may have been.
      const isAhead = Math.max(lookedAt, allowance?.at ?? 0) > now;
      this.#scheduler.add(origin, isAhead ? now : Math.min(at, now + pollPolicy.maxIntervalSeconds * 1000));
      if (bucket !== undefined) this.#rates.add(site, bucket);
      if (pages !== undefined) this.#notePages(site, pages);
    }
  }

  readonly #pagesOf = (site: number): number => this.#pages[site] || this.#means.pagesOf(site);

  #notePages(site: number, pages: number): void {
    this.#pages = grow(this.#pages, site + 1);
    this.#pages[site] = pages;
  }

  get size(): number {
    return this.#scheduler.size;
  }

  /** Visits under way. */
  get open(): number {
    return this.#underWay.size;
  }

  /** When the next visit is due. */
  get nextAt(): EpochMs {
    return this.#scheduler.nextAt;
  }

  isVisited(origin: string): boolean {
    return this.#underWay.has(origin);
  }

  has(origin: string): boolean {
    return this.#scheduler.has(origin);
  }

  /** A site answered for the first time: its best source is looked for at once. */
  enter(origin: string): void {
    this.#scheduler.add(origin, this.#means.timing.now());
  }

  /** Begins the visit that is due; one of a site that rests or has a turn comes later. */
  next(hasTurn: (origin: string) => boolean): KnownVisit | undefined {
    const { timing, plans, restsUntil } = this.#means;
    for (;;) {
      const now = timing.now();
      const origin = this.#scheduler.next(now);
      if (origin === undefined) return undefined;
      const freeAt = hasTurn(origin) ? now + againMs : restsUntil(origin);
      if (freeAt > now) {
        this.#scheduler.giveBack(origin, freeAt);
        this.#leaveLine(origin);
        continue;
      }
      this.#underWay.add(origin);
      const plan = (plans.read(origin) ?? unvisited) as WebPlan;
      const { polls } = this.#allowanceOf(origin, plan, now) ?? {};
      return { origin, found: plan.found ?? seedFound, budget: polls === undefined ? undefined : Math.floor(polls) };
    }
  }

  /**
   * Makes a visit that {@link next} began, and plans the next one. If another site at its address is visited, or the address rests, it
   * is begun again once the address is free.
   *
   * @returns what it came to; undefined if it failed, or was not made
   */
  async visit(origin: string, act: () => Promise<VisitEnd>): Promise<VisitResult | undefined> {
    const address = this.#lines.addressOf(origin) ?? (await this.#means.addressOf(origin));
    if (address === undefined) return await this.#make(origin, act);
    const isFirst = this.#lines.enter(origin, address);
    const freeAt = this.#means.addressRestsUntil(address);
    if (isFirst && freeAt <= this.#means.timing.now())
      return await this.#make(origin, act).finally(() => this.#leaveLine(origin));
    this.#underWay.delete(origin);
    if (isFirst) this.#scheduler.giveBack(origin, freeAt);
    return undefined;
  }

  /** The next site at its address is visited once that is free. */
  #leaveLine(origin: string): void {
    const address = this.#lines.addressOf(origin);
    const next = this.#lines.leave(origin);
    if (address === undefined || next === undefined) return;
    this.#scheduler.giveBack(next, Math.max(this.#means.timing.now(), this.#means.addressRestsUntil(address)));
  }

  async #make(origin: string, act: () => Promise<VisitEnd>): Promise<VisitResult | undefined> {
    const { timing, plans, random } = this.#means;
    const beganAt = timing.now();
    let at = beganAt + againMs;
    try {
      const end = await act();
      const { minIntervalMs: leastMs, maxIntervalMs: mostMs } = this.#options;
      const planning = { bounds: omitUndefined({ leastMs, mostMs }), beganAt, now: timing.now(), random: random() };
      const before = (plans.read(origin) ?? unvisited) as WebPlan;
      const bucket = end.kind === "done" ? this.#noteChanges(origin, end.result) : undefined;
      const { allowance: _, ...planned }: WebPlan = planNextVisit(before, end, planning);
      const plan = this.#restrict(origin, { ...planned, ...omitUndefined({ bucket }) }, before, end, beganAt);
      plans.write(origin, plan);
      at = plan.at;
      return end.kind === "done" ? end.result : undefined;
    } finally {
      this.#underWay.delete(origin);
      this.#scheduler.giveBack(origin, at);
    }
  }

  /** What a site may poll; undefined if its archives or change lists tell what changed. */
  #allowanceOf(origin: string, plan: WebPlan, now: EpochMs): PollAllowance | undefined {
    const { bucket, isListed, allowance } = plan;
    const site = this.#means.siteOf(origin);
    if (site === undefined || (bucket === undefined && isListed !== true)) return undefined;
    return this.#pace.allowanceOf(allowance, { pages: this.#pagesOf(site), isListed: isListed === true }, now);
  }

  /** Counts the polls of a visit, and puts off the next one until the site may poll again. */
  #restrict(origin: string, planned: WebPlan, before: WebPlan, end: VisitEnd, beganAt: EpochMs): WebPlan {
    const site = this.#means.siteOf(origin);
    if (site === undefined) return planned;
    // Nothing was learned of the site: it has no more polls than before.
    const unchanged = { ...planned, ...omitUndefined({ allowance: before.allowance, isListed: before.isListed }) };
    if (end.kind !== "done") return unchanged;
    const { source, pageRequests, pending } = end.result.summary;
    if (source === "none") return unchanged;
    const pages = end.result.held + pending;
    this.#notePages(site, pages);
    const plan = { ...planned, pages, isListed: source === "sitemap" };
    const allowed = this.#allowanceOf(origin, { ...plan, ...omitUndefined({ allowance: before.allowance }) }, beganAt);
    if (source === "links") this.#pace.count(pageRequests, this.#means.timing.now());
    if (allowed === undefined || (source !== "links" && source !== "sitemap")) return plan;
    const allowance = { polls: Math.max(0, allowed.polls - pageRequests), at: beganAt };
    const readyAt = this.#pace.readyAt(allowance, { pages: this.#pagesOf(site), isListed: plan.isListed });
    return { ...plan, allowance, at: end.isCutShort && allowance.polls >= 1 ? plan.at : Math.max(plan.at, readyAt) };
  }

  /** Notes what polls saw: pages that a list or an archive tells of cost little besides what changed. */
  #noteChanges(origin: string, { summary, polls }: VisitResult): number | undefined {
    const site = this.#means.siteOf(origin);
    if (site === undefined || summary.source !== "links") return undefined;
    const { polled, changed, seconds } = polls;
    if (polled === 0) return this.#rates.bucketOf(site);
    // Not since the visit before: of a large site, each polls a few pages.
    return this.#rates.note(site, { polled, changed, intervalSeconds: seconds / polled });
  }
}
