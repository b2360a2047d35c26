import { join, resolve } from "node:path";
import { type EpochMs, firstErrorOf, omitUndefined, TidemarkError } from "../../core/index.ts";
import { sideFileIn } from "../../fs/index.ts";
import { HostAddresses, namedTypes, readIdentity, readProxy, realTiming } from "../../http/index.ts";
import { LinkLog, openStore, type Store, UrlQueue } from "../../storage/index.ts";
import { isHaltOver } from "../engine/visit/reading-visit.ts";
import { checkObjects } from "../kept-site.ts";
import { createPoliteness, type Politeness } from "../politeness.ts";
import { checkRespectedUses } from "../respected-uses.ts";
import { Alarm } from "./alarm.ts";
import { Batches } from "./batches.ts";
import { KnownSites, type KnownVisit, noteSite } from "./known-sites.ts";
import { readRanks } from "./priorities.ts";
import { parseSeed } from "./seeds.ts";
import { beginOf } from "./web-begin.ts";
import { defaultConnections, type TurnPage, WebFrontier, type WebTurn } from "./web-frontier.ts";
import type { WebMeans } from "./web-means.ts";
import type { CrawlWebOptions, WebCounts, WebSummary } from "./web-options.ts";
import { hostOf, parseScopeDomain, type ScopeMeans } from "./web-scope.ts";
import { WebStatusFile } from "./web-status.ts";
import { WebVisits } from "./web-visits.ts";

/** What was done is durable after so long at the latest, and is told as often. */
const defaultTickMs = 1000;
/** A turn does not wait for a site in its place among the open ones: the site comes again. */
const maxWaitMs = 1000;
/** More sites that wait take places. */
const mostWaiting = 1000;
const defaultBatchPages = 50_000;
const defaultPagesPerVisit = 10;

/** A crawl of the Web that runs. */
class WebCrawl {
  readonly #options: CrawlWebOptions;
  readonly #means: WebMeans;
  readonly #timing: ReturnType<typeof realTiming>;
  readonly #store: Store;
  readonly #queue: UrlQueue;
  readonly #links: LinkLog;
  readonly #visits: WebVisits;
  readonly #politeness: Politeness;
  readonly #frontier: WebFrontier;
  readonly #startedAt: EpochMs;
  readonly #open = new Set<Promise<void>>();
  readonly #batches: Batches;
  /** Where known pages are requested again; undefined in a crawl that ends. */
  readonly #known: KnownSites | undefined;
  /** Sites that have a turn. */
  readonly #haveTurns = new Set<string>();
  /** Sites whose turn or visit waits, as for the further request of a redirect: they take no place. */
  readonly #waiting = new Set<string>();
  #knownVisits = 0;
  #newRequests = 0;
  #knownRequests = 0;
  #changed = 0;
  #pagesOpen = 0;
  #failure: { readonly error: unknown } | undefined;
  #pages = 0;
  #failed = 0;
  #requests = 0;
  #bytes = 0;
  #stoppedAt: EpochMs = Number.POSITIVE_INFINITY;
  readonly #alarm: Alarm;

  constructor(options: CrawlWebOptions, means: WebMeans) {
    const { since, store, queue, links, ranks, delay } = means;
    const { nameServers, lookups, clock, random = Math.random, pagesBeforeRest, restMs } = options;
    this.#options = options;
    this.#means = means;
    this.#store = store;
    this.#queue = queue;
    this.#links = links;
    this.#timing = realTiming(clock, delay);
    this.#alarm = new Alarm(delay);
    const { now } = this.#timing;
    this.#startedAt = now();
    const hosts = new HostAddresses({ servers: nameServers, atOnce: lookups, clock: now });
    this.#politeness = createPoliteness({
      ...{ pagesBeforeRest, restMs, clock, delay, random, maxWaitMs },
      ...{ crawlDelayMs: options.crawlDelayMs, loopbackRests: options.loopbackRests },
      maxRetryAfterMs: options.maxRetryAfterMs,
      addressesOf: (host) => hosts.of(host),
    });
    this.#visits = new WebVisits(options, {
      mustEnd: () => isHaltOver(this.#stoppedAt, now(), options.timeoutMs),
      ...{ ...means, hosts, politeness: this.#politeness, timing: this.#timing },
      addFound: (...found) => this.#frontier.add(...found),
      onWait: (origin) => {
        this.#waiting.add(origin);
        this.#alarm.ring();
      },
    });
    const queriesOf: ScopeMeans["queriesOf"] = (...path) => store.queriesOf(...path);
    const found = { filter: this.#visits.filter, mediaTypes: namedTypes, now: now(), queriesOf };
    const done = store.countAnswered(since);
    this.#frontier = new WebFrontier(options, { queue, hosts, random, done, ranks, ...found });
    this.#batches = new Batches({
      folder: join(resolve(options.into), "links"),
      pages: options.order === "batch" ? (options.batchPages ?? defaultBatchPages) : Infinity,
      random,
      now,
    });
    this.#frontier.onReady = () => this.#alarm.ring();
    if (options.isForever === true)
      this.#known = new KnownSites(options, {
        ...{ plans: store.plans, timing: this.#timing, random },
        restsUntil: (origin) => this.#politeness.restsUntil(origin),
        addressOf: async (origin) => (await hosts.of(hostOf(origin))).toSorted()[0],
        addressRestsUntil: (address) => this.#politeness.addressRestsUntil(address),
        siteOf: (origin) => queue.siteOf(origin),
        pagesOf: (site) => queue.added(site),
      });
  }

  async run(): Promise<WebSummary> {
    const { signal, seeds } = this.#options;
    const onAbort = (): void => {
      this.#stoppedAt = this.#timing.now();
      this.#alarm.ring();
    };
    signal?.addEventListener("abort", onAbort);
    try {
      this.#frontier.add(seeds, undefined);
      this.#frontier.locate();
      await this.#work();
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#frontier.stop();
      await Promise.all(this.#open);
      await this.#batches.stop();
      if (this.#failure === undefined) this.#keep();
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#known !== undefined) return { end: "stopped", ...this.counts() };
    if (signal?.aborted === true)
      throw new TidemarkError("aborted", "The crawl was stopped before its end.", {
        hint: "Run the same command again: it goes on where it stopped.",
        cause: signal.reason,
      });
    await this.#visits.endArchives(this.#queue);
    this.#store.sync();
    return { end: this.#isFull ? "full" : "done", ...this.counts() };
  }

  counts(): WebCounts {
    return {
      ...this.#frontier.counts,
      pages: this.#pages,
      failed: this.#failed,
      requests: this.#requests,
      bytes: this.#bytes,
      links: this.#visits.links,
      knownSites: this.#known?.size ?? 0,
      visits: this.#knownVisits,
      newRequests: this.#newRequests,
      knownRequests: this.#knownRequests,
      changed: this.#changed,
      ...omitUndefined({ newShare: this.#known?.shares.newShare }),
      elapsedMs: this.#timing.now() - this.#startedAt,
    };
  }

  get #room(): number {
    const { maxTotal = Infinity } = this.#options;
    return maxTotal - this.#frontier.done - this.#pagesOpen;
  }

  get #isFull(): boolean {
    return this.#room <= 0;
  }

  async #work(): Promise<void> {
    const { now } = this.#timing;
    const { tickMs = defaultTickMs } = this.#means;
    let keptAt = now();
    for (;;) {
      if (this.#failure !== undefined || this.#options.signal?.aborted === true) return;
      this.#frontier.locate();
      while (this.#beginNext());
      if (this.#batches.isDue) this.#plan();
      if (now() - keptAt >= tickMs) {
        this.#keep();
        keptAt = now();
        this.#options.onEvent?.({ event: "web-progress", open: this.#frontier.open, ...this.counts() });
      }
      const newAt = this.#isFull ? Infinity : this.#frontier.readyAt(now());
      const readyAt = Math.min(newAt, this.#mayVisit ? (this.#known?.nextAt ?? Infinity) : Infinity);
      const isBusy = this.#open.size > 0 || (this.#frontier.isLocating && !this.#isFull);
      if (!isBusy && readyAt === Infinity && this.#known === undefined) return;
      await this.#alarm.wait(
        Math.min(readyAt, isBusy || this.#known !== undefined ? keptAt + tickMs : Infinity) - now(),
      );
    }
  }

  /** Begins to choose the next batch, while the crawl goes on. */
  #plan(): void {
    const planning = this.#batches
      .begin(this.#links, (planned, from, all) => this.#frontier.promote(planned, from, all))
      .then((batch) => batch && this.#options.onEvent?.(batch))
      .catch((error: unknown) => {
        this.#failure ??= { error };
        this.#alarm.ring();
      });
    this.#means.untimed?.(planning);
  }

  get #mayVisit(): boolean {
    const { connections = defaultConnections } = this.#options;
    return this.#known !== undefined && this.#others + this.#frontier.busy < connections;
  }

  /** Places that are taken beside those of turns, without those of sites that wait. */
  get #others(): number {
    return (this.#known?.open ?? 0) - Math.min(mostWaiting, this.#waiting.size);
  }

  /** Begins a visit to known pages or a turn of new ones, by their shares of requests. @returns whether there was one */
  #beginNext(): boolean {
    const known = this.#mayVisit ? this.#known : undefined;
    if (known?.shares.isTurnOfKnown === true && this.#beginVisit(known)) return true;
    const turn = this.#isFull ? undefined : this.#frontier.next(this.#timing.now(), this.#others);
    if (turn === undefined) return known !== undefined && this.#beginVisit(known);
    if (this.#known?.isVisited(turn.origin) === true) {
      const notBefore = this.#timing.now() + maxWaitMs;
      this.#frontier.end(turn, this.#timing.now(), { left: turn.pages, doneBefore: 0, notBefore, isReachable: true });
    } else this.#begin(turn);
    return true;
  }

  #beginVisit(known: KnownSites): boolean {
    const visit = known.next((origin) => this.#haveTurns.has(origin));
    if (visit !== undefined)
      this.#watch(this.#revisit(known, visit).finally(() => void this.#waiting.delete(visit.origin)));
    return visit !== undefined;
  }

  /** Visits a known site: what is new there waits with all that is new. */
  async #revisit(known: KnownSites, visit: KnownVisit): Promise<void> {
    const { pagesBeforeRest = defaultPagesPerVisit } = this.#options;
    const mayGoOn = (): boolean => this.#failure === undefined;
    const result = await known.visit(visit.origin, () => this.#visits.visitKnown(visit, pagesBeforeRest, mayGoOn));
    if (result === undefined) return;
    const { created, updated, failed, requests, pageRequests, pageBytes, metadataBytes } = result.summary;
    this.#knownVisits++;
    this.#pages += created + updated;
    this.#changed += updated;
    this.#failed += failed;
    this.#requests += requests;
    this.#knownRequests += pageRequests;
    this.#bytes += pageBytes + metadataBytes;
    known.shares.count(0, pageRequests, this.#timing.now());
  }

  /** Makes durable what was done: what pages led to before what is known of them, and that before that they are done. */
  #keep(): void {
    this.#links.flush();
    this.#queue.flush();
    this.#store.sync();
    this.#frontier.finish();
  }

  #begin(turn: WebTurn): void {
    const pages = turn.pages.slice(0, Math.max(0, this.#room));
    this.#pagesOpen += pages.length;
    this.#haveTurns.add(turn.origin);
    this.#watch(
      this.#take(turn, pages).finally(() => {
        this.#pagesOpen -= pages.length;
        this.#haveTurns.delete(turn.origin);
        this.#waiting.delete(turn.origin);
      }),
    );
  }

  #watch(work: Promise<void>): void {
    const running = work
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#open.delete(running);
        this.#alarm.ring();
      });
    this.#open.add(running);
  }

  async #take(turn: WebTurn, pages: readonly TurnPage[]): Promise<void> {
    const { origin } = turn;
    const { now } = this.#timing;
    const found = new Map(pages.map((page) => [page.url.slice(origin.length), page]));
    const result = await this.#visits.visitNew(origin, found);
    const left = new Set(result.left);
    const again = turn.pages.filter((page) => !pages.includes(page) || left.has(page.url.slice(origin.length)));
    this.#pages += result.tally.created + result.tally.updated;
    this.#failed += result.tally.failed;
    this.#requests += result.tally.requests;
    this.#newRequests += result.tally.pageRequests;
    const { whyUnreachable: why, postponedUntil = 0 } = result;
    const isStopped = this.#options.signal?.aborted === true;
    const isUnreachable = why !== undefined && postponedUntil === 0 && !isStopped;
    if (why === undefined) this.#noteAnswered(turn);
    this.#known?.shares.count(result.tally.pageRequests, 0, now());
    this.#bytes += result.tally.pageBytes + result.tally.metadataBytes;
    for (const page of turn.pages)
      if (!again.includes(page) && !result.read.has(page.url)) this.#links.add(now(), page.url, []);
    const retryAt = this.#frontier.end(turn, now(), {
      left: again,
      doneBefore: result.answeredBefore.length + pages.length - found.size,
      notBefore: Math.max(postponedUntil, this.#politeness.restsUntil(origin)),
      isReachable: why === undefined || (isUnreachable ? false : undefined),
    });
    if (isUnreachable) this.#warn(origin, why, retryAt);
    this.#batches.count(turn.pages.length - again.length);
  }

  /** Notes a site before its first page is done, so that a kill does not lose it; a crawl that ends notes it for one that goes on. */
  #noteAnswered({ origin, pages: [first] }: WebTurn): void {
    if (first === undefined || this.#known?.has(origin) === true) return;
    noteSite({ plans: this.#store.plans, timing: this.#timing }, origin, { ...first.found, inSite: 0 });
    this.#known?.enter(origin);
  }

  #warn(site: string, why: string, retryAt: EpochMs): void {
    const seconds = Math.max(1, Math.ceil((retryAt - this.#timing.now()) / 1000));
    const next = retryAt === Infinity ? "it is left for the next run" : `it is tried again in ${seconds} s`;
    this.#options.onEvent?.({ event: "warning", site, code: "site-unreachable", message: `${why}; ${next}.` });
  }
}

/**
 * Crawls the Web from some pages on: sites are found by links, the pages of all sites wait in one queue on disk, each once, and are
 * requested in one order, politely by site and by address. Links are kept beside the pages, see docs/format.md.
 *
 * It can be killed at any time and run again: it goes on where it stopped, and pages that were under way are requested again.
 *
 * @throws TidemarkError `bad-option`, `locked`, `aborted` after the signal, `disk-full`, `state-corrupt` and what the file system says
 * @see C. Castillo, M. Marin, A. Rodriguez, R. Baeza-Yates, Scheduling Algorithms for Web Crawling, LA-WEB 2004
 */
export async function crawlWeb(options: CrawlWebOptions): Promise<WebSummary> {
  const { identity, proxy } = options;
  const seeds = options.seeds.map(parseSeed);
  if (proxy !== undefined) readProxy(proxy);
  options.scopeDomains?.forEach(parseScopeDomain);
  if (identity !== undefined) readIdentity(identity);
  checkRespectedUses(options);
  checkObjects(options);
  const { order, ranksFile } = options;
  if ((order === "optimal") !== (ranksFile !== undefined))
    throw new TidemarkError("bad-option", "The order optimal needs a file of ranks, and no other order has one.");
  const ranks = ranksFile === undefined ? undefined : await readRanks(ranksFile);
  try {
    return await crawlInto({ ...options, seeds }, ranks);
  } catch (error) {
    throw firstErrorOf(error);
  }
}

/** Opens what a crawl keeps in its folder. @throws `SuppressedError` where letting go of it fails as well */
async function crawlInto(options: CrawlWebOptions, ranks: WebMeans["ranks"]): Promise<WebSummary> {
  const { into, stateFile, queueBytes, clock = Date.now } = options;
  const file = sideFileIn(resolve(into), "web.json");
  // What pages led to is there before they are known to be answered, whenever the process is killed.
  const beforeCommit = (): void => {
    links.write();
    queue.write();
  };
  using store = openStore({ into, beforeCommit, ...omitUndefined({ stateFile }) });
  using queue = new UrlQueue(join(resolve(into), ".tidemark", "queue"), { memoryBytes: queueBytes });
  if (queue.known > queue.unfinished && store.isEmpty)
    throw new TidemarkError("bad-option", `${into} was crawled with another state than this one, which is empty.`, {
      hint: "Give the --state of that crawl, or none if it had none; or crawl into another folder.",
    });
  await using links = new LinkLog(join(resolve(into), "links"), { clock });
  const since = await beginOf(file, clock);
  using status = new WebStatusFile(into, clock);
  const onEvent: CrawlWebOptions["onEvent"] = (event) => {
    if (event.event === "web-progress") status.write(event);
    options.onEvent?.(event);
  };
  return await crawlWebBy(
    { since, store, queue, links, ranks, ...omitUndefined({ delay: options.delay }) },
    { ...options, onEvent },
  );
}

/**
 * Like {@link crawlWeb}, on what the caller opened, and with requests that the caller answers: the production crawl in virtual time. The
 * options `stateFile`, `queueBytes` and `ranksFile` are not used.
 *
 * @param options - with seeds as `crawlWeb` reads them: absolute URLs in their normal form
 * @throws as {@link crawlWeb}
 */
export async function crawlWebBy(means: WebMeans, options: CrawlWebOptions): Promise<WebSummary> {
  return await new WebCrawl(options, means).run();
}
