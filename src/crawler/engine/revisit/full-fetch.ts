import type { EpochMs } from "../../../core/index.ts";

/** For how long a server's "not modified" is believed: 90 days, in milliseconds. */
export const defaultDistrustMs: number = 90 * 86_400_000;

/** Where a path stands between its neighbours when work is to be spread: from 0 to 1, exclusive (FNV-1a of its UTF-16). */
export function spreadOf(path: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < path.length; at++) hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193) >>> 0;
  return hash / 2 ** 32;
}

/**
 * Whether a page is to be asked for without validators, so that a server whose validators do not follow its pages is
 * found out. The pages of one first crawl are spread over the last quarter of the time, each at its own place.
 *
 * @param fetchedAt - when its body last came whole; undefined if it never did, which is due
 * @param distrustMs - the longest time, in milliseconds; Infinity for never
 * @returns false where the clock is before `fetchedAt`
 */
export function isFullFetchDue(
  page: { readonly path: string; readonly fetchedAt: EpochMs | undefined },
  now: EpochMs,
  distrustMs: number = defaultDistrustMs,
): boolean {
  if (page.fetchedAt === undefined) return true;
  return now - page.fetchedAt >= distrustMs * (1 - spreadOf(page.path) / 4);
}
