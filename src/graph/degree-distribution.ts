/** How many nodes have a degree. */
export interface DegreeCount {
  readonly degree: number;
  readonly nodes: number;
}

/** A power law that fits the upper end of a distribution: the share of nodes with degree k is proportional to k^-exponent. */
export interface PowerLaw {
  readonly exponent: number;
  /** The degrees for which it was fitted, from the first to the last. */
  readonly range: readonly [number, number];
  /** How many nodes have such degrees. */
  readonly nodes: number;
  /** Largest difference between the cumulative distributions of the nodes and of the law (Kolmogorov and Smirnov). */
  readonly distance: number;
}

/** How many nodes have each degree, by rising degree. */
export function countDegrees(degrees: Uint32Array): DegreeCount[] {
  const counts = new Map<number, number>();
  for (let node = 0; node < degrees.length; node++) {
    const degree = degrees[node] as number;
    counts.set(degree, (counts.get(degree) ?? 0) + 1);
  }
  return [...counts].map(([degree, nodes]) => ({ degree, nodes })).sort((a, b) => a.degree - b.degree);
}

/** Terms of the sum before Euler's and Maclaurin's formula takes over. */
const zetaTerms = 12;

/** Hurwitz's zeta function, the sum of (from + k)^-s over all k from 0, for s above 1; its relative error is below 1e-10. */
export function hurwitzZeta(s: number, from: number): number {
  let sum = 0;
  for (let k = 0; k < zetaTerms; k++) sum += (from + k) ** -s;
  const end = from + zetaTerms;
  const tail = end ** (1 - s) / (s - 1) + end ** -s / 2 + (s * end ** (-s - 1)) / 12;
  return sum + tail - (s * (s + 1) * (s + 2) * end ** (-s - 3)) / 720;
}

const exponents = [1.01, 8] as const;
/** No degrees of the Web are steeper. */
const steepest = 6;
/** What a law is farther from it does not describe. */
const farthest = 0.1;

/** The exponent under which degrees from one on are most likely, by golden-section search: the likelihood has one maximum. */
function mostLikely(from: number, nodes: number, logSum: number): number {
  const golden = (Math.sqrt(5) - 1) / 2;
  const cost = (s: number): number => nodes * Math.log(hurwitzZeta(s, from)) + s * logSum;
  let [low, high] = exponents as readonly [number, number];
  while (high - low > 1e-6) {
    const [a, b] = [high - golden * (high - low), low + golden * (high - low)];
    if (cost(a) < cost(b)) high = b;
    else low = a;
  }
  return (low + high) / 2;
}

/** Fewer nodes say nothing about a law. */
const fewestNodes = 50;
/** From so many degrees, spread evenly over the logarithms, the range may begin. */
const mostStarts = 60;

function* chooseStarts(counts: readonly DegreeCount[]): Generator<number, void, void> {
  const last = counts.at(-1)?.degree ?? 1;
  let due = 1;
  for (const [at, { degree }] of counts.entries()) {
    if (degree < due) continue;
    yield at;
    due = Math.max(degree + 1, degree * last ** (1 / mostStarts));
  }
}

/**
 * Fits a power law as Clauset, Shalizi and Newman do: for each degree where the range may begin the most likely exponent, and of these ranges the
 * one that the law is nearest to.
 *
 * @param counts - by rising degree
 * @returns undefined if under 50 nodes, or no two degrees, are left to fit, or no law is near
 * @see A. Clauset, C. Shalizi, M. Newman, "Power-Law Distributions in Empirical Data", SIAM Review 51(4), 2009, sections 3.1 and 3.3
 */
export function fitPowerLaw(counts: readonly DegreeCount[]): PowerLaw | undefined {
  let best: PowerLaw | undefined;
  for (const start of chooseStarts(counts)) {
    const tail = counts.slice(start);
    const nodes = tail.reduce((sum, one) => sum + one.nodes, 0);
    if (nodes < fewestNodes || tail.length < 2) break;
    const from = tail[0]?.degree ?? 1;
    const logSum = tail.reduce((sum, one) => sum + one.nodes * Math.log(one.degree), 0);
    const exponent = mostLikely(from, nodes, logSum);
    // Steeper than any law: the degrees have an end of their own.
    if (exponent > steepest) continue;
    const all = hurwitzZeta(exponent, from);
    const differenceBelow = (degree: number, count: number): number =>
      Math.abs(count / nodes - 1 + hurwitzZeta(exponent, degree) / all);
    let [below, distance, next] = [0, 0, from];
    for (const one of tail) {
      // Over degrees that no node has the law goes on.
      if (one.degree > next) distance = Math.max(distance, differenceBelow(one.degree, below));
      below += one.nodes;
      next = one.degree + 1;
      distance = Math.max(distance, differenceBelow(next, below));
    }
    if (distance < (best?.distance ?? farthest))
      best = { exponent, range: [from, tail.at(-1)?.degree ?? from], nodes, distance };
  }
  return best;
}
