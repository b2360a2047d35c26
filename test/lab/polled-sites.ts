import type { HistoryEvent } from "../../lab/experiment/ports.ts";
import { FreshnessMeter } from "../../lab/hosts/freshness-meter.ts";
import { replayHosts } from "../../lab/hosts/replayed-hosts.ts";
import { followVirtually } from "../../lab/hosts/virtual-run.ts";
import { createLabPorts } from "../../lab/program/lab-ports.ts";
import { createRandom } from "../../src/core/random.ts";
import type { FollowedSite } from "../../src/crawler/crawl-site-options.ts";

const daySeconds = 86_400;
const dayMs = daySeconds * 1000;
/** When it begins. */
const start = 1_800_000_000_000;

/** Which sites are polled, and how. */
export interface PollingSize {
  readonly seed: number;
  readonly sites: number;
  readonly days: number;
  /** Days before freshness is measured: all pages are fetched for the first time, and how they change is learned. */
  readonly burnInDays: number;
  readonly pages: number;
  /** Share of its pages that a site may be asked for in a day. */
  readonly budget: number;
  /** What else is said of each site. */
  readonly options?: Partial<FollowedSite>;
}

/** What polling came to. */
export interface PollingResult {
  /** Of each site, from 0 to 1. */
  readonly freshness: readonly number[];
  readonly pageRequests: number;
  readonly visits: number;
}

/** Polls sites that publish nothing and change as a real site did: each is visited daily, under a budget. */
export async function pollSites(
  size: PollingSize,
  events: readonly HistoryEvent[],
  into: string,
): Promise<PollingResult> {
  const { seed, sites, days, burnInDays, pages, budget, options } = size;
  const origins = Array.from({ length: sites }, (_, site) => `http://site-${site}.example`);
  const hosts = replayHosts({ seed, origins, from: start / 1000, days, pages }, events, createLabPorts(into));
  const meter = new FreshnessMeter(start + burnInDays * dayMs);
  const end = start + days * dayMs;
  let pageRequests = 0;
  const courses = new Map(
    [...hosts].map(([origin, { plan }]) => [origin, new Map(plan.pages.map((page) => [page.path, page]))]),
  );
  const { visits } = await followVirtually({
    hosts,
    sites: [...hosts].map(
      ([origin, { plan }]): FollowedSite => ({
        url: `${origin}/`,
        keep: "metadata",
        minIntervalMs: dayMs,
        maxIntervalMs: dayMs,
        budget: Math.max(1, Math.round(plan.pages.length * budget)),
        politeness: { restMs: 0 },
        ...options,
      }),
    ),
    start,
    durationMs: end - start,
    answerMs: 40,
    random: createRandom(seed, "polling"),
    into,
    addressesOf: (host) => Promise.resolve([`203.0.0.${Number(/\d+/.exec(host)?.[0]) & 255}`]),
    onRequest: ({ origin, path, beganAt, status }) => {
      const page = courses.get(origin)?.get(path);
      if (page === undefined || (status !== 200 && status !== 304)) return;
      pageRequests++;
      meter.note(page, beganAt);
    },
  });
  const freshness = [...hosts.values()].map(({ plan }) => meter.freshnessOf(plan.pages, end));
  return { freshness, pageRequests, visits };
}
