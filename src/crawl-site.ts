import { type Timing, visitSite } from "./crawl/index.ts";
import { createFetcher } from "./fetch/index.ts";
import { type Clock, type CrawlEvent, type CrawlSummary, type EpochMs, wrapSystemError } from "./model/index.ts";
import { createPoliteness, type Politeness } from "./politeness.ts";
import { nodeCodec, parseTypes, realTiming } from "./reading-ports.ts";
import { parseSiteAddress } from "./site-address.ts";
import { openStore } from "./store/index.ts";

/** What to crawl, and where to keep it. */
export interface CrawlSiteOptions {
  /** Any URL of the site; the whole origin is crawled. */
  readonly url: string;
  /** Folder of the mirrors; the site's lies in `<into>/<host>`, or `<into>/<host>_<port>`. */
  readonly into: string;
  /** The state's file. Default `<into>/.tidemark/state.db`. */
  readonly stateFile?: string;
  /** Media types of the pages that are wanted, such as `text/html` or `image/*`. Default: all. */
  readonly types?: readonly string[];
  /** On the first visit, pages last modified before this are passed over. Default: none are. */
  readonly since?: EpochMs;
  /** Page requests that this visit may make; the rest stays work for another. Default: no bound. */
  readonly budget?: number;
  /** Requests under way at once. Default 1. */
  readonly concurrency?: number;
  readonly userAgent?: string;
  /** Time for a small request, in milliseconds; a large body gets more. Default 30,000. */
  readonly timeoutMs?: number;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Waits between attempts. Default: real time. */
  readonly delay?: Timing["delay"];
  /** Stops the visit; everything that was done is kept. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: CrawlEvent) => void;
  /**
   * Where requests wait for their turn; crawls that run at the same time share one. Default: one of its own, with the
   * defaults of {@link createPoliteness}, and `clock` and `delay` of this crawl.
   */
  readonly politeness?: Politeness;
}

/**
 * Visits a site once and brings the mirror of it up to date: reads what changed since the last visit and fetches
 * those pages and nothing else.
 *
 * It can be killed at any instant and run again. A site that publishes nothing or cannot be asked gives a summary
 * whose `source` is `none`, and a warning `no-archives` or `site-unavailable`.
 *
 * @returns what the visit came to
 * @throws TidemarkError `bad-option`, `locked`, `aborted`, `disk-full`, `no-permission`, `read-only`, `state-corrupt`,
 *   `state-version`, `io`
 * @example
 * const summary = await crawlSite({ url: "https://example.org/", into: "mirrors" });
 * console.log(`${summary.created} new pages, ${summary.pending} to come`);
 */
export async function crawlSite(options: CrawlSiteOptions): Promise<CrawlSummary> {
  const { url, into, stateFile, types = [], since, budget, concurrency = 1, userAgent, timeoutMs } = options;
  const { clock, delay, signal, onEvent } = options;
  const { politeness = createPoliteness({ clock, delay }) } = options;
  const origin = parseSiteAddress(url, onEvent);
  const filter = parseTypes(types);
  const timing = realTiming(clock);
  try {
    using store = openStore({ into, ...(stateFile === undefined ? {} : { stateFile }) });
    await using fetcher = createFetcher({
      connections: concurrency,
      ...(userAgent === undefined ? {} : { userAgent }),
      ...(clock === undefined ? {} : { clock }),
    });
    const { memory, work, bodies } = store.openSite(origin);
    return await visitSite(
      {
        requests: fetcher,
        codec: nodeCodec,
        timing: delay === undefined ? timing : { now: timing.now, delay },
        gate: politeness,
        memory,
        work,
        bodies,
      },
      {
        origin,
        filter,
        concurrency,
        ...(since === undefined ? {} : { since: Math.floor(since / 1000) }),
        ...(budget === undefined ? {} : { budget }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(signal === undefined ? {} : { signal }),
        ...(onEvent === undefined ? {} : { onEvent }),
      },
    );
  } catch (error) {
    throw wrapSystemError(error, `crawl ${origin}/`, { site: origin });
  }
}
