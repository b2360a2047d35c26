import { secondsUntilProbability } from "./poll-index.ts";

/** When a page is worth a request. */
export interface PollPolicy {
  /** How likely a page's change must be where there is no budget. */
  readonly minChangeProbability: number;
  /** The same where there is one: the index divides the requests, and only what is all but certainly equal is left out. */
  readonly minBudgetedProbability: number;
  /** The same where there is one and all rates are weighed that a page may have: what is thought of it is surer then. */
  readonly minBelievedProbability: number;
  /** No page is polled again sooner, in seconds. */
  readonly minIntervalSeconds: number;
  /** Each page is polled again as late as this at the latest, in seconds, as far as the budget allows. */
  readonly maxIntervalSeconds: number;
}

/**
 * The defaults. At 0.3 a Poisson page's copy is fresh 84 % of the time, for 2.8 requests a change; at 0.1 it would be
 * 95 % for 9.5, at 0.5 72 % for 1.4; under a budget it goes down to 0.02, 99 % for 50. An hour is what other crawlers take for the least, 90 days for the most.
 */
export const defaultPollPolicy: PollPolicy = {
  minChangeProbability: 0.3,
  minBudgetedProbability: 0.02,
  minBelievedProbability: 0.005,
  minIntervalSeconds: 3600,
  maxIntervalSeconds: 90 * 86_400,
};

/** How long after its last poll a page is due, in seconds, by probability within the bounds of the policy. */
export function dueAfterSeconds(ratePerSecond: number, minProbability: number, policy: PollPolicy): number {
  const { minIntervalSeconds, maxIntervalSeconds } = policy;
  const wanted = secondsUntilProbability(minProbability, ratePerSecond);
  return Math.max(minIntervalSeconds, Math.min(maxIntervalSeconds, wanted));
}
