import { type Random, shuffle } from "../../src/core/random.ts";

/** A bar of Figure 2: pages whose average change interval lies between the two, in days. */
export interface IntervalBar {
  readonly name: string;
  readonly fromDays: number;
  readonly toDays: number;
}

/** The bars of Figure 2. A page changes at most once a day there, and the last bar has no end in the paper. */
export const intervalBars: readonly IntervalBar[] = [
  { name: "within a day", fromDays: 1, toDays: 1 },
  { name: "a day to a week", fromDays: 1, toDays: 7 },
  { name: "a week to a month", fromDays: 7, toDays: 30 },
  { name: "1 to 4 months", fromDays: 30, toDays: 120 },
  { name: "over 4 months", fromDays: 120, toDays: 365 },
];

/** A histogram of change intervals to draw pages from. */
export interface IntervalInput {
  readonly name: string;
  readonly title: string;
  /** Share of the pages a bar. */
  readonly shares: readonly number[];
  /** Where in its bar a page lies: at the end, or anywhere, evenly in the logarithm. */
  readonly within: "end" | "log-uniform";
}

const choShares = [0.23, 0.15, 0.16, 0.16, 0.3] as const;

/**
 * The first two are the histogram of Cho and Garcia-Molina, *The Evolution of the Web and Implications for an
 * Incremental Crawler*, VLDB 2000, which Brandman et al. print as Figure 2 ("around 23 %" first, "more than 30 %" last).
 * The third has as many daily pages as Figure 6 of Brandman et al. needs: its 10,000 pages are of four other sites.
 */
export const intervalInputs: readonly IntervalInput[] = [
  { name: "cho", title: "270 sites, bar ends", shares: choShares, within: "end" },
  { name: "cho-spread", title: "270 sites, within bars", shares: choShares, within: "log-uniform" },
  { name: "four-sites", title: "20 % daily, bar ends", shares: [0.2, 0.15, 0.17, 0.17, 0.31], within: "end" },
];

/** The input of this name. @throws RangeError if there is none */
export function inputOf(name: string): IntervalInput {
  const input = intervalInputs.find((one) => one.name === name);
  if (input === undefined) throw new RangeError(`no input ${name}`);
  return input;
}

/**
 * Draws the change interval of each page, in days, in random order. The bars' shares are exact to a page.
 *
 * @param slowestDays - where the last bar ends
 */
export function drawIntervals(
  { shares, within }: IntervalInput,
  pages: number,
  slowestDays: number,
  random: Random,
): Float64Array {
  const intervals = new Float64Array(pages);
  let at = 0;
  let share = 0;
  for (const [bar, { fromDays, toDays }] of intervalBars.entries()) {
    share += shares[bar] ?? 0;
    const isLast = bar === intervalBars.length - 1;
    const end = isLast ? slowestDays : toDays;
    const past = isLast ? pages : Math.round(share * pages);
    for (; at < past; at++) intervals[at] = within === "end" ? end : fromDays * (end / fromDays) ** random();
  }
  shuffle(intervals, random);
  return intervals;
}
