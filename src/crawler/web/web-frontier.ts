import type { EpochMs } from "../../core/index.ts";
import type { HostAddresses } from "../../http/index.ts";
import type { QueuedUrl, UrlQueue } from "../../storage/index.ts";
import type { SitePages } from "../engine/order/order-rule.ts";
import { type SiteTurn, SiteTurns } from "../engine/order/site-turns.ts";
import { KnownWays } from "./known-ways.ts";
import { type GivenRanks, lastPriority, Priorities } from "./priorities.ts";
import { maxFailures, planRetryMs } from "./retry-intervals.ts";
import { SiteAddresses } from "./site-addresses.ts";
import { UnansweredSites } from "./unanswered-sites.ts";
import type { CrawlWebOptions, FrontierCounts, WebOrder } from "./web-options.ts";
import {
  type AdmittedPage,
  type Found,
  formatFound,
  type LinkOrigin,
  originOf,
  parseFound,
  type ScopeMeans,
  seedFound,
  WebScope,
} from "./web-scope.ts";

/** Sites that have a turn at once. */
export const defaultConnections = 64;
const defaultRestMs = 15_000;
const defaultPagesPerTurn = 10;

/** A page of a turn. */
export interface TurnPage {
  readonly number: number;
  readonly url: string;
  readonly found: Found;
}

/** A site's turn, with its pages. */
export interface WebTurn {
  readonly site: number;
  readonly origin: string;
  readonly pages: readonly TurnPage[];
}

interface FrontierMeans extends ScopeMeans {
  readonly queue: UrlQueue;
  readonly hosts: HostAddresses;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Pages that were done by earlier runs. */
  readonly done: number;
  /** With `optimal`. */
  readonly ranks: GivenRanks | undefined;
}

interface TurnEnd {
  readonly left: readonly TurnPage[];
  readonly doneBefore: number;
  readonly notBefore: EpochMs;
  /** Undefined if it was not asked. */
  readonly isReachable: boolean | undefined;
}

/**
 * The pages that wait, of all sites: the queue on disk, each URL once, below the heap of sites of Castillo et al. A site takes part
 * once it has an address, and together with all sites of that address. Memory: what the queue is given, and some 1,250 bytes a site.
 */
export class WebFrontier {
  readonly #queue: UrlQueue;
  readonly #scope: WebScope;
  readonly #options: CrawlWebOptions;
  readonly #order: WebOrder;
  readonly #priorities: Priorities;
  /** With `partial`, where the way to a page is bounded: a page that is queued again keeps the shortest one. */
  readonly #ways: KnownWays | undefined;
  /** Sites of earlier runs: the ways to their pages are not known. */
  readonly #sitesBefore: number;
  readonly #turns: SiteTurns;
  readonly #connections: number;
  readonly #seeds: ReadonlySet<string>;
  /** Pages that were given and are to be given again, by site. */
  readonly #held = new Map<number, number[]>();
  readonly #failures = new Map<number, number>();
  readonly #givenUp = new Set<number>();
  readonly #addresses: SiteAddresses;
  readonly #unanswered: UnansweredSites;
  /** Places of turns that others take. */
  #others = 0;
  /** The site whose page was taken last, while a turn begins. */
  #taking: number | undefined;
  /** Pages that are done, until that may be durable. */
  #finished: number[] = [];
  #done: number;
  /** New sites of the pages that are being added. */
  readonly #pending = new Set<string>();
  /** Called when a site may have become ready. */
  onReady: () => void = () => undefined;

  constructor(options: CrawlWebOptions, means: FrontierMeans) {
    const { queue, hosts, random } = means;
    this.#done = means.done;
    this.#queue = queue;
    this.#options = options;
    this.#order = options.order ?? "depth";
    this.#priorities = new Priorities(this.#order, random, means.ranks);
    this.#sitesBefore = queue.sites;
    if (this.#order === "partial" && (options.maxDepth ?? options.maxHops) !== undefined)
      this.#ways = new KnownWays(Math.floor(random() * 2 ** 31));
    this.#seeds = new Set(options.seeds.map((url) => new URL(url).origin));
    this.#scope = new WebScope(options, means, {
      has: (origin) => queue.siteOf(origin) !== undefined || this.#pending.has(origin),
      count: () => queue.sites + this.#pending.size,
      addressOf: (origin) => this.addressAt(origin),
      pagesOf: (origin) => queue.added(queue.siteOf(origin) ?? -1),
    });
    const pages: SitePages = {
      count: (site) =>
        this.#isLeft(site) || this.#unanswered.isParked(site)
          ? 0
          : (this.#held.get(site)?.length ?? 0) + queue.count(site),
      firstKey: (site) => (this.#held.has(site) ? 0 : queue.firstKey(site)),
      take: (site) => this.#take(site),
    };
    const { restMs = defaultRestMs, connections = defaultConnections, pagesBeforeRest = defaultPagesPerTurn } = options;
    const rests = (site: number): boolean => options.loopbackRests === true || !this.#addresses.isLoopback(site);
    this.#connections = connections;
    this.#unanswered = new UnansweredSites(connections);
    this.#addresses = new SiteAddresses(options, {
      hosts,
      nameOf: (site) => queue.siteName(site) as string,
      isSeed: (origin) => this.#seeds.has(origin),
      holdBack: (reason) => this.#scope.holdBack(reason),
      onLocated: (site) => this.#turns.touch(site),
      onEnd: () => this.onReady(),
    });
    this.#turns = new SiteTurns(pages, this.#order === "length" ? "length" : "first-key", {
      connections: Number.POSITIVE_INFINITY,
      pagesPerTurn: pagesBeforeRest,
      restMs: (site) => (this.#unanswered.isParked(site) || !rests(site) ? 0 : restMs),
      addressOf: (site) => this.#addresses.of(site) ?? 0,
    });
    for (let site = 0; site < queue.sites; site++) {
      this.#scope.noteSite(queue.siteName(site) as string);
      if (queue.count(site) > 0) this.#addresses.seek(site);
    }
  }

  get open(): number {
    return this.#turns.underWay;
  }

  /** Pages that are done. */
  get done(): number {
    return this.#done;
  }

  /** Whether sites are still being looked up. */
  get isLocating(): boolean {
    return this.#addresses.isLocating;
  }

  get counts(): FrontierCounts {
    const { sites, known: urls, unfinished } = this.#queue;
    const done = this.#done;
    // Of a batch there are some twice.
    const waiting = Math.max(0, Math.min(unfinished - this.#finished.length, urls - done));
    return {
      ...{ sites, urls, done, waiting },
      unresolvedSites: this.#addresses.unresolved,
      unreachableSites: this.#givenUp.size,
      heldBack: this.#scope.heldBack,
    };
  }

  /** Adds the pages that links lead to, as far as the scope admits them; each URL once. */
  add(links: readonly string[], from: LinkOrigin | undefined, steps = 1): void {
    const raised = this.#priorities.raise(links, from?.url);
    const admitted: AdmittedPage[] = [];
    this.#pending.clear();
    for (const link of links) {
      const page = this.#scope.admit(link, from, steps);
      if (page === undefined) continue;
      const site = this.#queue.siteOf(page.origin);
      if (site === undefined) this.#pending.add(page.origin);
      if ((site ?? Infinity) >= this.#sitesBefore) this.#ways?.note(page.url, page.found);
      admitted.push(page);
    }
    if (from !== undefined && raised.length > 0) this.#putAgain(raised, { ...from, depth: from.depth + steps });
    if (admitted.length === 0) return;
    const urls = admitted.map(
      ({ url, origin, found }): QueuedUrl => ({
        url,
        site: origin,
        priority: this.#priorities.of(url, found),
        note: formatFound(found),
      }),
    );
    this.#noteAdded(this.#queue.add(this.#withinPages(urls)), from && this.addressAt(from.origin));
    this.#pending.clear();
    this.locate();
    this.onReady();
  }

  /** Leaves out new pages of sites that have as many as they may. */
  #withinPages(urls: readonly QueuedUrl[]): readonly QueuedUrl[] {
    const { maxPages } = this.#options;
    if (maxPages === undefined) return urls;
    const isAdded = this.#queue.findAdded(urls);
    const added = new Set<string>();
    const room = new Map<string, number>();
    return urls.filter(({ url, site }, at) => {
      if (isAdded[at] === 1 || added.has(url)) return true;
      const number = this.#queue.siteOf(site);
      const left = room.get(site) ?? maxPages - (number === undefined ? 0 : this.#queue.added(number));
      if (left <= 0) {
        this.#scope.holdBack("pages");
        return false;
      }
      room.set(site, left - 1);
      added.add(url);
      return true;
    });
  }

  /** Puts known pages before others: the first of them first. */
  promote(urls: readonly string[], from: number, all: number): void {
    const note = formatFound(seedFound);
    const priorityOf = (at: number): number => Math.floor(((from + at) * lastPriority) / all);
    this.#addAgain(urls.map((url, at) => ({ url, site: originOf(url), priority: priorityOf(at), note })));
  }

  /** Puts pages of a higher rank than before where they belong, by the shortest way that led to them, unless that is to be kept and not known. */
  #putAgain(urls: readonly string[], { depth, inSite, hops, origin }: LinkOrigin): void {
    const ways = this.#ways;
    const again = urls.flatMap((url): readonly QueuedUrl[] => {
      const site = originOf(url);
      const way = site === origin ? { depth, inSite: inSite + 1, hops } : { depth, inSite: 0, hops: hops + 1 };
      const found = ways === undefined ? way : ways.shorten(url, way);
      if (found === undefined) return [];
      return [{ url, site, priority: this.#priorities.of(url, found), note: formatFound(found) }];
    });
    this.#addAgain(again);
  }

  #addAgain(again: readonly QueuedUrl[]): void {
    this.#noteAdded(this.#queue.addAgain(again), undefined);
    this.locate();
    this.onReady();
  }

  /** Sites have more pages: those that nothing waited for until now are looked up, too. */
  #noteAdded(sites: readonly number[], by: number | undefined): void {
    for (const site of new Set(sites)) {
      if (this.#addresses.of(site) !== undefined) this.#turns.touch(site);
      else if (this.#addresses.seek(site, by)) this.#unanswered.note(site, by);
    }
  }

  /** Notes durably what is done; everything that came of it is durable. */
  finish(): void {
    for (const number of this.#finished) this.#queue.finish(number);
    this.#finished = [];
    this.#queue.write();
  }

  /** When {@link next} may return a turn; Infinity if something must happen first. */
  readyAt(now: EpochMs): EpochMs {
    return this.busy + this.#others >= this.#connections ? Number.POSITIVE_INFINITY : this.#turns.readyAt(now);
  }

  /**
   * Begins the turn of the next site. Sites that did not answer yet have as many turns at once as all others: they keep nobody waiting.
   *
   * @param others - places of turns that visits to known sites take; fewer than none where turns take none
   */
  next(now: EpochMs, others = 0): WebTurn | undefined {
    this.#others = others;
    while (this.busy + others < this.#connections) {
      this.#taking = undefined;
      const turn = this.#turns.next(now) ?? this.#nextParked(now);
      if (turn === undefined) return undefined;
      const { site, pages } = turn;
      if (this.#unanswered.begin(site, now)) return this.#describe(turn);
      this.#hold(site, pages);
      this.#turns.done(site, now);
    }
    return undefined;
  }

  /** Addresses may rest: parked sites come back until one of them has its turn. */
  #nextParked(now: EpochMs): SiteTurn | undefined {
    for (;;) {
      const site = this.#unanswered.unpark(now);
      if (site === undefined) return undefined;
      this.#turns.touch(site);
      const turn = this.#turns.next(now);
      if (turn !== undefined) return turn;
    }
  }

  /** Turns under way of sites that answered before. */
  get busy(): number {
    return this.#turns.underWay - this.#unanswered.underWay;
  }

  #hold(site: number, pages: readonly number[]): void {
    if (pages.length > 0) this.#held.set(site, [...pages, ...(this.#held.get(site) ?? [])]);
  }

  #describe({ site, pages }: SiteTurn): WebTurn {
    return {
      site,
      origin: this.#queue.siteName(site) as string,
      pages: pages.map((number) => ({
        number,
        url: this.#queue.urlOf(number) as string,
        found: parseFound(this.#queue.noteOf(number) ?? ""),
      })),
    };
  }

  /**
   * Ends a turn.
   *
   * @param left - pages that are to be given again; all others are done
   * @param doneBefore - pages that were done before, and given once more
   * @param notBefore - of the site's next turn, if later than its rest
   * @returns when a site that was not reached is tried again; Infinity if it is left for the next run
   */
  end({ site, pages }: WebTurn, now: EpochMs, { left, doneBefore, notBefore, isReachable }: TurnEnd): EpochMs {
    for (const page of pages) if (!left.includes(page)) this.#finished.push(page.number);
    this.#done += pages.length - left.length - doneBefore;
    const again = left.map(({ number }) => number);
    this.#hold(site, again);
    let at = notBefore;
    if (isReachable === true) {
      this.#failures.delete(site);
      this.#givenUp.delete(site);
    }
    if (isReachable === false) {
      const failures = (this.#failures.get(site) ?? 0) + 1;
      this.#failures.set(site, failures);
      if (failures >= maxFailures) this.#givenUp.add(site);
      at = Math.max(at, now + planRetryMs(failures, this.#options.retryMs));
    }
    this.#turns.done(site, now, at);
    this.#unanswered.end(site, isReachable ?? this.#unanswered.hasAnswered(site));
    return this.#isLeft(site) ? Number.POSITIVE_INFINITY : at;
  }

  /** Whether a site is left for the next run. */
  #isLeft(site: number): boolean {
    return this.#options.isForever !== true && this.#givenUp.has(site);
  }

  #take(site: number): number | undefined {
    // Nobody knows whether it answers: one page is enough to see.
    if (this.#taking === site && !this.#unanswered.hasAnswered(site)) return undefined;
    this.#taking = site;
    const held = this.#held.get(site);
    const page = held?.shift();
    if (held?.length === 0) this.#held.delete(site);
    return page ?? this.#queue.take(site);
  }

  /** Looks up sites, some at a time; to be called now and then, because some are looked up again. */
  locate(): void {
    this.#addresses.locate();
  }

  /** No site is looked up from now on. */
  stop(): void {
    this.#addresses.stop();
  }

  /** The address of a known origin, as a number. */
  addressAt(origin: string): number | undefined {
    return this.#addresses.of(this.#queue.siteOf(origin) ?? -1);
  }
}
