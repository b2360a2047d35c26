import {
  type EpochMs,
  type FoundUrl,
  omitUndefined,
  type TrackedUrl,
  type UrlList,
  type VisitPlan,
} from "../../core/index.ts";
import { namedTypes, specialUseOf } from "../../http/index.ts";
import { patienceVisits } from "../engine/politeness/patient-request.ts";
import { unvisited } from "../engine/visit-plan.ts";
import { parseSeed } from "../web/seeds.ts";
import type { CrawlWebOptions } from "../web/web-options.ts";
import { type Found, formatFound, parseFound, seedFound, WebScope } from "../web/web-scope.ts";
import { type WebVisit, WebVisits } from "../web/web-visits.ts";
import {
  addCounts,
  fetcherOf,
  keepOf,
  type LeasedCounts,
  type LeasedMeans,
  type LeasedSite,
  type LeasedVisit,
  type LeasedVisitor,
  type WaitingUrl,
} from "./leased-visit.ts";

const defaultPagesPerTurn = 10;
const defaultRetryMs = 30_000;
/** After so many failures in a row a site is left alone until links lead to it anew. */
const maxFailures = 3;
/** A site that may be asked further is not given back before: to give it back and to take it again costs more than to request some pages. */
const stayMs = 5000;
/** Pages that were ever answered are not requested again. */
const since = 1;

/**
 * Visits leased sites of a crawl of the Web: some pages a visit, those that were found first before others. URLs of the site itself wait in
 * its state, those of other sites are handed over. Bounds of sites and domains hold for each process by itself.
 */
export class LeasedWeb implements LeasedVisitor {
  readonly waits = true;
  readonly first: LeasedVisitor["first"];
  readonly #options: CrawlWebOptions;
  readonly #means: LeasedMeans;
  readonly #scope: WebScope;
  /** Sites that this process knows, those of its seeds included. */
  readonly #known = new Set<string>();
  readonly #seeds: ReadonlySet<string>;
  /** Known pages of the sites that are being visited. */
  readonly #pages = new Map<string, number>();

  /** @throws TidemarkError `bad-option` */
  constructor(options: CrawlWebOptions, means: LeasedMeans) {
    const seeds = options.seeds.map(parseSeed);
    this.#options = { ...options, seeds };
    this.#means = means;
    const { filter } = this.#visitsOf(undefined);
    this.#scope = new WebScope(
      options,
      { filter, mediaTypes: namedTypes, now: means.timing.now() },
      {
        has: (origin) => this.#known.has(origin),
        count: () => this.#known.size,
        addressOf: () => undefined,
        pagesOf: (origin) => this.#pages.get(origin) ?? 0,
      },
    );
    this.#seeds = new Set(seeds.map((url) => new URL(url).origin));
    this.first = seeds.map((url) => {
      const { origin, pathname, search } = new URL(url);
      this.#known.add(origin);
      return { origin, path: pathname + search, note: formatFound(seedFound), priority: priorityOf(seedFound) };
    });
  }

  postpone(origin: string, address: string | undefined | null, attempts: number): number | undefined {
    const { allowPrivate, retryMs = defaultRetryMs } = this.#options;
    if (typeof address !== "string") {
      this.#warn(origin, address === null ? "its host has no address" : "its host could not be looked up");
      return address === undefined && attempts < maxFailures ? retryMs * 4 ** (attempts - 1) : Infinity;
    }
    const mayBePrivate = allowPrivate === true || this.#seeds.has(origin);
    return mayBePrivate || specialUseOf(address) === undefined ? undefined : Infinity;
  }

  forget(): void {
    this.#scope.forgetRecent();
  }

  async visit(site: LeasedSite): Promise<LeasedVisit> {
    const { origin } = site;
    const foundAs = parseFound(site.note);
    let urls: UrlList | undefined;
    let isLeft = false;
    let isAway = false;
    this.#known.add(origin);
    const visits = this.#visitsOf(site, (targets, from, steps = 1) => {
      const own = new Map<string, FoundUrl>();
      for (const target of targets) {
        const page = this.#scope.admit(target, from, steps);
        if (page === undefined) continue;
        const path = page.url.slice(page.origin.length);
        if (page.origin === origin) {
          // At once: the next link of the same page may be one too many.
          if (!own.has(path)) this.#countPage(origin, path, urls);
          own.set(path, { path, depth: page.found.inSite, lastmod: undefined });
        } else {
          this.#known.add(page.origin);
          const { origin: elsewhere, found } = page;
          site.takeFound({ origin: elsewhere, path, note: formatFound(found), priority: priorityOf(found) });
        }
      }
      if (own.size > 0) urls?.note([...own.values()], 0);
    });
    const takeTurn = (handed: readonly WaitingUrl[]): Promise<WebVisit> =>
      visits.visit(
        origin,
        (opened) => {
          urls = opened;
          urls.note(
            this.#admitHanded(origin, handed, urls).map(({ path, note }) => ({
              ...{ path, depth: parseFound(note).inSite, lastmod: undefined },
            })),
            0,
          );
          return this.#choose(urls, foundAs);
        },
        (closing) => {
          isLeft = closing.take("new", since, undefined, 1).length > 0;
          isAway = closing.takeAway("polled", Number.MAX_SAFE_INTEGER, 1).some(mayComeBack);
        },
      );
    const { timing, politeness } = this.#means;
    const stayUntil = timing.now() + stayMs;
    const mayStay = (): boolean =>
      isLeft && site.mayGoOn() && timing.now() < stayUntil && politeness.restsUntil(origin) <= timing.now();
    let turn: WebVisit;
    let counts: LeasedCounts | undefined;
    try {
      let { handed } = site;
      do {
        turn = await takeTurn(handed);
        counts = addCounts(counts, turn.tally);
        handed = [];
      } while (turn.whyUnreachable === undefined && !turn.tally.isPostponed && mayStay());
    } finally {
      this.#pages.delete(origin);
    }
    const whyUnreachable = isUnasked(turn) ? undefined : turn.whyUnreachable;
    const nextAt = this.#plan(site, turn, { isLeft, isAway });
    if (whyUnreachable !== undefined && !site.halt.aborted) this.#warn(origin, whyUnreachable);
    return { counts, isFailed: false, nextAt, priority: priorityOf(foundAs) };
  }

  #warn(site: string, message: string): void {
    this.#options.onEvent?.({ event: "warning", site, code: "site-unreachable", message });
  }

  /** URLs that a site may have beside its pages. To count those takes as long as it has pages. */
  #admitHanded(origin: string, handed: readonly WaitingUrl[], urls: UrlList): readonly WaitingUrl[] {
    const { maxPages } = this.#options;
    if (maxPages === undefined) return handed;
    this.#pages.set(origin, urls.counts().known);
    return handed.filter(({ path }) => {
      const isAdmitted = (this.#pages.get(origin) ?? 0) < maxPages || urls.find(path) !== undefined;
      if (isAdmitted) this.#countPage(origin, path, urls);
      return isAdmitted;
    });
  }

  /** Counts a page that is added to those of its site, unless it is one of them. */
  #countPage(origin: string, path: string, urls: UrlList | undefined): void {
    if (this.#options.maxPages === undefined || urls?.find(path) !== undefined) return;
    this.#pages.set(origin, (this.#pages.get(origin) ?? 0) + 1);
  }

  #visitsOf(
    site: LeasedSite | undefined,
    addFound: ConstructorParameters<typeof WebVisits>[1]["addFound"] = () => undefined,
  ): WebVisits {
    const { hosts, politeness, timing } = this.#means;
    const { signal: _, ...options } = this.#options;
    return new WebVisits(
      { ...options, ...omitUndefined({ signal: site?.halt, keep: site && keepOf(site) }) },
      {
        ...{ since, hosts, politeness, timing, addFound, objects: site?.objects },
        // Only for its options.
        store: site?.store as LeasedSite["store"],
        // Only visits to known sites find pages unchanged.
        links: { add: (...line) => site?.takeLinks(...line), addUnchanged: () => undefined },
        mustEnd: site?.mustEnd ?? (() => false),
        ...(site === undefined ? {} : { createFetcher: fetcherOf(site, this.#means) }),
      },
    );
  }

  #choose(urls: UrlList, foundAs: Found): Map<string, { readonly found: Found }> {
    const { pagesBeforeRest = defaultPagesPerTurn } = this.#options;
    const pages = urls.take("new", since, undefined, pagesBeforeRest);
    const isDue = Number.MAX_SAFE_INTEGER;
    const chosen = pages.length > 0 ? pages : urls.takeAway("polled", isDue, pagesBeforeRest).filter(mayComeBack);
    return new Map(chosen.map(({ path, depth }: TrackedUrl) => [path, { found: pageFound(foundAs, depth) }]));
  }

  #plan(
    { origin, store, halt }: LeasedSite,
    turn: WebVisit,
    { isLeft, isAway }: { readonly isLeft: boolean; readonly isAway: boolean },
  ): EpochMs {
    const { timing, politeness } = this.#means;
    const now = timing.now();
    const before = (store.plans.read(origin) as VisitPlan | undefined) ?? unvisited;
    const isPostponed = isUnasked(turn);
    const isReached = turn.whyUnreachable === undefined || halt.aborted;
    const failures = isPostponed ? before.failures : isReached ? 0 : before.failures + 1;
    const { retryMs = defaultRetryMs } = this.#options;
    const plan: VisitPlan = { ...before, failures, at: now };
    store.plans.write(origin, plan);
    if ((failures >= maxFailures && !isPostponed) || !(isLeft || isAway)) return Infinity;
    const waitMs = isReached || isPostponed ? (isLeft ? 0 : retryMs) : retryMs * 4 ** (failures - 1);
    return Math.max(now + waitMs, politeness.restsUntil(origin), turn.postponedUntil ?? 0);
  }
}

/** Whether the site was not asked for anything, because it, or one of its host's addresses, still rests: that is no failure of the site. */
function isUnasked({ whyUnreachable, postponedUntil }: WebVisit): boolean {
  return whyUnreachable !== undefined && postponedUntil !== undefined;
}

/** Pages near the seeds come first. */
function priorityOf({ depth }: Found): number {
  return Math.max(0, 255 - depth);
}

function mayComeBack({ postponed }: TrackedUrl): boolean {
  return postponed?.trouble === "unavailable" && postponed.attempts < patienceVisits;
}

function pageFound({ depth, inSite: _, hops }: Found, inSite: number): Found {
  return { depth: depth + inSite, inSite, hops };
}
