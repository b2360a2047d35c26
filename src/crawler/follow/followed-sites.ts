import { type Clock, omitUndefined, TidemarkError } from "../../core/index.ts";
import type { PlannedSite, Store } from "../../storage/index.ts";
import { areIntervalsInOrder } from "../crawl-settings.ts";
import { checkVisitOptions } from "../crawl-site.ts";
import type { FollowedSite } from "../crawl-site-options.ts";
import type { PolitenessOptions } from "../engine/politeness/politeness-options.ts";
import { parseSiteAddress } from "../site-address.ts";
import type { SiteDecision } from "./decision-inbox.ts";
import type { FollowMetrics } from "./follow-metrics.ts";
import type { Listing } from "./list-sites.ts";
import { defaultPriority, highestPriority, type SiteScheduler } from "./site-scheduler.ts";

const dayMs = 24 * 3_600_000;

function checkSite(site: FollowedSite): string {
  const origin = parseSiteAddress(site.url, undefined);
  checkVisitOptions(site);
  const { priority } = site;
  if (!areIntervalsInOrder(site))
    throw new TidemarkError("bad-option", `minIntervalMs of ${origin} must be no more than maxIntervalMs.`);
  if (priority !== undefined && !(priority >= 0 && priority <= highestPriority))
    throw new TidemarkError(
      "bad-option",
      `priority of ${origin} must be from 0 to ${highestPriority}, not ${priority}.`,
    );
  return origin;
}

/** Whether what is to be asked for is another list; one that can only be read once is the same. */
function hasOtherUrls({ urls: a }: FollowedSite, { urls: b }: FollowedSite): boolean {
  if (a === b) return false;
  if (!Array.isArray(a) || !Array.isArray(b)) return a === undefined || b === undefined;
  return a.length !== b.length || a.some((url, at) => url !== b[at]);
}

/** The followed sites as listed now, and their entries in the scheduler. */
export class FollowedSites {
  readonly #scheduler: SiteScheduler;
  readonly #plans: Store["plans"];
  readonly #now: Clock;
  readonly #isForever: boolean;
  readonly #metrics: FollowMetrics;
  readonly #listed = new Map<string, FollowedSite>();
  /** Politeness options of the sites that have their own; changes with the list. */
  readonly politenessBySite: Map<string, PolitenessOptions> = new Map();

  /** @param isForever - if false, each site is visited once, whenever it was visited before */
  constructor(
    scheduler: SiteScheduler,
    plans: Store["plans"],
    means: { readonly now: Clock; readonly isForever: boolean; readonly metrics: FollowMetrics },
  ) {
    const { now, isForever, metrics } = means;
    this.#metrics = metrics;
    this.#scheduler = scheduler;
    this.#plans = plans;
    this.#now = now;
    this.#isForever = isForever;
  }

  /**
   * Replaces the list. A site that was listed with other URLs to request is visited at once.
   *
   * @throws TidemarkError `bad-option`; the previous list stays in force
   */
  set(sites: readonly FollowedSite[]): void {
    const wanted = new Map<string, FollowedSite>();
    for (const listed of sites) {
      const { lookLeastMs: minIntervalMs, lookMostMs: maxIntervalMs } = listed;
      const site = { ...omitUndefined({ minIntervalMs, maxIntervalMs }), ...listed };
      const origin = checkSite(site);
      if (!wanted.has(origin)) wanted.set(origin, site);
    }
    const known = new Map(this.#plans.all().map((planned) => [planned.origin, planned]));
    for (const origin of [...this.#listed.keys()]) {
      if (wanted.has(origin)) continue;
      this.#listed.delete(origin);
      this.politenessBySite.delete(origin);
      this.#scheduler.remove(origin);
      this.#metrics.leave(origin);
    }
    for (const [origin, site] of wanted) {
      const before = this.#listed.get(origin);
      this.#listed.set(origin, site);
      if (site.politeness === undefined) this.politenessBySite.delete(origin);
      else this.politenessBySite.set(origin, site.politeness);
      this.#enter(origin, site, known.get(origin), before === undefined);
      if (before !== undefined && hasOtherUrls(before, site)) this.#scheduler.expedite(origin, this.#now());
    }
  }

  has(origin: string): boolean {
    return this.#listed.has(origin);
  }

  /** The sites as listed, without decisions. */
  *listed(): Generator<Listing, void, void> {
    for (const [site, { priority = defaultPriority }] of this.#listed) yield { site, priority };
  }

  /** Applies a decision that is already stored. */
  apply({ site, isPaused, priority, isDue }: SiteDecision): void {
    if (priority !== undefined) this.#scheduler.setPriority(site, priority);
    if (isPaused !== undefined) this.#scheduler.setPaused(site, isPaused);
    if (isDue === true) this.#scheduler.expedite(site, this.#now());
  }

  optionsOf(origin: string): FollowedSite {
    return this.#listed.get(origin) ?? { url: `${origin}/` };
  }

  boundsOf(origin: string): { readonly leastMs?: number; readonly mostMs?: number } {
    const { minIntervalMs: leastMs, maxIntervalMs: mostMs } = this.optionsOf(origin);
    return omitUndefined({ leastMs, mostMs });
  }

  /** Whether a site is visited sooner if more of its pages wait. */
  isByLength(origin: string): boolean {
    return this.optionsOf(origin).order === "length";
  }

  #enter(origin: string, site: FollowedSite, planned: PlannedSite | undefined, isNew: boolean): void {
    // Decisions take precedence over the list.
    const priority = planned?.priority ?? site.priority ?? defaultPriority;
    const isPaused = planned?.isPaused ?? false;
    // The bounds may have changed since it was planned.
    const notAfter = this.#now() + Math.max(site.minIntervalMs ?? 0, site.maxIntervalMs ?? dayMs);
    if (!isNew) {
      this.#scheduler.setPriority(origin, priority);
      // After a visit that is under way, the next one is planned by the new bounds anyway.
      if (this.#scheduler.entryOf(origin)?.at !== undefined) this.#scheduler.expedite(origin, notAfter);
      return;
    }
    this.#metrics.enter(origin, { failures: planned?.failures ?? 0, lookedAt: planned?.lookedAt ?? 0 });
    const now = this.#now();
    if (!this.#isForever) {
      if (!isPaused) this.#scheduler.add(origin, now, priority);
      return;
    }
    this.#scheduler.add(origin, Math.min(planned?.at ?? now, notAfter), priority);
    if (isPaused) this.#scheduler.setPaused(origin, true);
  }
}
