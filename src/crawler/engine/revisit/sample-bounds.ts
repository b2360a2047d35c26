/** Confidence of all bounds. */
const confidence = 0.95;

/** How likely a sample of `n` finds at most `k` < n of a share 0 < `p` < 1: the binomial distribution. */
function probabilityOfAtMost(k: number, n: number, p: number): number {
  let log = n * Math.log1p(-p);
  let sum = Math.exp(log);
  for (let j = 1; j <= k; j++) {
    log += Math.log((n - j + 1) / j) + Math.log(p) - Math.log1p(-p);
    sum += Math.exp(log);
  }
  return sum;
}

/**
 * Upper bound of a share of which a random sample found some, with a confidence of 95 %: the upper end of the one-sided
 * interval of Clopper and Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial"
 * (1934); if none was found, the exact form of the rule of three, 3 / sample.
 *
 * O(found). A sample without replacement is slightly more certain.
 *
 * @returns from 0 to 1; 1 for an empty sample
 */
export function boundShare(sample: number, found: number): number {
  if (sample === 0 || found >= sample) return 1;
  if (found === 0) return 1 - (1 - confidence) ** (1 / sample);
  let low = 0;
  let high = 1;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (probabilityOfAtMost(found, sample, middle) > 1 - confidence) low = middle;
    else high = middle;
  }
  return high;
}

/** How likely a random sample of `m` of `n` pages finds none of `k`: C(n - k, m) / C(n, m). O(the lesser of m and k). */
function missProbability(n: number, k: number, m: number): number {
  if (k <= 0 || m <= 0) return 1;
  if (k + m > n) return 0;
  const few = Math.min(k, m);
  const many = Math.max(k, m);
  let log = 0;
  for (let j = 0; j < few && log > -40; j++) log += Math.log1p(-many / (n - j));
  return Math.exp(log);
}

/** The least whole number from `low` to `high` from which on a condition holds; `high` if there is none. */
function findLeast(low: number, high: number, holds: (value: number) => boolean): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return to;
}

const whole = (value: number): number => (value > 0 ? Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER) : 0);

/**
 * How many of the pages may have changed silently if a random sample found none that did: the upper end of the one-sided
 * confidence interval of the hypergeometric distribution, about 3 n / m for small samples m of n.
 *
 * @returns from 0, for a sample of all, to `pages`, for an empty one
 */
export function boundSilent(pages: number, sample: number): number {
  const n = whole(pages);
  const m = Math.min(n, whole(sample));
  const isExcluded = (silent: number): boolean => missProbability(n, silent, m) <= 1 - confidence;
  // One less than the least number that would have been found.
  return isExcluded(n) && m > 0 ? findLeast(1, n, isExcluded) - 1 : n;
}

/**
 * The sample size that finds at least one of `silent` pages with that confidence.
 *
 * @returns from 1 to `pages`; all pages if `silent` is below 1; 0 if there are no pages
 */
export function planSample(pages: number, silent: number): number {
  const n = whole(pages);
  const k = Math.min(n, whole(silent));
  if (k === 0) return n;
  return findLeast(1, n, (sample) => missProbability(n, k, sample) <= 1 - confidence);
}
