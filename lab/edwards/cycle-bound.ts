import type { CycleModel } from "./cycle-model.ts";

/**
 * What the best plan of a cycle costs at the least: the dual's value at prices, with the exact minimum. As
 * `CycleDual.evaluate` at temperature 0, which notes the choices too; this only keeps a row of each bucket, B T numbers, and
 * sums what fetches cost in between up again as far as it looks.
 *
 * @param prices - of one unit of each period's capacity, `[t - 1]`, not negative
 * @returns a lower bound of the objective, whatever the prices. O(B T^2) time at most
 */
export function boundCycle(model: CycleModel, prices: Float64Array): number {
  const { periods, buckets, pages, shares, arrivals, capacity, newCost, newFinds, newWeight } = model;
  const values = new Float64Array(buckets);
  // What follows a fetch in period u, and its price, `[i (T + 1) + u - 1]`; 0 for none.
  const reach = new Float64Array(buckets * (periods + 1));
  const latest = new Uint16Array(buckets).fill(periods + 1);
  let waits = newWeight[periods - 1] ?? 0;
  let bound = 0;
  for (let s = periods - 1; s >= 0; s--) {
    bound += waits * (arrivals[s] ?? 0) - (prices[s] ?? 0) * (capacity[s] ?? 0);
    let joined = 0;
    for (let i = 0; i < buckets; i++) joined += (shares[i] ?? 0) * (values[i] ?? 0);
    const taken = (newCost[s] ?? 0) * (prices[s] ?? 0) + joined + (newFinds[s] ?? 0) * waits;
    chooseNext(model, s, prices[s] ?? 0, waits, { values, reach, latest });
    waits = (s > 0 ? (newWeight[s - 1] ?? 0) : 0) + Math.min(waits, taken);
  }
  for (let i = 0; i < buckets; i++) bound += (pages[i] ?? 0) * (values[i] ?? 0);
  return bound + model.waiting * waits;
}

interface Rows {
  readonly values: Float64Array;
  readonly reach: Float64Array;
  readonly latest: Uint16Array;
}

/**
 * From what a page costs after a fetch in period s + 1 to what it does after one in s. The best next fetch is never later
 * than that of the fetch after it (Monge's property), and no sooner than what is obsolete until then allows.
 */
function chooseNext(model: CycleModel, s: number, price: number, waits: number, { values, reach, latest }: Rows): void {
  const { periods, buckets, changed, oldWeight, oldCost, oldFinds, pages, obsolete } = model;
  for (let i = 0; i < buckets; i++) {
    const from = i * periods;
    const row = i * (periods + 1);
    reach[row + s] = (oldCost[from + s] ?? 0) * price + (oldFinds[from + s] ?? 0) * waits + (values[i] ?? 0);
    const held = pages[i] ?? 0;
    let fresh = s === 0 && held > 0 ? 1 - (obsolete[i] ?? 0) / held : 1;
    let segment = 0;
    let least = Number.POSITIVE_INFINITY;
    const end = Math.min(periods, latest[i] ?? 0);
    let best = periods + 1;
    let at = s;
    // Nothing is negative, so that what follows costs no less than the segment.
    for (; at < end && segment < least; at++) {
      const cost = segment + (reach[row + at] ?? 0);
      if (cost < least) {
        least = cost;
        best = at + 1;
      }
      fresh *= 1 - (changed[from + at] ?? 0);
      segment += (oldWeight[from + at] ?? 0) * (1 - fresh);
    }
    if (segment < least && at === periods && (latest[i] ?? 0) > periods) {
      least = segment;
      best = periods + 1;
    }
    latest[i] = best;
    values[i] = least;
  }
}
