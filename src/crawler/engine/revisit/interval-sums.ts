/** Intervals that stand for those of the undated changes: with their count, sum and, where they can, sum of squares. */
export interface Intervals {
  /** Changes after an interval so short that only their count matters. */
  readonly instant: number;
  readonly first: number;
  readonly firstCount: number;
  readonly second: number;
  readonly secondCount: number;
}

/** Two lengths that have the same count, sum and, where they can, sum of squares. */
export function representIntervals(count: number, sum: number, squares: number): Intervals {
  const mean = sum / count;
  const variance = Math.max(0, squares / count - mean * mean);
  const deviation = Math.sqrt(variance);
  if (!(deviation < mean)) {
    const far = count * (mean / (mean + variance / mean));
    return { instant: count - far, first: mean + variance / mean, firstCount: far, second: 0, secondCount: 0 };
  }
  return {
    instant: 0,
    first: mean - deviation,
    firstCount: count / 2,
    second: mean + deviation,
    secondCount: count / 2,
  };
}

/** x / (e^x - 1), and its derivative by x. */
export function bernoulli(x: number): readonly [number, number] {
  if (x < 1e-5) return [1 - x / 2, -0.5 + x / 6];
  if (x > 500) return [0, 0];
  const grown = Math.expm1(x);
  return [x / grown, (grown - x * (grown + 1)) / (grown * grown)];
}
