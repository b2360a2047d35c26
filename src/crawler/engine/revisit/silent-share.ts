/**
 * How likely a sample drawn at random finds none of some pages: C(n - k, m) / C(n, m). O(the lesser of m and k).
 *
 * @param pages - n, whole
 * @param silent - k of them that would be found, whole
 * @param sample - m pages that are looked at, whole
 */
export function missProbability(pages: number, silent: number, sample: number): number {
  if (silent <= 0 || sample <= 0) return 1;
  if (silent + sample > pages) return 0;
  const few = Math.min(silent, sample);
  const many = Math.max(silent, sample);
  let log = 0;
  for (let j = 0; j < few && log > -40; j++) log += Math.log1p(-many / (pages - j));
  return Math.exp(log);
}

/** The least whole number from `low` to `high` for which a condition holds that stays true once it is; `high` if none. */
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

/** What is called sure of a sample: 95 %. */
export const sampleConfidence = 0.95;

const whole = (value: number): number => (value > 0 ? Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER) : 0);

/**
 * How many of the pages at most changed in silence, when a sample drawn at random had none that did: the upper end of
 * the one-sided interval of confidence for the hypergeometric distribution, about 3 n / m for small samples m of n.
 *
 * @returns from 0, for a sample of all, to `pages`, for none
 */
export function boundSilent(pages: number, sample: number, confidence: number = sampleConfidence): number {
  const n = whole(pages);
  const m = Math.min(n, whole(sample));
  const isExcluded = (silent: number): boolean => missProbability(n, silent, m) <= 1 - confidence;
  // One less than the least number that would have shown itself.
  return isExcluded(n) && m > 0 ? findLeast(1, n, isExcluded) - 1 : n;
}

/**
 * How large a sample must be to find at least one of `silent` pages, as sure as `confidence`.
 *
 * @returns from 1 to `pages`; all pages if `silent` is below 1; 0 if there are no pages
 */
export function planSample(pages: number, silent: number, confidence: number = sampleConfidence): number {
  const n = whole(pages);
  const k = Math.min(n, whole(silent));
  if (k === 0) return n;
  return findLeast(1, n, (sample) => missProbability(n, k, sample) <= 1 - confidence);
}
