/** A site that did not answer so often in a row is given up, until the next run or, with `isForever`, for longer and longer. */
export const maxFailures = 3;
const defaultRetryMs = 30_000;
const dayMs = 24 * 3600 * 1000;

/**
 * How long a site is left alone after failures: four times as long after each further one, up to a day.
 *
 * @param failures - in a row, from 1
 * @param retryMs - after the first one; default half a minute
 */
export function planRetryMs(failures: number, retryMs: number = defaultRetryMs): number {
  return Math.min(retryMs * 4 ** (failures - 1), Math.max(dayMs, retryMs));
}
