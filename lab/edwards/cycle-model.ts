/** A number for all, one for each period (`at[t - 1]`), or a function of the period (from 1) and the bucket (from 0). */
export type CycleValue = number | readonly number[] | ((period: number, bucket: number) => number);

/** What a crawler's cycle is planned from; letters as in the paper, given in parentheses. */
export interface CycleFacts {
  /** Periods in a cycle (T), from 1 to 400. */
  readonly periods: number;
  /** Pages held in each bucket at the start (b_i0); pages of one bucket change about equally often. */
  readonly pages: ArrayLike<number>;
  /** Those of them whose copies are obsolete (y_i0). */
  readonly obsolete: ArrayLike<number>;
  /** Share of a bucket's pages that change in a period (a_it), from 0 to 1. */
  readonly changed: CycleValue;
  /** Known pages that were never fetched, at the start (n_0). Default 0. */
  readonly waiting?: number;
  /** Pages that become known in each period by themselves (n). Default 0. */
  readonly arrivals?: CycleValue;
  /** What may be spent in each period (C_t), in the unit of the costs: fetches, or seconds. */
  readonly capacity: CycleValue;
  /** What fetching a held page costs (c_it). Default 1. */
  readonly oldCost?: CycleValue;
  /** What fetching a new page costs (d_t). Default 1. */
  readonly newCost?: CycleValue;
  /** What an obsolete copy weighs at the end of a period (oldwt_it). Default 1. */
  readonly oldWeight?: CycleValue;
  /** What a page that still waits weighs (newwt_t). Default 1. */
  readonly newWeight?: CycleValue;
  /** New pages that are found by fetching a held page (oldnwt_it). Default 0. */
  readonly oldFinds?: CycleValue;
  /** New pages that are found by fetching a new page (newnwt_t), below 1. Default 0. */
  readonly newFinds?: CycleValue;
}

/** The facts laid out: `[i * T + t - 1]` for bucket i and period t, `[t - 1]` for a period. */
export interface CycleModel {
  readonly periods: number;
  readonly buckets: number;
  readonly pages: Float64Array;
  readonly obsolete: Float64Array;
  /** How new pages are distributed over the buckets (p_i): as the held ones. */
  readonly shares: Float64Array;
  readonly waiting: number;
  readonly changed: Float64Array;
  readonly oldCost: Float64Array;
  readonly oldWeight: Float64Array;
  readonly oldFinds: Float64Array;
  readonly arrivals: Float64Array;
  readonly capacity: Float64Array;
  readonly newCost: Float64Array;
  readonly newWeight: Float64Array;
  readonly newFinds: Float64Array;
  /** The largest weight: what prices are measured by. */
  readonly unit: number;
}

const mostPeriods = 400;

function valueAt(value: CycleValue, period: number, bucket: number): number {
  if (typeof value === "number") return value;
  return typeof value === "function" ? value(period, bucket) : (value[period - 1] ?? Number.NaN);
}

interface Bounds {
  readonly name: string;
  readonly most?: number;
  readonly above0?: boolean;
}

function lay(value: CycleValue, periods: number, buckets: number, bounds: Bounds): Float64Array {
  const { name, most = 1e300, above0 = false } = bounds;
  const laid = new Float64Array(periods * buckets);
  if (typeof value === "number" && value > 0 && value <= most) return laid.fill(value);
  for (let i = 0; i < buckets; i++) {
    for (let t = 1; t <= periods; t++) {
      const number = valueAt(value, t, i);
      if (!(number >= 0 && number <= most) || (above0 && number === 0)) {
        throw new RangeError(`${name} of bucket ${i} in period ${t} is ${number}`);
      }
      laid[i * periods + t - 1] = number;
    }
  }
  return laid;
}

/**
 * Lays the facts of a cycle out, and checks them.
 *
 * @throws RangeError if a number is negative, none, or beyond what it can be
 * @see J. Edwards, K. McCurley, J. Tomlin, "An Adaptive Model for Optimizing Performance of an Incremental Web Crawler",
 * WWW10, 2001, section 4
 */
export function createCycle(facts: CycleFacts): CycleModel {
  const { periods } = facts;
  const buckets = facts.pages.length;
  if (!(Number.isInteger(periods) && periods >= 1 && periods <= mostPeriods)) {
    throw new RangeError(`not a number of periods: ${periods}`);
  }
  const pages = lay((_, i) => facts.pages[i] ?? Number.NaN, 1, buckets, { name: "pages" });
  const obsolete = lay((_, i) => facts.obsolete[i] ?? Number.NaN, 1, buckets, { name: "obsolete" });
  const total = pages.reduce((sum, count) => sum + count, 0);
  if (!(total > 0)) throw new RangeError("a cycle without pages");
  const tooMany = obsolete.findIndex((count, i) => count > (pages[i] ?? 0));
  if (tooMany >= 0) throw new RangeError(`more obsolete pages than pages in bucket ${tooMany}`);
  const byBucket = (value: CycleValue, bounds: Bounds): Float64Array => lay(value, periods, buckets, bounds);
  const byPeriod = (value: CycleValue, bounds: Bounds): Float64Array => lay(value, periods, 1, bounds);
  const oldWeight = byBucket(facts.oldWeight ?? 1, { name: "oldWeight" });
  const newWeight = byPeriod(facts.newWeight ?? 1, { name: "newWeight" });
  let unit = 0;
  for (const weight of oldWeight) unit = Math.max(unit, weight);
  for (const weight of newWeight) unit = Math.max(unit, weight);
  return {
    periods,
    buckets,
    pages,
    obsolete,
    shares: pages.map((count) => count / total),
    waiting: byPeriod(facts.waiting ?? 0, { name: "waiting" })[0] ?? 0,
    changed: byBucket(facts.changed, { name: "changed", most: 1 }),
    oldCost: byBucket(facts.oldCost ?? 1, { name: "oldCost", above0: true }),
    oldWeight,
    oldFinds: byBucket(facts.oldFinds ?? 0, { name: "oldFinds" }),
    arrivals: byPeriod(facts.arrivals ?? 0, { name: "arrivals" }),
    capacity: byPeriod(facts.capacity, { name: "capacity", above0: true }),
    newCost: byPeriod(facts.newCost ?? 1, { name: "newCost", above0: true }),
    newWeight,
    newFinds: byPeriod(facts.newFinds ?? 0, { name: "newFinds", most: 1 - 1e-9 }),
    unit: unit > 0 ? unit : 1,
  };
}
