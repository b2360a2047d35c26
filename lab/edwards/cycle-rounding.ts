import type { CycleShares } from "./cycle-course.ts";
import type { CycleDual } from "./cycle-dual.ts";

/** How prices answer to what is overdrawn: at first, and by how much more with each pass. */
export interface Steepness {
  readonly first: number;
  readonly growth: number;
  readonly passes: number;
}

/**
 * Whole schedules near the dual's: each bucket in turn is given the best one at prices that rise where a period is
 * overdrawn and fall where it is not full, and more so with each pass. Taking the shares of the dual itself, which mixes
 * schedules, is far worse: what makes a mixture good is lost when its shares are taken period by period.
 *
 * May overdraw a little what a period can do.
 *
 * @param prices - those of the dual's bound
 */
export function roundSchedules(
  dual: CycleDual,
  prices: Float64Array,
  { first, growth: steeper, passes }: Steepness,
): CycleShares {
  const { model } = dual;
  const { periods, buckets, pages, shares, oldCost, oldFinds, capacity } = model;
  // What a page found costs is taken as at the bound.
  dual.evaluate(prices, 0);
  const waits = dual.waitingCost;
  const waiting = Float64Array.from(dual.newChoice);
  const old = new Float64Array(buckets * periods);
  const growth = new Float64Array(periods);
  const use = new Float64Array(periods);
  const costs = new Float64Array(periods + 1);
  const schedule = new Uint8Array(periods);
  const scale = prices.reduce((most, price) => Math.max(most, price), 1e-3 * model.unit);
  const ownUse = new Float64Array(periods);
  let steepness = first * scale;
  for (let pass = 0; pass < passes; pass++) {
    countUse(dual, { old, waiting }, growth, use);
    // Another order each time, so that none is always the last to find room.
    const stride = coprime(buckets, pass);
    for (let k = 0; k < buckets; k++) {
      const i = (k * stride + pass) % buckets;
      for (let t = 1; t <= periods; t++) {
        const at = i * periods + t - 1;
        const own = ((pages[i] ?? 0) + (shares[i] ?? 0) * (growth[t - 1] ?? 0)) * (oldCost[at] ?? 0);
        const others = (use[t - 1] ?? 0) - own * (old[at] ?? 0);
        const room = capacity[t - 1] ?? 0;
        const price = Math.max(0, (prices[t - 1] ?? 0) + (steepness * (others + own / 2 - room)) / room);
        costs[t] = (oldCost[at] ?? 0) * price + (oldFinds[at] ?? 0) * (waits[t] ?? 0);
        use[t - 1] = others;
        ownUse[t - 1] = own;
      }
      dual.chooseSchedule(i, costs, schedule);
      for (let t = 1; t <= periods; t++) {
        const share = schedule[t - 1] ?? 0;
        old[i * periods + t - 1] = share;
        use[t - 1] = (use[t - 1] ?? 0) + share * (ownUse[t - 1] ?? 0);
      }
    }
    steepness *= steeper;
  }
  return { old, waiting };
}

/** Counts what new pages bring, `growth[t - 1]` before period t, and what is spent. */
function countUse(dual: CycleDual, plan: CycleShares, growth: Float64Array, use: Float64Array): void {
  const { model } = dual;
  const { periods, buckets, pages, shares, oldCost, oldFinds } = model;
  let grown = 0;
  let waiting = model.waiting;
  for (let t = 1; t <= periods; t++) {
    growth[t - 1] = grown;
    const taken = waiting * (plan.waiting[t - 1] ?? 0);
    let sum = taken * (model.newCost[t - 1] ?? 0);
    waiting += ((model.newFinds[t - 1] ?? 0) - 1) * taken + (model.arrivals[t - 1] ?? 0);
    for (let i = 0; i < buckets; i++) {
      const at = i * periods + t - 1;
      const x = ((pages[i] ?? 0) + (shares[i] ?? 0) * grown) * (plan.old[at] ?? 0);
      sum += x * (oldCost[at] ?? 0);
      waiting += x * (oldFinds[at] ?? 0);
    }
    use[t - 1] = sum;
    grown += taken;
  }
}

function divides(a: number, b: number): boolean {
  let [x, y] = [a, b];
  while (y > 0) [x, y] = [y, x % y];
  return x > 1;
}

/** A stride with which all places are reached once. */
function coprime(count: number, pass: number): number {
  let stride = Math.max(1, Math.floor(count * (0.382 + 0.011 * pass)) % count);
  while (divides(count, stride)) stride += 1;
  return stride;
}
