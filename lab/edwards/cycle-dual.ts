import type { CycleModel } from "./cycle-model.ts";

/**
 * What a page of a bucket costs between two fetches: `[offset(s) + i (T + 1 - s) + u - s - 1]` is the weighted expected
 * obsolescence in the periods s < k < u of a page of bucket i that was last fetched in period s and is next in u; u = T + 1
 * for never. The row s = 0 is that of the pages held at the start, some of which are obsolete.
 */
function laySegments(model: CycleModel, offsets: Float64Array): Float64Array {
  const { periods, buckets, changed, oldWeight, pages, obsolete } = model;
  const segments = new Float64Array(offsets[periods] ?? 0);
  for (let s = 0; s < periods; s++) {
    const width = periods + 1 - s;
    for (let i = 0; i < buckets; i++) {
      let place = (offsets[s] ?? 0) + i * width;
      const held = pages[i] ?? 0;
      let fresh = s === 0 && held > 0 ? 1 - (obsolete[i] ?? 0) / held : 1;
      let cost = 0;
      for (let u = s + 1; u <= periods + 1; u++) {
        segments[place++] = cost;
        if (u > periods) break;
        fresh *= 1 - (changed[i * periods + u - 1] ?? 0);
        cost += (oldWeight[i * periods + u - 1] ?? 0) * (1 - fresh);
      }
    }
  }
  return segments;
}

/** Beyond so many temperatures a choice is not taken: e^-18 of the best, which no rounding of prices is as small as. */
const farAway = 18;
const stepsPerUnit = 256;
const powers: Float64Array = Float64Array.from({ length: farAway * stepsPerUnit + 2 }, (_, at) =>
  Math.exp(-at / stepsPerUnit),
);

/** e^-x to eight digits, for x from 0 to {@link farAway}: four times as fast as the exact one. */
function decay(x: number): number {
  const at = (x * stepsPerUnit) | 0;
  const rest = x - at / stepsPerUnit;
  return (powers[at] ?? 0) * (1 - rest + (rest * rest) / 2);
}

/**
 * The Lagrangian dual of a cycle: for given prices of the periods' capacity, the best thing to do with each page by itself.
 * A plan that fetches a random share of a bucket is a random choice of such things to do, so no plan is cheaper: what
 * {@link evaluate} returns is a lower bound. O(B T^2) time an evaluation, and B T^2 numbers of 8 bytes of memory.
 */
export class CycleDual {
  readonly model: CycleModel;
  /** Use less capacity of each period, `[t - 1]`, for the choices of the last evaluation: the gradient. */
  readonly excess: Float64Array;
  /** What a page costs that waits at the end of a period, `[t]`. */
  readonly waitingCost: Float64Array;
  /** The share of waiting pages that is fetched in a period, `[t - 1]`. */
  readonly newChoice: Float64Array;
  readonly #offsets: Float64Array;
  readonly #segments: Float64Array;
  readonly #choices: Float64Array;
  /** Price of a fetch in period u and cost of what follows it, `[i (T + 2) + u]`. */
  readonly #reach: Float64Array;
  readonly #values: Float64Array;
  readonly #fetched: Float64Array;
  readonly #candidates: Float64Array;
  readonly #nextFetches: Uint16Array;
  /** The latest next fetch of each bucket that is not too far behind the best one. */
  readonly #latest: Uint16Array;
  /** Which choices of a row count, and their sum: `[s B + i]`. */
  readonly #first: Uint16Array;
  readonly #last: Uint16Array;
  readonly #sums: Float64Array;

  constructor(model: CycleModel) {
    const { periods, buckets } = model;
    this.model = model;
    this.#offsets = new Float64Array(periods + 1);
    for (let s = 0; s < periods; s++) {
      this.#offsets[s + 1] = (this.#offsets[s] ?? 0) + buckets * (periods + 1 - s);
    }
    this.#segments = laySegments(model, this.#offsets);
    this.#choices = new Float64Array(this.#segments.length);
    this.#reach = new Float64Array(buckets * (periods + 2));
    this.#fetched = new Float64Array(buckets * (periods + 2));
    this.#values = new Float64Array(buckets);
    this.#candidates = new Float64Array(periods + 2);
    this.#nextFetches = new Uint16Array(periods + 2);
    this.#latest = new Uint16Array(buckets);
    this.#first = new Uint16Array(periods * buckets);
    this.#last = new Uint16Array(periods * buckets);
    this.#sums = new Float64Array(periods * buckets);
    this.excess = new Float64Array(periods);
    this.waitingCost = new Float64Array(periods + 1);
    this.newChoice = new Float64Array(periods);
  }

  /**
   * Evaluates the dual at prices, and its gradient into {@link excess}.
   *
   * @param prices - of one unit of each period's capacity, `[t - 1]`, not negative
   * @param temperature - of the smoothed minimum, in the unit of weights; 0 for the exact one, whose gradient jumps
   * @returns a lower bound of the objective, whatever the prices and the temperature
   */
  evaluate(prices: Float64Array, temperature: number): number {
    const { model } = this;
    const { periods, buckets, shares, newWeight, newCost, newFinds } = model;
    const waits = this.waitingCost;
    this.#values.fill(0);
    this.#latest.fill(periods + 1);
    waits[periods] = newWeight[periods - 1] ?? 0;
    for (let i = 0; i < buckets; i++) this.#reach[i * (periods + 2) + periods + 1] = 0;
    for (let s = periods - 1; s >= 0; s--) {
      const next = waits[s + 1] ?? 0;
      let joined = 0;
      for (let i = 0; i < buckets; i++) joined += (shares[i] ?? 0) * (this.#values[i] ?? 0);
      const taken = (newCost[s] ?? 0) * (prices[s] ?? 0) + joined + (newFinds[s] ?? 0) * next;
      waits[s] = (s > 0 ? (newWeight[s - 1] ?? 0) : 0) + this.#chooseNew(s, next, taken, temperature);
      this.#noteReach(s + 1, prices[s] ?? 0, next);
      this.#choose(s, temperature);
    }
    return this.#forward(prices);
  }

  /** The smoothed lesser of waiting and being fetched in period s + 1. */
  #chooseNew(s: number, wait: number, taken: number, temperature: number): number {
    const least = Math.min(wait, taken);
    if (temperature === 0) {
      this.newChoice[s] = taken < wait ? 1 : 0;
      return least;
    }
    const both = Math.exp((least - wait) / temperature) + Math.exp((least - taken) / temperature);
    this.newChoice[s] = Math.exp((least - taken) / temperature) / both;
    return least - temperature * Math.log(both);
  }

  #noteReach(u: number, price: number, waits: number): void {
    const { periods, buckets, oldCost, oldFinds } = this.model;
    for (let i = 0; i < buckets; i++) {
      const at = i * periods + u - 1;
      this.#reach[i * (periods + 2) + u] =
        (oldCost[at] ?? 0) * price + (oldFinds[at] ?? 0) * waits + (this.#values[i] ?? 0);
    }
  }

  /**
   * What a page costs from its fetch in period s on, for each bucket, and when its next fetch is.
   *
   * Whatever is fetched in between, a later next fetch loses more beside an earlier one the longer ago the last fetch was
   * (the segments have Monge's property). So what was too far behind for the fetch before is so for this one too, and only
   * as much of a row is looked at.
   */
  #choose(s: number, temperature: number): void {
    const { periods, buckets } = this.model;
    const width = periods + 1 - s;
    const segments = this.#segments;
    const reach = this.#reach;
    const choices = this.#choices;
    const latest = this.#latest;
    const range = farAway * temperature;
    // No value is further below 0: of T periods there are 2^T choices. So what follows a segment costs little less than it.
    const below = temperature * periods * Math.LN2;
    const cold = temperature === 0 ? 0 : 1 / temperature;
    for (let i = 0; i < buckets; i++) {
      const from = (this.#offsets[s] ?? 0) + i * width;
      const row = i * (periods + 2) + s + 1;
      const most = Math.min(width, (latest[i] ?? 0) - s);
      let least = Number.POSITIVE_INFINITY;
      let far = least;
      let best = 0;
      let end = 0;
      for (; end < most; end++) {
        const segment = segments[from + end] ?? 0;
        if (segment > far + below) break;
        const cost = segment + (reach[row + end] ?? 0);
        if (cost < least) {
          least = cost;
          far = cost + range;
          best = end;
        }
      }
      let first = best;
      let last = best;
      let sum = 1;
      if (temperature > 0) {
        sum = 0;
        first = -1;
        for (let k = 0; k < end; k++) {
          const cost = (segments[from + k] ?? 0) + (reach[row + k] ?? 0);
          if (cost >= far) {
            choices[from + k] = 0;
            continue;
          }
          const likely = decay((cost - least) * cold);
          choices[from + k] = likely;
          sum += likely;
          last = k;
          if (first < 0) first = k;
        }
      } else choices[from + best] = 1;
      const at = s * buckets + i;
      this.#first[at] = first;
      this.#last[at] = last;
      this.#sums[at] = sum;
      latest[i] = s + 1 + last;
      this.#values[i] = least - temperature * Math.log(sum);
    }
  }

  #forward(prices: Float64Array): number {
    const { model, excess } = this;
    const { periods, buckets, pages, shares, oldCost, oldFinds, arrivals, capacity, newCost, newFinds } = model;
    const fetched = this.#fetched.fill(0);
    let waiting = model.waiting;
    let bound = waiting * (this.waitingCost[0] ?? 0);
    for (let i = 0; i < buckets; i++) bound += (pages[i] ?? 0) * (this.#values[i] ?? 0);
    for (let s = 0; s <= periods; s++) {
      let taken = 0;
      if (s > 0) {
        taken = waiting * (this.newChoice[s - 1] ?? 0);
        let use = taken * (newCost[s - 1] ?? 0);
        let found = taken * (newFinds[s - 1] ?? 0) + (arrivals[s - 1] ?? 0);
        for (let i = 0; i < buckets; i++) {
          const x = fetched[i * (periods + 2) + s] ?? 0;
          use += x * (oldCost[i * periods + s - 1] ?? 0);
          found += x * (oldFinds[i * periods + s - 1] ?? 0);
        }
        waiting += found - taken;
        excess[s - 1] = use - (capacity[s - 1] ?? 0);
        bound += (this.waitingCost[s] ?? 0) * (arrivals[s - 1] ?? 0) - (prices[s - 1] ?? 0) * (capacity[s - 1] ?? 0);
      }
      if (s === periods) break;
      this.#scatter(s, taken, pages, shares);
    }
    return bound;
  }

  /** Sends the pages that were fetched in period s to their next fetches. */
  #scatter(s: number, taken: number, pages: Float64Array, shares: Float64Array): void {
    const { periods, buckets } = this.model;
    const fetched = this.#fetched;
    const choices = this.#choices;
    const width = periods + 1 - s;
    for (let i = 0; i < buckets; i++) {
      const row = i * (periods + 2) + s;
      const mass = s === 0 ? (pages[i] ?? 0) : (fetched[row] ?? 0) + taken * (shares[i] ?? 0);
      if (mass === 0) continue;
      const from = (this.#offsets[s] ?? 0) + i * width;
      const at = s * buckets + i;
      const part = mass / (this.#sums[at] ?? 1);
      const last = this.#last[at] ?? 0;
      for (let k = this.#first[at] ?? 0; k <= last; k++) {
        fetched[row + 1 + k] = (fetched[row + 1 + k] ?? 0) + part * (choices[from + k] ?? 0);
      }
    }
  }

  /**
   * When a page of one bucket is best fetched if a fetch costs `costs[u]` in period u (from 1): marks the periods in
   * `into`, `[t - 1]`, by 1 and 0. O(T^2).
   */
  chooseSchedule(bucket: number, costs: Float64Array, into: Uint8Array): void {
    const { periods, changed, oldWeight, pages, obsolete } = this.model;
    const values = this.#candidates;
    const next = this.#nextFetches;
    const row = bucket * periods - 1;
    const held = pages[bucket] ?? 0;
    values[periods] = 0;
    next[periods] = periods + 1;
    let latest = periods + 1;
    for (let s = periods - 1; s >= 0; s--) {
      // The segments are summed up again: they lie far apart, and to read them takes longer.
      let fresh = s === 0 && held > 0 ? 1 - (obsolete[bucket] ?? 0) / held : 1;
      let segment = 0;
      let least = Number.POSITIVE_INFINITY;
      let best = periods + 1;
      const end = Math.min(latest, periods);
      // Costs and values are not negative, so that what follows is no less than the segment.
      for (let u = s + 1; u <= end && segment < least; u++) {
        const cost = segment + (costs[u] ?? 0) + (values[u] ?? 0);
        if (cost < least) {
          least = cost;
          best = u;
        }
        fresh *= 1 - (changed[row + u] ?? 0);
        segment += (oldWeight[row + u] ?? 0) * (1 - fresh);
      }
      if (latest > periods && segment < least) {
        least = segment;
        best = periods + 1;
      }
      values[s] = least;
      next[s] = best;
      latest = best;
    }
    into.fill(0);
    for (let u = next[0] ?? 0; u <= periods; u = next[u] ?? periods + 1) into[u - 1] = 1;
  }
}
