/** A mean, and the bounds in which the true one lies with a confidence of 95 % (Student). */
export interface MeanBounds {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** The 97.5 % points of Student's distribution with 1, 2, ... degrees of freedom. */
const studentPoints = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** The mean of values that were found independently; of one value nothing bounds it but itself. */
export function boundMean(values: readonly number[]): MeanBounds {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length < 2) return { mean, low: mean, high: mean };
  const freedom = values.length - 1;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / freedom;
  const reach = (studentPoints[freedom - 1] ?? 1.96) * Math.sqrt(variance / values.length);
  return { mean, low: mean - reach, high: mean + reach };
}
