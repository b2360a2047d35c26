import { gridRates, gridSize } from "./rate-grid.ts";

const daySeconds = 86_400;
/** Intervals among which the best one for a belief is sought: from six hours to five years. */
const intervalCount = 16;
const intervals = Float64Array.from({ length: intervalCount }, (_, at) => daySeconds * 0.25 * 1.8 ** at);
/** By interval, then by rate. */
function tabulate(rows: Float64Array, value: (row: number, rate: number) => number): Float64Array {
  return Float64Array.from({ length: rows.length * gridSize }, (_, at) =>
    value(rows[Math.floor(at / gridSize)] ?? 0, gridRates[at % gridSize] ?? 0),
  );
}

const meanFresh = (r: number): number => (r < 1e-8 ? 1 - r / 2 : -Math.expm1(-r) / r);
const freshAt = tabulate(intervals, (interval, rate) => meanFresh(rate * interval));

/** What share of the classes' mass is left out of sums, each. */
const leastShare = 2e-3;

/**
 * What a visit is worth where a page's rate is not known but believed: its freshness, the mean of the index over the
 * belief, and what it teaches. Taught is what the best interval of before would lose if it were kept: `H (E J(p') - J(p))`,
 * J(p) the best freshness less its price at equal intervals, H the time for which what is learned is used.
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

  /** @param horizonSeconds - H; 0 for an index that seeks no knowledge */
  constructor(horizonSeconds: number) {
    this.#horizonSeconds = horizonSeconds;
  }

  /**
   * What a visit is worth after some time.
   *
   * @param price - what visits of the budget are worth at least, in seconds of freshness, above 0, by the page's weight
   * @param seconds - since the last visit
   * @param shares - what is believed of its rate, from `offset` on
   * @returns seconds of freshness, by the page's weight
   */
  valueOf(price: number, seconds: number, shares: Float64Array | Float32Array, offset = 0): number {
    this.#take(shares, offset, price);
    return this.#valueAt(seconds);
  }

  /** The best freshness of a page less the price of its visits, as a share of time, by the shares of its rate. */
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

  /** The best freshness less its price at equal intervals, for a part of the belief that has this mass. */
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

  #valueAt(seconds: number): number {
    let value = 0;
    let equal = 0;
    for (let k = 0; k < this.#count; k++) {
      const rate = gridRates[this.#active[k] ?? 0] ?? 0;
      const share = this.#shares[k] ?? 0;
      const x = rate * seconds;
      const left = Math.exp(-x);
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
}
