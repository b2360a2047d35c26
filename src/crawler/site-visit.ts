import { type Clock, type FetchOutcome, omitUndefined, pageOrders, TidemarkError, type Timing } from "../core/index.ts";
import { checkSignificant } from "../formats/html/index.ts";
import { robotsAgentOf } from "../formats/robots/index.ts";
import {
  createFetcher,
  type Fetcher,
  type FetcherOptions,
  namedTypes,
  nodeCodec,
  parseTypes,
  realTiming,
} from "../http/index.ts";
import type { Store } from "../storage/index.ts";
import { packagesIn } from "../storage/index.ts";
import type { CrawlSiteOptions } from "./crawl-site-options.ts";
import { type VisitResult, visitSite } from "./engine/visit-site.ts";
import { openKeptSite } from "./kept-site.ts";
import { meterRequests } from "./metered-requests.ts";
import type { Politeness } from "./politeness.ts";
import { checkPlanner } from "./poll-planner-check.ts";

/** What all visits of a process share. */
export interface VisitMeans {
  readonly store: Store;
  readonly politeness: Politeness;
  readonly clock: Clock | undefined;
  readonly delay: Timing["delay"] | undefined;
  /** Called with the outcome of each request. */
  readonly onOutcome?: (origin: string, outcome: FetchOutcome) => void;
  /** Creates the sender of a visit's requests. Default: HTTP. */
  readonly createFetcher?: ((options: FetcherOptions) => Fetcher) | undefined;
}

/** A visit to one site of a store. */
export interface SiteVisitOptions
  extends Omit<CrawlSiteOptions, "url" | "into" | "stateFile" | "politeness" | "clock" | "delay"> {
  /** Such as `https://example.org`. */
  readonly origin: string;
  /** Called between pages; once it returns false, the visit ends in order. Default: it continues. */
  readonly mayGoOn?: () => boolean;
  /**
   * Called about once a second during a request: whether to abandon it because nothing more is waited for. Default: no.
   */
  readonly mustEnd?: () => boolean;
}

/** @throws TidemarkError `bad-option` if options are invalid, before anything is opened */
export function checkVisitOptions(
  options: Pick<
    CrawlSiteOptions,
    "types" | "significant" | "planner" | "isPlanned" | "budget" | "order" | "url" | "userAgent"
  >,
): void {
  checkSignificant(options.significant);
  parseTypes(options.types ?? []);
  checkPlanner(options);
  robotsAgentOf(options.userAgent);
  const { order } = options;
  if (order !== undefined && !pageOrders.includes(order))
    throw new TidemarkError("bad-option", `There is no order ${String(order)}.`, {
      hint: `There are ${pageOrders.join(", ")}.`,
    });
}

/**
 * Visits a site whose store is open, and closes what the visit opened.
 *
 * @throws as `crawlSite`; `TakerFailure` with an error of `keep`'s callbacks
 */
export async function visitInStore(means: VisitMeans, options: SiteVisitOptions): Promise<VisitResult> {
  const { store, politeness, clock, delay, onOutcome } = means;
  const { origin, types = [], since, concurrency = 1, keep = "mirror", warcBytes, packageBytes } = options;
  const { userAgent, from, ca, allowPrivate } = options;
  const { sources, starts, urls, budget, maxPages, maxDepth, isPlanned, planner, distrustMs, lookAgainMs } = options;
  const { order, timeoutMs, mayGoOn, mustEnd, signal, onEvent } = options;
  const { pageBytes, siteBytes, visitBytes, leastBytesPerSecond } = options;
  const bounds = { pageBytes, siteBytes, visitBytes, leastBytesPerSecond };
  const significant = checkSignificant(options.significant);
  const filter = parseTypes(types);
  const timing = realTiming(clock);
  await using fetcher = (means.createFetcher ?? createFetcher)({
    connections: concurrency,
    allowedPrivateOrigins: [origin],
    ...omitUndefined({ userAgent, from, ca, allowPrivate, clock }),
  });
  const site = await openKeptSite(store, origin, { keep, clock: clock ?? Date.now, warcBytes });
  const { memory, reading, work, targets, bodies, warc } = site;
  const requests = warc === undefined ? fetcher : warc.recorder.record(fetcher);
  try {
    const result = await visitSite(
      {
        requests: meterRequests(requests, onOutcome && ((outcome) => onOutcome(origin, outcome))),
        codec: nodeCodec,
        timing: delay === undefined ? timing : { now: timing.now, delay },
        rateLimiter: politeness,
        reading,
        memory,
        work,
        targets,
        mediaTypes: namedTypes,
        bodies,
        packages: warc === undefined ? packagesIn(bodies, packageBytes) : undefined,
      },
      {
        origin,
        agent: robotsAgentOf(userAgent),
        filter,
        concurrency,
        ...omitUndefined({ since: since === undefined ? undefined : Math.floor(since / 1000) }),
        ...omitUndefined({
          sources,
          starts,
          urls,
          budget,
          maxPages,
          maxDepth,
          order,
          isPlanned,
          planner,
          distrustMs,
          lookAgainMs,
        }),
        ...omitUndefined({ significant, timeoutMs, bounds, mayGoOn, mustEnd, signal, onEvent }),
      },
    ).catch(async (error: unknown) => {
      // WARC files are finished even after a stop by a signal; the error that ended the visit has the better message.
      await site.end().catch(() => undefined);
      throw error;
    });
    await site.end();
    return result;
  } finally {
    site.close();
  }
}
