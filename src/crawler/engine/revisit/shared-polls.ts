import type { EpochMs } from "../../../core/index.ts";

/** A number from 0 to 1 that is as good as random, and always the same: FNV-1a, its bits mixed once more. */
function fractionOf(seed: number, path: string): number {
  let hash = (seed ^ 0x811c9dc5) | 0;
  for (let at = 0; at < path.length; at++) hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

/**
 * When a page was last polled, by this crawler or another that told of it, as planners are to see it.
 *
 * Crawlers that know of each other's polls agree which page was left alone for the longest time, and all of them would poll it at
 * once, again and again. So each sees the time since a page's last poll as 0.5 to 1.5 times as long, by a factor that it
 * draws for itself: pages are polled by the crawler to which they seem oldest, and the others hear of that before their turn.
 *
 * @param polledAt - when it really was
 * @param seed - the crawler's own; undefined if it polls alone
 */
export function planSharedPoll(path: string, polledAt: EpochMs, now: EpochMs, seed: number | undefined): EpochMs {
  if (seed === undefined) return polledAt;
  const seconds = Math.floor(polledAt / 1000);
  return Math.round(now - Math.max(0, now - polledAt) * (0.5 + fractionOf(seed ^ seconds, path)));
}
