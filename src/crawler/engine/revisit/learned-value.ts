import { expectedFreshness } from "./poll-index.ts";
import { gridRates, gridSize } from "./rate-grid.ts";

const daySeconds = 86_400;
/** Candidates for the best interval: from six hours to five years. */
const intervalCount = 16;
const intervals = Float64Array.from({ length: intervalCount }, (_, at) => daySeconds * 0.25 * 1.8 ** at);
/** Freshness of polls at these intervals, by interval, then by rate. */
const freshAt = Float64Array.from({ length: intervalCount * gridSize }, (_, at) =>
  expectedFreshness(gridRates[at % gridSize] ?? 0, 1 / (intervals[Math.floor(at / gridSize)] ?? 0)),
);

/** Rates with a smaller share are left out of sums. */
const leastShare = 2e-3;

/**
 * The value of a visit to a page whose rate is uncertain: the expected freshness, which is the mean of the index over the
 * rates, and the information gained. That is what keeping the best interval of before would lose: `H (E J(p') - J(p))`,
 * J(p) the best freshness minus its price at equal intervals, H the time for which the information is useful.
 *
 * @see Busa-Fekete et al., arXiv 2502.02430, 2025, for the index; P. Frazier, W. Powell, S. Dayanik, "A Knowledge-Gradient
 * Policy for Sequential Information Collection", SIAM J. Control Optim. 47(5), 2008, for what a measurement teaches
 */
export class LearnedValue {
  readonly #horizonSeconds: number;
  readonly #active = new Int32Array(gridSize);
  readonly #shares = new Float64Array(gridSize);
  readonly #kept = new Float64Array(gridSize);
  #count = 0;
  #price = 0;
  #best = 0;

  /** @param horizonSeconds - H; 0 to ignore information */
  constructor(horizonSeconds: number) {
    this.#horizonSeconds = horizonSeconds;
  }

  /**
   * The value of a visit after some time.
   *
   * @param price - least value of a visit within the budget, in seconds of freshness, above 0, by the page's weight
   * @param seconds - since the last visit
   * @param shares - of the page's rate, from `offset` on
   * @returns seconds of freshness, by the page's weight
   */
  valueOf(price: number, seconds: number, shares: Float64Array | Float32Array, offset = 0): number {
    this.#take(shares, offset, price);
    let value = 0;
    let equal = 0;
    for (let k = 0; k < this.#count; k++) {
      const rate = gridRates[this.#active[k] ?? 0] ?? 0;
      const share = this.#shares[k] ?? 0;
      const x = rate * seconds;
      const left = Math.exp(-x);
      // As `pollValue`, whose series for a small x is too slow here.
      value += share * (x < 1e-4 ? seconds * x * (0.5 - x / 3) : (1 - (1 + x) * left) / rate);
      this.#kept[k] = share * left;
      equal += share * left;
    }
    if (this.#horizonSeconds === 0 || this.#count < 2) return value;
    const ifEqual = this.#bestOf(this.#kept, equal);
    for (let k = 0; k < this.#count; k++) this.#kept[k] = (this.#shares[k] ?? 0) - (this.#kept[k] ?? 0);
    const ifChanged = this.#bestOf(this.#kept, 1 - equal);
    return value + this.#horizonSeconds * Math.max(0, ifEqual + ifChanged - this.#best);
  }

  /** Best freshness of a page whose rate is known, minus the price of its visits, as a share of time; the mean over its rates. */
  static bestOf(price: number, shares: Float64Array): number {
    let sum = 0;
    for (let at = 0; at < gridSize; at++) {
      let best = 0;
      for (let row = 0; row < intervalCount; row++)
        best = Math.max(best, (freshAt[row * gridSize + at] ?? 0) - price / (intervals[row] ?? 1));
      sum += (shares[at] ?? 0) * best;
    }
    return sum;
  }

  #take(shares: Float64Array | Float32Array, offset: number, price: number): void {
    this.#price = price;
    this.#count = 0;
    for (let at = 0; at < gridSize; at++) {
      const share = shares[offset + at] ?? 0;
      if (share < leastShare) continue;
      this.#active[this.#count] = at;
      this.#shares[this.#count] = share;
      this.#count += 1;
    }
    this.#best = this.#horizonSeconds > 0 && this.#count > 1 ? this.#bestOf(this.#shares, 1) : 0;
  }

  /** Best freshness minus its price at equal intervals, for parts of the shares with this sum. */
  #bestOf(parts: Float64Array, mass: number): number {
    const count = this.#count;
    const active = this.#active;
    let best = 0;
    for (let row = 0; row < intervalCount; row++) {
      const from = row * gridSize;
      let sum = (-this.#price * mass) / (intervals[row] ?? 1);
      for (let k = 0; k < count; k++) sum += (parts[k] ?? 0) * (freshAt[from + (active[k] ?? 0)] ?? 0);
      if (sum > best) best = sum;
    }
    return best;
  }
}
