import type { EpochMs } from "../../../core/index.ts";
import { secondsUntilProbability } from "./poll-index.ts";

/** When a page is worth a request. Probabilities are those of a change since the last poll. */
export interface PollPolicy {
  /** Due from here on without a budget. */
  readonly minChangeProbability: number;
  /** The same under a budget: only pages that are almost certainly unchanged are left out. */
  readonly minBudgetedProbability: number;
  /** The same if all rates that a page may have are weighed, which is more certain. */
  readonly minBelievedProbability: number;
  /** Least time between two polls of a page. */
  readonly minIntervalSeconds: number;
  /** Longest time between two polls of a page, as far as the budget allows. */
  readonly maxIntervalSeconds: number;
}

/**
 * At 0.3 the copy of a Poisson page is fresh 84 % of the time, for 2.8 requests a change; at 0.1 95 % for 9.5, at 0.5 72 %
 * for 1.4, and at 0.02 99 % for 50. An hour is the least of other crawlers, 90 days the most.
 */
export const pollPolicy: PollPolicy = {
  minChangeProbability: 0.3,
  minBudgetedProbability: 0.02,
  minBelievedProbability: 0.005,
  minIntervalSeconds: 3600,
  maxIntervalSeconds: 90 * 86_400,
};

/** How long after its last poll a page is due, in seconds. */
export function dueAfterSeconds(ratePerSecond: number, minProbability: number): number {
  const { minIntervalSeconds, maxIntervalSeconds } = pollPolicy;
  const wanted = secondsUntilProbability(minProbability, ratePerSecond);
  return Math.max(minIntervalSeconds, Math.min(maxIntervalSeconds, wanted));
}

/** Requests a second that visits to a site were given, as saved between visits. */
export interface BudgetPace {
  /** When the last counted visit was. */
  readonly at: EpochMs;
  readonly perSecond: number;
  /** Whether it rests on a single visit, which counts as one of a day. */
  readonly isGuess: boolean;
}

const daySeconds = 86_400;
/** After this time a visit counts about a third. */
const memorySeconds = 7 * daySeconds;
/** Visits that are nearer count as this far apart: an interrupted visit continues at once. */
const leastSeconds = 3600;

/** Counts a visit and its budget over the time since the visit before. */
export function paceAfter(pace: BudgetPace | undefined, now: EpochMs, budget: number): BudgetPace {
  if (pace === undefined) return { at: now, perSecond: budget / daySeconds, isGuess: true };
  const seconds = Math.max(leastSeconds, (now - pace.at) / 1000);
  const kept = pace.isGuess ? 0 : Math.exp(-seconds / memorySeconds);
  return { at: now, perSecond: kept * pace.perSecond + (1 - kept) * (budget / seconds), isGuess: false };
}

/** How long a server's "not modified" is believed: 90 days, in milliseconds. */
export const defaultDistrustMs: number = 90 * 86_400_000;

/** A number of a path from 0 to 1, exclusive, by which work is spread (FNV-1a of its UTF-16). */
export function spreadOf(path: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < path.length; at++) hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193) >>> 0;
  return hash / 2 ** 32;
}

/** After so much of it the longest interval is over for the first pages. */
export const leastIntervalShare = 0.75;

/**
 * Whether the longest interval of a page is over. The pages of a first crawl are spread over its last quarter.
 *
 * @returns false if the clock is before `from`
 */
export function isIntervalOver(
  path: string,
  from: EpochMs,
  now: EpochMs,
  longestMs: number = pollPolicy.maxIntervalSeconds * 1000,
): boolean {
  return now - from >= longestMs * (1 - spreadOf(path) * (1 - leastIntervalShare));
}

/**
 * Whether a page is to be requested without validators, to detect a server whose validators do not follow its pages;
 * see {@link isIntervalOver}.
 *
 * @param fetchedAt - when its body last came whole; undefined if it never did, which is due
 * @param distrustMs - longest time; Infinity for never
 * @returns false if the clock is before `fetchedAt`
 */
export function isFullFetchDue(
  page: { readonly path: string; readonly fetchedAt: EpochMs | undefined },
  now: EpochMs,
  distrustMs: number = defaultDistrustMs,
): boolean {
  if (page.fetchedAt === undefined) return true;
  return isIntervalOver(page.path, page.fetchedAt, now, distrustMs);
}
