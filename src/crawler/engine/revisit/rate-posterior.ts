import { type ChangeHistory, type RatePrior, rateOf, weighHistory } from "./change-rate.ts";
import { bucketOfRate, rateBuckets, rateOfBucket } from "./rate-buckets.ts";

/** Every third bucket is a rate of the posterior; they are 16 % apart. */
const stride = 3;
/** How many rates a posterior has. */
export const posteriorRates: number = Math.ceil(rateBuckets / stride);

const rates = Float64Array.from({ length: posteriorRates }, (_, at) => rateOfBucket(at * stride));
const logRates = rates.map((rate) => Math.log(rate));

/** Changes a second at an index of a posterior. */
export function posteriorRateAt(at: number): number {
  return rates[at] ?? 0;
}

/**
 * The probabilities of a page's rate at {@link posteriorRates} rates in equal steps of its logarithm: a Gamma distribution
 * times the likelihood of the history.
 *
 * @param into - receives them; their sum is 1
 */
function weighRates(history: ChangeHistory, prior: RatePrior, into: Float64Array): void {
  weighHistory(history, prior, rates, logRates, into);
  let most = Number.NEGATIVE_INFINITY;
  for (const log of into) if (log > most) most = log;
  let sum = 0;
  for (let at = 0; at < posteriorRates; at++) {
    const weight = Math.exp((into[at] ?? 0) - most);
    into[at] = weight;
    sum += weight;
  }
  for (let at = 0; at < posteriorRates; at++) into[at] = (into[at] ?? 0) / sum;
}

/** How pages change: the probability of each rate, by the row of the estimated rate. */
export class EstimatedPages {
  readonly #counts = new Float64Array(rateBuckets);
  /** Sums of probabilities, by row and rate. */
  readonly #expected = new Float64Array(rateBuckets * posteriorRates);
  /** Pages by row and rate, drawn once for each. */
  readonly #drawn: readonly Float32Array[];
  readonly #random: () => number;
  readonly #posterior = new Float64Array(posteriorRates);
  #pages = 0;
  #polled = 0;
  #visits = 0;

  /**
   * @param draws - how many possible worlds are drawn, to show the uncertainty
   * @param random - from 0 to 1, exclusive
   */
  constructor(draws: number, random: () => number) {
    this.#drawn = Array.from({ length: draws }, () => new Float32Array(rateBuckets * posteriorRates));
    this.#random = random;
  }

  /** Adds a page. O({@link posteriorRates} + draws). */
  add(history: ChangeHistory, prior: RatePrior): void {
    const row = bucketOfRate(rateOf(history, prior));
    this.#pages += 1;
    if (history.visits > 0) this.#polled += 1;
    this.#visits += Math.max(0, history.visits);
    this.#counts[row] = (this.#counts[row] ?? 0) + 1;
    const posterior = this.#posterior;
    weighRates(history, prior, posterior);
    const from = row * posteriorRates;
    for (let at = 0; at < posteriorRates; at++)
      this.#expected[from + at] = (this.#expected[from + at] ?? 0) + (posterior[at] ?? 0);
    for (const world of this.#drawn) {
      let left = this.#random();
      let at = 0;
      for (; at < posteriorRates - 1; at++) {
        left -= posterior[at] ?? 0;
        if (left < 0) break;
      }
      world[from + at] = (world[from + at] ?? 0) + 1;
    }
  }

  get pages(): number {
    return this.#pages;
  }

  /** Pages that were polled twice or more. */
  get polled(): number {
    return this.#polled;
  }

  /** Polls, less those that have faded. */
  get visits(): number {
    return this.#visits;
  }

  /** Pages by the row of their estimated rate. */
  get counts(): Float64Array {
    return this.#counts;
  }

  /** Expected share of the pages that change this often or more often, from 0 to 1. */
  shareFrom(ratePerSecond: number): number {
    return this.meanOf((_, at) => (posteriorRateAt(at) >= ratePerSecond ? 1 : 0));
  }

  /**
   * Expected mean over the pages of a value that depends on a page's row and true rate.
   *
   * @param value - of a row, and the index of a rate
   */
  meanOf(value: (row: number, at: number) => number): number {
    let sum = 0;
    this.#forEach((row, at, place) => {
      sum += (this.#expected[place] ?? 0) * value(row, at);
    });
    return sum / this.#pages;
  }

  /** The same in each possible world. */
  meansOf(value: (row: number, at: number) => number): number[] {
    const sums = new Float64Array(this.#drawn.length);
    this.#forEach((row, at, place) => {
      const one = value(row, at);
      for (const [world, drawn] of this.#drawn.entries()) sums[world] = (sums[world] ?? 0) + (drawn[place] ?? 0) * one;
    });
    return Array.from(sums, (one) => one / this.#pages);
  }

  #forEach(look: (row: number, at: number, place: number) => void): void {
    for (let row = 0; row < rateBuckets; row++) {
      if ((this.#counts[row] ?? 0) === 0) continue;
      for (let at = 0; at < posteriorRates; at++) {
        const place = row * posteriorRates + at;
        if ((this.#expected[place] ?? 0) > 1e-12) look(row, at, place);
      }
    }
  }
}
