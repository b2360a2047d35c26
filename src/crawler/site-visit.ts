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

/** What all visits of a process have in common. */
export interface VisitMeans {
  readonly store: Store;
  readonly politeness: Politeness;
  readonly clock: Clock | undefined;
  readonly delay: Timing["delay"] | undefined;
  /** Told what each request came to. */
  readonly onOutcome?: (origin: string, outcome: FetchOutcome) => void;
  /** Makes what sends the requests of a visit. Default: over HTTP. */
  readonly createFetcher?: ((options: FetcherOptions) => Fetcher) | undefined;
}

/** A visit to one site of a store. */
export interface SiteVisitOptions
  extends Omit<CrawlSiteOptions, "url" | "into" | "stateFile" | "politeness" | "clock" | "delay"> {
  /** Such as `https://example.org`. */
  readonly origin: string;
  /** Asked between two pages; once it says no, the visit ends in order. Default: it goes on. */
  readonly mayGoOn?: () => boolean;
  /** Asked about each second of a request: whether it is left as it is, since nothing more is waited for. Default: it is not. */
  readonly mustEnd?: () => boolean;
}

/** @throws TidemarkError `bad-option` if options of a visit are none, before anything is opened */
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
 * Visits a site whose store is open, and closes what the visit alone needed.
 *
 * @throws as `crawlSite` does; `TakerFailure` with what a callback of `keep` threw
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
      // What was recorded is finished also after an end by a signal; what ended the visit is the better message.
      await site.end().catch(() => undefined);
      throw error;
    });
    await site.end();
    return result;
  } finally {
    site.close();
  }
}
