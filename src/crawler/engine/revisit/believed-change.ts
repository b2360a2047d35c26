import type { PollPolicy } from "./poll-policy.ts";
import { gridRates, gridSize } from "./rate-grid.ts";

/** How likely it is that a page of which rates are believed changed: the mean of `1 - e^(-L t)`. */
export function believedProbability(shares: ArrayLike<number>, elapsedSeconds: number): number {
  let sum = 0;
  for (let at = 0; at < gridSize; at++) {
    const share = shares[at] ?? 0;
    if (share > 0) sum -= share * Math.expm1(-(gridRates[at] ?? 0) * elapsedSeconds);
  }
  return sum;
}

/**
 * How long after its last poll a page is due of which rates are believed, in seconds, by probability within the bounds of the policy.
 * The probability rises ever more slowly, so that Newton's steps from the least interval on never pass the root.
 */
export function believedDueAfter(shares: ArrayLike<number>, minProbability: number, policy: PollPolicy): number {
  const { minIntervalSeconds, maxIntervalSeconds } = policy;
  let seconds = minIntervalSeconds;
  for (let step = 0; step < 100 && seconds < maxIntervalSeconds; step++) {
    let lacking = minProbability;
    let slope = 0;
    for (let at = 0; at < gridSize; at++) {
      const share = shares[at] ?? 0;
      if (!(share > 0)) continue;
      const rate = gridRates[at] ?? 0;
      const left = Math.exp(-rate * seconds);
      lacking -= share * (1 - left);
      slope += share * rate * left;
    }
    const further = lacking / slope;
    if (!(further > 1e-9 * seconds)) break;
    seconds += further;
  }
  return Math.min(maxIntervalSeconds, seconds);
}
