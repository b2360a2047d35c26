/** How the paper of a crawler's cycle is cited. */
export const edwardsPaper =
  "Edwards, McCurley, Tomlin, An Adaptive Model for Optimizing Performance of an Incremental Web Crawler, WWW10, 2001";

/**
 * Parameters of the cycles. T, B and the pages a bucket are printed; that there are 510 million pages follows from the
 * buckets of version 2. Rates, capacity, costs, finds and weights are not printed: the defaults are round numbers that
 * give the printed results.
 */
export const cycleParameters = {
  periods: { kind: "whole", default: 14, min: 2, max: 200, meaning: "T: periods of a cycle" },
  buckets: { kind: "whole", default: 255, min: 8, max: 4096, meaning: "B: buckets of change rates" },
  pages: { kind: "number", default: 510e6, min: 1, max: 1e12, meaning: "pages held at the start" },
  tails: {
    kind: "number",
    default: 1.5,
    min: 0.001,
    max: 100,
    meaning: "pages of a bucket of the fastest and slowest quarters in version 2, by those of version 1",
  },
  middle: { kind: "number", default: 0.5, min: 0.001, max: 100, meaning: "the same of the other buckets" },
  capacity: { kind: "number", default: 52e6, min: 1e-3, max: 1e12, meaning: "C: what a period may cost" },
  oldcost: { kind: "number", default: 1, min: 1e-6, max: 1e6, meaning: "c: cost of fetching a held page" },
  newcost: { kind: "number", default: 1, min: 1e-6, max: 1e6, meaning: "d: cost of fetching a new page" },
  oldfinds: {
    kind: "number",
    default: 0.0185,
    min: 0,
    max: 1,
    meaning: "oldnwt: new pages found by fetching a held one",
  },
  newfinds: {
    kind: "number",
    default: 0,
    min: 0,
    max: 0.99,
    meaning: "newnwt: new pages found by fetching a new one",
  },
  arrivals: {
    kind: "number",
    default: 0,
    min: 0,
    max: 1e12,
    meaning: "n: pages that become known in a period by themselves",
  },
  waiting: { kind: "number", default: 0, min: 0, max: 1e12, meaning: "n_0: new pages at the start" },
  stale: {
    kind: "number",
    default: 1,
    min: 0,
    max: 1000,
    meaning: "periods without a fetch before the start, whose changes are y_0",
  },
  rates: {
    kind: "choice",
    default: "power",
    choices: ["power", "lifetimes"],
    meaning: "a_i: slowest + spread * place^exponent, or by the mean lifetimes of the paper's Table 2",
  },
  slowest: { kind: "number", default: 0.0058, min: 0, max: 1, meaning: "of power: a_i of the slowest bucket" },
  spread: { kind: "number", default: 0.1042, min: 0, max: 1, meaning: "of power: what the fastest has more" },
  exponent: { kind: "number", default: 9, min: 0.1, max: 100, meaning: "of power: its exponent" },
  days: { kind: "number", default: 1, min: 0.001, max: 1000, meaning: "of lifetimes: days of a period" },
  slower: { kind: "number", default: 0.5, min: 0.001, max: 1, meaning: "what version 3 multiplies a_i by" },
  weight1: {
    kind: "number",
    default: 1,
    min: 0,
    max: 1,
    meaning: "weight of each period but the last, which weighs 1, by strategy 1",
  },
  weight2: {
    kind: "number",
    default: 0,
    min: 0,
    max: 1,
    meaning: "weight of each period but the last, which weighs 1, by strategy 2",
  },
  weight3: {
    kind: "number",
    default: 0.01,
    min: 0,
    max: 1,
    meaning: "weight of each period but the last, which weighs 1, by strategy 3",
  },
  newweight: {
    kind: "number",
    default: 1,
    min: 0,
    max: 1000,
    meaning: "weight of a new page that waits, beside an obsolete one",
  },
} as const;
