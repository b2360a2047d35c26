import { omitUndefined, TidemarkError, type VisitPlan, wrapSystemError } from "../../core/index.ts";
import { TakerFailure } from "../../storage/index.ts";
import { checkVisitOptions, visitInStore } from "../crawl-site.ts";
import type { CrawlSiteOptions, FollowedSite } from "../crawl-site-options.ts";
import { planNextVisit, unvisited, type VisitEnd } from "../engine/visit-plan.ts";
import { parseCrawlAddress } from "../site-address.ts";
import { isFailedVisit } from "../visit-cost.ts";
import {
  countsOf,
  fetcherOf,
  keepOf,
  type LeasedMeans,
  type LeasedSite,
  type LeasedVisit,
  type LeasedVisitor,
} from "./leased-visit.ts";

const defaultPriority = 5;
/** A site whose host has no address is tried again after so long. */
const unresolvedMs = 600_000;
const ours: ReadonlySet<string> = new Set(["disk-full", "no-permission", "read-only", "io", "state-corrupt"]);

/** Visits the leased sites of a list, each by its best source, as a crawl of the list by itself does. */
export class LeasedList implements LeasedVisitor {
  readonly waits = false;
  readonly #means: LeasedMeans;
  readonly #sites = new Map<string, FollowedSite>();
  readonly #othersOf: (url: string) => Promise<FollowedSite>;
  readonly #onEvent: CrawlSiteOptions["onEvent"];

  /**
   * @param othersOf - how a site is visited that is not on the list, but in the fleet
   * @throws TidemarkError `bad-option`
   */
  constructor(
    sites: readonly FollowedSite[],
    othersOf: (url: string) => Promise<FollowedSite>,
    means: LeasedMeans,
    onEvent: CrawlSiteOptions["onEvent"],
  ) {
    this.#means = means;
    this.#othersOf = othersOf;
    this.#onEvent = onEvent;
    for (const site of sites) {
      checkVisitOptions(site);
      const { origin } = parseCrawlAddress(site.url, undefined);
      if (!this.#sites.has(origin)) this.#sites.set(origin, site);
    }
  }

  get first(): LeasedVisitor["first"] {
    return Array.from(this.#sites, ([origin, { priority = defaultPriority }]) => ({ origin, note: "", priority }));
  }

  forget(): void {}

  postpone(_: string, address: string | undefined | null): number | undefined {
    return typeof address === "string" ? undefined : unresolvedMs;
  }

  async visit(leased: LeasedSite): Promise<LeasedVisit> {
    const { origin, store, objects, mayGoOn, mustEnd, halt } = leased;
    const { timing, random, politeness } = this.#means;
    const options = this.#sites.get(origin) ?? (await this.#othersOf(`${origin}/`));
    const beganAt = timing.now();
    const {
      minIntervalMs: leastMs,
      maxIntervalMs: mostMs,
      priority = defaultPriority,
      politeness: _,
      ...site
    } = options;
    let isCutShort = false;
    const visiting = visitInStore(
      {
        ...{ store, politeness, clock: timing.now, delay: timing.delay },
        createFetcher: fetcherOf(leased, this.#means),
      },
      {
        ...{ isPlanned: true, ...site, origin, mustEnd, halt, keep: keepOf(leased), objects },
        mayGoOn: () => {
          isCutShort ||= !mayGoOn();
          return !isCutShort;
        },
        ...omitUndefined({ onEvent: this.#onEvent }),
      },
    );
    const end = await visiting.then(
      (result): VisitEnd => ({ kind: "done", result, isCutShort: isCutShort || result.summary.isCutShort === true }),
      (error: unknown): VisitEnd => {
        if (error instanceof TakerFailure) throw error.cause;
        const known = wrapSystemError(error, `crawl ${origin}/`, { site: origin });
        if (!(known instanceof TidemarkError) || ours.has(known.code)) throw known;
        return { kind: "failed", error: known, isOurs: false };
      },
    );
    const planning = { bounds: omitUndefined({ leastMs, mostMs }), beganAt, now: timing.now(), random: random() };
    const plan = planNextVisit((store.plans.read(origin) as VisitPlan | undefined) ?? unvisited, end, planning);
    store.plans.write(origin, plan);
    const outcome =
      end.kind === "done"
        ? { counts: countsOf(end.result.summary), isFailed: isFailedVisit(end.result.summary) }
        : { counts: undefined, isFailed: true, error: end.error };
    return { ...outcome, nextAt: plan.at, priority };
  }
}
