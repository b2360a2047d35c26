/** How likely a sample of `n` finds at most `k` < n, if a share 0 < `p` < 1 is to be found: the binomial distribution. */
function probabilityOfAtMost(k: number, n: number, p: number): number {
  let log = n * Math.log1p(-p);
  let sum = Math.exp(log);
  for (let j = 1; j <= k; j++) {
    log += Math.log((n - j + 1) / j) + Math.log(p) - Math.log1p(-p);
    sum += Math.exp(log);
  }
  return sum;
}

const bisections = 60;

/**
 * The share of a whole that is no larger, with a confidence of 95 %, when a random sample of it had `found` of them. Of
 * none found it is the rule of three, 3 / sample, in its exact form; of more the upper end of the one-sided interval
 * of Clopper and Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial" (1934).
 *
 * O(found). A sample without replacement is a little surer than this says.
 *
 * @returns from 0 to 1; 1 of an empty sample
 */
export function boundShare(sample: number, found: number): number {
  if (sample === 0 || found >= sample) return 1;
  if (found === 0) return 1 - 0.05 ** (1 / sample);
  let low = 0;
  let high = 1;
  for (let step = 0; step < bisections; step++) {
    const middle = (low + high) / 2;
    if (probabilityOfAtMost(found, sample, middle) > 0.05) low = middle;
    else high = middle;
  }
  return high;
}
