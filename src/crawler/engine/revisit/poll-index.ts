/** Coefficients of x^2 in the sum over k >= 2 of (-1)^k (k - 1) x^k / k!, the last first; exact up to x = 0.5. */
const gainTerms: readonly number[] = Array.from({ length: 15 }, (_, at) => {
  let term = at % 2 === 0 ? at + 1 : -(at + 1);
  for (let k = 2; k <= at + 2; k++) term /= k;
  return term;
}).reverse();

/**
 * 1 - (1 + x) e^-x: the value of a poll after x expected changes, relative to its maximum.
 *
 * @param left - e^-x
 */
function gain(x: number, left = Math.exp(-x)): number {
  if (x > 0.5) return x > 800 ? 1 : 1 - left - x * left;
  // The difference of two nearly equal terms would be noise.
  let sum = 0;
  for (let at = 0; at < gainTerms.length; at++) sum = sum * x + (gainTerms[at] as number);
  return sum * x * x;
}

const mostChanges = 80;
/** Halley's method converges cubically: after a step as small as this the error is negligible. */
const stepTolerance = 1e-5;

/** Approximates the inverse: by the series of the root of 2 part, or from above by x = ln(1 + x) - ln(1 - part). */
function guessChanges(part: number): number {
  if (part < 0.7) {
    const root = Math.sqrt(2 * part);
    return root * (1 + root * (1 / 3 + root * (11 / 72)));
  }
  const far = -Math.log1p(-part);
  const near = far + Math.log1p(far + Math.log1p(far));
  return far + Math.log1p(near);
}

/**
 * The inverse of 1 - (1 + x) e^-x, by Halley's method within a bracket.
 *
 * @param part - from 0 to 1
 * @returns expected changes; Infinity from 1 on, 0 up to 0
 */
export function expectedChangesAt(part: number): number {
  if (!(part > 0)) return 0;
  if (part >= 1) return Number.POSITIVE_INFINITY;
  let low = 0;
  let high = mostChanges;
  let x = guessChanges(part);
  for (let step = 0; step < 100; step++) {
    const left = Math.exp(-x);
    const excess = gain(x, left) - part;
    if (excess > 0) high = x;
    else low = x;
    const newton = excess / (x * left);
    const curved = 1 - (newton * (1 - x)) / (2 * x);
    let next = x - (curved > 0.5 ? newton / curved : newton);
    if (Math.abs(next - x) <= x * stepTolerance) return next;
    if (!(next > low && next < high)) next = (low + high) / 2;
    x = next;
  }
  return x;
}

/** x^2 / 2 - 1 + (1 + x) e^-x: by how much a poll after x expected changes reduces a page's age. */
function agedBy(x: number): number {
  if (x > 0.5) return (x * x) / 2 - gain(x);
  // The series of the gain without its first term x^2 / 2.
  let power = (x * x) / 2;
  let sum = 0;
  for (let k = 3; k < 20; k++) {
    power *= -x / k;
    const term = (k - 1) * power;
    sum -= term;
    if (Math.abs(term) <= sum * 1e-17) break;
  }
  return sum;
}

/**
 * The inverse of x^2 / 2 - 1 + (1 + x) e^-x, by Newton's method. The function is convex: the first step leads above the
 * root, the others down to it.
 *
 * @param part - not negative
 * @returns expected changes; 0 up to 0
 */
export function changesAtAge(part: number): number {
  if (!(part > 0)) return 0;
  let x = Math.max(Math.cbrt(3 * part), Math.sqrt(2 * part));
  for (let step = 0; step < 100 && x < Number.POSITIVE_INFINITY; step++) {
    const next = x - (agedBy(x) - part) / (x * -Math.expm1(-x));
    if (step > 0 && next >= x) break;
    x = next;
  }
  return x;
}

/**
 * The value of a poll of a page now: `V = (w / L) (1 - (1 + L t) e^(-L t))`, the derivative of its freshness by the number of
 * polls. Always polling the page of the largest value is nearly optimal, and adapts at once to another budget.
 *
 * @param ratePerSecond - L, expected changes a second
 * @param elapsedSeconds - t, since the last poll; Infinity for one that lies very long ago
 * @param weight - w, how much the page matters beside others
 * @returns seconds of freshness, times the weight; from 0 to `w / L`, 0 for what is negative or no number
 * @see Busa-Fekete et al., "Learning to Crawl: Optimal freshness crawling with signals", arXiv 2502.02430, 2025
 */
export function pollValue(ratePerSecond: number, elapsedSeconds: number, weight = 1): number {
  if (!(ratePerSecond > 0 && elapsedSeconds > 0 && weight > 0)) return 0;
  const x = ratePerSecond * elapsedSeconds;
  // By the time where the rate is small, by the rate where the time is endless; and where x * x is no number any more.
  if (x < 1e-100) return weight * elapsedSeconds * (x / 2);
  return x < 1 ? weight * elapsedSeconds * (gain(x) / x) : (weight / ratePerSecond) * gain(x);
}

/**
 * The inverse of {@link pollValue}: how long after its last poll a page is worth `value`.
 *
 * @returns seconds; Infinity if it never is, because it changes too fast or not at all
 */
export function secondsUntilValue(value: number, ratePerSecond: number, weight = 1): number {
  if (!(value > 0)) return 0;
  if (!(ratePerSecond > 0 && weight > 0)) return Number.POSITIVE_INFINITY;
  return expectedChangesAt((value / weight) * ratePerSecond) / ratePerSecond;
}

/** How likely it is that a page changed: `1 - e^(-L t)`. 0 for what is negative or no number. */
export function changeProbability(ratePerSecond: number, elapsedSeconds: number): number {
  return ratePerSecond > 0 && elapsedSeconds > 0 ? -Math.expm1(-ratePerSecond * elapsedSeconds) : 0;
}

/** The inverse of {@link changeProbability}, in seconds; Infinity for a page that never changes. */
export function secondsUntilProbability(probability: number, ratePerSecond: number): number {
  if (!(probability > 0)) return 0;
  return ratePerSecond > 0 ? -Math.log1p(-Math.min(1, probability)) / ratePerSecond : Number.POSITIVE_INFINITY;
}

/**
 * The share of time in which a copy is as the page is, polled at equal intervals: `(1 - e^-r) / r`, r = L / f.
 *
 * @param pollsPerSecond - f; 0 gives 0, unless the page never changes
 * @see J. Cho, H. Garcia-Molina, "Effective Page Refresh Policies for Web Crawlers", ACM TODS 28(4), 2003
 */
export function expectedFreshness(ratePerSecond: number, pollsPerSecond: number): number {
  if (!(ratePerSecond > 0)) return 1;
  if (!(pollsPerSecond > 0)) return 0;
  const r = ratePerSecond / pollsPerSecond;
  return r < 1e-8 ? 1 - r / 2 : -Math.expm1(-r) / r;
}

/**
 * How long ago, at a mean instant, the page became another than the copy: `I (1/2 - 1/r + (1 - e^-r) / r^2)`, I = 1 / f.
 *
 * @returns seconds; Infinity for a page that changes and is never polled
 */
export function expectedAgeSeconds(ratePerSecond: number, pollsPerSecond: number): number {
  if (!(ratePerSecond > 0)) return 0;
  if (!(pollsPerSecond > 0)) return Number.POSITIVE_INFINITY;
  const r = ratePerSecond / pollsPerSecond;
  const part = r < 1e-2 ? r / 6 - (r * r) / 24 + (r * r * r) / 120 : 0.5 - 1 / r - Math.expm1(-r) / (r * r);
  return part / pollsPerSecond;
}
