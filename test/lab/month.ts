import type { HostsShape } from "../../lab/hosts/virtual-hosts.ts";
import { makeHosts } from "../../lab/hosts/virtual-hosts.ts";
import { followVirtually } from "../../lab/hosts/virtual-run.ts";
import { createLabPorts } from "../../lab/program/lab-ports.ts";
import { createRandom } from "../../src/core/random.ts";
import type { FollowedSite } from "../../src/crawler/crawl-site-options.ts";
import { noteFollowing, type WebResult } from "./followed-web.ts";

const daySeconds = 86_400;
const dayMs = daySeconds * 1000;
/** When it begins. */
const start = 1_800_000_000_000;
/** Before that much is fetched for the first time. */
const measuredFromDay = 7;

/** How many sites are followed, and for how long. */
export interface MonthSize {
  readonly seed: number;
  readonly sites: number;
  readonly days: number;
}

/** Four neighbours share an address. */
export function addressOf(site: number): string {
  const address = Math.floor(site / 4);
  return `203.${address >> 8}.${address & 255}.1`;
}

function shapeOf({ seed, sites, days }: MonthSize): HostsShape {
  const from = start / 1000;
  return {
    seed,
    origins: Array.from({ length: sites }, (_, site) => `http://site-${site}.example`),
    from,
    to: from + (days + 1) * daySeconds,
    leastMeanSeconds: daySeconds,
    mostMeanSeconds: 240 * daySeconds,
    publicationSeconds: [daySeconds, 2 * daySeconds, 7 * daySeconds],
    leastPages: 2,
    mostPages: 8,
    troubleShare: 0.05,
    troubleSeconds: daySeconds,
    retryAfterSeconds: 7200,
  };
}

/** Follows a generated web in virtual time: each site every third day to every week, as it changes. */
export async function followMonth(size: MonthSize, into: string): Promise<WebResult> {
  const shape = shapeOf(size);
  const hosts = makeHosts(shape, createLabPorts(into));
  const durationMs = size.days * dayMs;
  const sites = shape.origins.map(
    (origin): FollowedSite => ({
      url: `${origin}/`,
      keep: "metadata",
      minIntervalMs: 3 * dayMs,
      maxIntervalMs: 7 * dayMs,
    }),
  );
  return await noteFollowing(hosts, { from: start + measuredFromDay * dayMs, to: start + durationMs }, (observer) => {
    let now = (): number => start;
    return followVirtually({
      hosts,
      sites,
      start,
      durationMs,
      answerMs: 40,
      random: createRandom(size.seed, "follow"),
      into,
      addressesOf: (host) => Promise.resolve([addressOf(Number(/\d+/.exec(host)?.[0]))]),
      onClock: (time) => {
        now = time.now;
      },
      onRequest: observer.onRequest,
      onVisit: (visit) => observer.onVisit(visit, now()),
    });
  });
}
