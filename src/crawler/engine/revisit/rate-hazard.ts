import type { ChangeHistory } from "./change-rate.ts";
import { gridRates, gridSize, lastPollOf, weighRates } from "./rate-grid.ts";

const daySeconds = 86_400;
/** Hazards of a page's rate being drawn anew, a day. */
const hazardsPerDay = [0, 0.00025, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016] as const;
/** How many hazards a site's pages are thought to have one of. */
export const hazardCount: number = hazardsPerDay.length;
/** Polls a page after which older ones count a third. */
const rememberedPolls = 2;

/**
 * How often the rates of a site's pages become others: by how well each of some hazards h foretold what polls saw, as sums of
 * `ln((1 - r) p + r q)`, r = 1 - e^(-h I), where p is how likely the outcome was by what was believed of the page before
 * and q by the rates of all pages. Older polls fade, so that a site that is rebuilt is noticed within a poll a page.
 *
 * @see R. Adams, D. MacKay, "Bayesian Online Changepoint Detection", arXiv 0710.3742, 2007, for the model
 */
export class HazardScores {
  readonly #scores: Float64Array;
  readonly #keep: number;
  readonly #belief = new Float64Array(gridSize);

  /**
   * @param scores - of the polls before
   * @param pages - how many the site has
   */
  constructor(scores: ArrayLike<number>, pages: number) {
    this.#scores = Float64Array.from({ length: hazardCount }, (_, at) => scores[at] ?? 0);
    this.#keep = 1 - 1 / (rememberedPolls * Math.max(12, pages));
  }

  /** Counts the last poll of a page. One of which the outcome is not kept by itself tells nothing. */
  count(history: ChangeHistory, shares: ArrayLike<number>): void {
    const last = lastPollOf(history);
    if (last === undefined) return;
    const before = weighRates(history, shares, this.#belief, { isBeforeLast: true });
    let [own, other] = [0, 0];
    for (let at = 0; at < gridSize; at++) {
      const equal = Math.exp(-(gridRates[at] ?? 0) * last.intervalSeconds);
      own += (before[at] ?? 0) * equal;
      other += (shares[at] ?? 0) * equal;
    }
    if (last.changed) [own, other] = [1 - own, 1 - other];
    for (let at = 0; at < hazardCount; at++) {
      const drawn = -Math.expm1((-(hazardsPerDay[at] ?? 0) * last.intervalSeconds) / daySeconds);
      const likely = Math.log(Math.max(1e-9, own + drawn * (other - own)));
      this.#scores[at] = (this.#scores[at] ?? 0) * this.#keep + likely;
    }
  }

  /** What is to be remembered, the best as 0. */
  get scores(): number[] {
    const most = Math.max(...this.#scores);
    return Array.from(this.#scores, (score) => Number((score - most).toPrecision(6)));
  }
}

/** The mean of the hazards by their scores, a second. */
export function meanHazard(scores: ArrayLike<number>): number {
  let [sum, weights] = [0, 0];
  for (let at = 0; at < hazardCount; at++) {
    const weight = Math.exp(scores[at] ?? 0);
    weights += weight;
    sum += weight * (hazardsPerDay[at] ?? 0);
  }
  return weights > 0 ? sum / weights / daySeconds : 0;
}

/** `t r(t) - integral of r` for `r = 1 - e^(-h t)`: for how long a page would have been another, unseen; in seconds. */
export function unseenSeconds(hazardPerSecond: number, seconds: number): number {
  const x = hazardPerSecond * seconds;
  if (x < 1e-4) return seconds * x * (0.5 - x / 3);
  return (1 - (1 + x) * Math.exp(-x)) / hazardPerSecond;
}
