import { join, resolve } from "node:path";
import type { EpochMs } from "../../core/index.ts";
import { sideFileIn } from "../../fs/index.ts";
import { HostAddresses, namedTypes } from "../../http/index.ts";
import { LinkLog, UrlQueue } from "../../storage/index.ts";
import { redirectSteps } from "./redirects.ts";
import { parseSeed } from "./seeds.ts";
import { beginOf } from "./web-begin.ts";
import { type TurnPage, WebFrontier, type WebTurn } from "./web-frontier.ts";
import type { CrawlWebOptions, FrontierCounts } from "./web-options.ts";
import { formatFound, pageUrlsOf, parseFound } from "./web-scope.ts";
import { filterOf } from "./web-visits.ts";

/** A crawl of the Web whose pages others fetch: its folder, seeds and scope are those of a crawl. */
export interface UnitWorkOptions
  extends Pick<
    CrawlWebOptions,
    | "into"
    | "seeds"
    | "scopeDomains"
    | "maxDepth"
    | "maxHops"
    | "maxSites"
    | "maxPages"
    | "maxTotal"
    | "maxDomainSites"
    | "maxNewSites"
    | "maxAddressSites"
    | "types"
    | "include"
    | "exclude"
    | "allowPrivate"
    | "nameServers"
    | "queueBytes"
    | "restMs"
    | "loopbackRests"
    | "retryMs"
    | "clock"
    | "random"
  > {
  /** Most pages of a unit. @default 100 */
  readonly unitPages?: number | undefined;
  /** Whether a page was fetched, and is not to be fetched again yet. */
  readonly isDone: (url: string) => boolean;
  /** Sites with units of an earlier run, and until when nobody asks them; Infinity while the end is not known. It may change. */
  readonly busyUntil: ReadonlyMap<string, EpochMs>;
}

/** A page with the word that says how it was found. */
interface NotedPage {
  readonly path: string;
  readonly note: string;
}

const maxOpenSites = 10_000;
/** A site that is busy is looked at again after so long. */
const againMs = 1000;

/**
 * The frontier of a crawl of the Web, for units of one site: the same queue, links, order and scope; neither a site nor an address is given
 * twice at once.
 */
export class UnitWork implements AsyncDisposable {
  readonly #options: UnitWorkOptions;
  readonly #queue: UrlQueue;
  readonly #links: LinkLog;
  readonly #frontier: WebFrontier;
  readonly #turns = new Map<string, { readonly turn: WebTurn; readonly done: readonly TurnPage[] }>();

  private constructor(options: UnitWorkOptions, queue: UrlQueue, links: LinkLog) {
    const { clock = Date.now, unitPages = 100, random = Math.random } = options;
    this.#options = options;
    this.#queue = queue;
    this.#links = links;
    const hosts = new HostAddresses({ servers: options.nameServers, clock });
    this.#frontier = new WebFrontier(
      { ...options, order: "partial", pagesBeforeRest: unitPages, connections: maxOpenSites },
      {
        queue,
        hosts,
        random,
        done: 0,
        ranks: undefined,
        filter: filterOf(options),
        mediaTypes: namedTypes,
        now: clock(),
      },
    );
    this.#frontier.add(options.seeds.map(parseSeed), undefined);
    this.#frontier.locate();
    this.#queue.flush();
  }

  /**
   * Opens the folder of a crawl, or begins one.
   *
   * @throws TidemarkError `bad-option`, `locked` if a crawl uses the folder, `state-corrupt`
   */
  static async open(options: UnitWorkOptions): Promise<UnitWork> {
    const { clock = Date.now } = options;
    const into = resolve(options.into);
    const queue = new UrlQueue(join(into, ".tidemark", "queue"), { memoryBytes: options.queueBytes });
    try {
      await beginOf(sideFileIn(into, "web.json"), clock);
      return new UnitWork(options, queue, new LinkLog(join(into, "links"), { clock }));
    } catch (error) {
      queue[Symbol.dispose]();
      throw error;
    }
  }

  get counts(): FrontierCounts {
    return this.#frontier.counts;
  }

  next(now: EpochMs): { readonly origin: string; readonly pages: readonly NotedPage[] } | undefined {
    const { isDone, busyUntil } = this.#options;
    const isLookingUp = this.#frontier.isLocating && [...busyUntil.values()].some((until) => until > now);
    if (isLookingUp) return undefined;
    for (;;) {
      const turn = this.#frontier.next(now);
      if (turn === undefined) return undefined;
      const { origin, pages } = turn;
      const notBefore = this.#busyUntil(origin, now);
      if (notBefore > now) {
        this.#frontier.end(turn, now, { left: pages, doneBefore: 0, notBefore, isReachable: true });
        continue;
      }
      // A page whose priority rose is there twice.
      const seen = new Set<string>();
      const done = pages.filter(({ url }) => seen.size === seen.add(url).size || isDone(url));
      if (done.length < pages.length) {
        this.#turns.set(origin, { turn, done });
        const open = pages.filter((page) => !done.includes(page));
        return {
          origin,
          pages: open.map(({ url, found }) => ({ path: url.slice(origin.length), note: formatFound(found) })),
        };
      }
      this.#frontier.end(turn, now, { left: [], doneBefore: done.length, notBefore: now, isReachable: true });
    }
  }

  /** Until when a site or another one of its address may be asked by a unit of an earlier run. */
  #busyUntil(origin: string, now: EpochMs): EpochMs {
    const address = this.#frontier.addressAt(origin);
    let until = now;
    for (const [other, end] of this.#options.busyUntil)
      if (other === origin || this.#frontier.addressAt(other) === address) until = Math.max(until, end);
    return Math.min(until, now + againMs);
  }

  end(
    origin: string,
    { now, left, isReachable }: { now: EpochMs; left: readonly string[]; isReachable: boolean },
  ): void {
    const { turn, done } = this.#turns.get(origin) ?? {};
    if (turn === undefined || done === undefined) throw new RangeError(`${origin} has no unit`);
    this.#turns.delete(origin);
    const paths = new Set(left);
    this.#frontier.end(turn, now, {
      left: turn.pages.filter((page) => !done.includes(page) && paths.has(page.url.slice(origin.length))),
      doneBefore: done.length,
      notBefore: now,
      isReachable,
    });
    this.#keep();
  }

  take(
    pages: readonly (NotedPage & {
      readonly origin: string;
      readonly at: EpochMs;
      readonly isRedirect: boolean;
      readonly links: readonly string[];
    })[],
  ): void {
    for (const { origin, path, note, at, isRedirect, links } of pages) {
      const urls = pageUrlsOf(links);
      this.#links.add(at, origin + path, urls);
      this.#frontier.add(
        urls,
        { ...parseFound(note), origin, url: origin + path },
        isRedirect ? redirectSteps(origin, links[0] ?? origin) : 1,
      );
    }
    this.#keep();
  }

  again(urls: readonly string[]): void {
    this.#frontier.promote(urls, 0, urls.length);
    this.#keep();
  }

  knows(origin: string): boolean {
    return this.#queue.siteOf(origin) !== undefined;
  }

  /** Links before the pages that they lead to, and both before what is done. */
  #keep(): void {
    this.#links.flush();
    this.#queue.flush();
    this.#frontier.finish();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#frontier.stop();
    this.#queue.close();
    await this.#links[Symbol.asyncDispose]();
  }
}
