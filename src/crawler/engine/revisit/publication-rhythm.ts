import type { EpochMs, EpochSeconds, KnownPublications, LookBounds } from "../../../core/index.ts";

/** When an index was requested. */
interface IndexLook {
  /** When its newest publication was seen. */
  readonly seenAt: EpochMs;
  /** When the index was last requested without it; undefined if never. */
  readonly missedAt: EpochMs | undefined;
}

/** Waits that are remembered besides those between the times. */
const maxWaits = 512;
const maxLeastWaits = 8;
/**
 * Cost of a look in staleness, as a share of the mean wait. With a site that publishes at random 0.3 of the looks then find
 * something, as when pages are polled: `(1 - e^-x)^2 = (c + x - (1 - e^-x)) e^-x` at `e^-x = 0.7`.
 */
const lookCost = 0.0716;
/** Waits that differ by no more than this share are alike. */
const likeShare = 0.2;
/** A publication is served a little later than its time: a hundredth of the wait, within these bounds. */
const marginShare = 0.01;
const leastMarginMs = 2000;
const mostMarginMs = 300_000;

function waitsOf(times: readonly EpochSeconds[]): number[] {
  return times.slice(1).map((time, at) => time - (times[at] ?? time));
}

/** Forgets the oldest wait that has a like one first, so that nights and weekends are remembered among many short waits. */
function forgetWaits(waits: readonly number[]): readonly number[] {
  const kept = [...waits];
  while (kept.length > maxWaits) {
    const spare = kept.findIndex((wait, at) => {
      return kept.some((other, place) => place !== at && Math.abs(other - wait) <= likeShare * wait);
    });
    kept.splice(Math.max(0, spare), 1);
  }
  return kept;
}

/** The newest publication by our own clock, as far as the offset of the site's clock is known. */
function newestByOurClock({ times, leastAheadMs, mostAheadMs }: KnownPublications): EpochMs {
  const aheadMs = Math.min(mostAheadMs ?? 0, Math.max(leastAheadMs ?? 0, 0));
  return (times.at(-1) ?? 0) * 1000 + aheadMs;
}

/** The least wait after the newest known publication, if others may have come before those now announced. */
function waitBetween(known: KnownPublications, missedAt: EpochMs | undefined): number[] {
  const leastMs = missedAt === undefined ? 0 : missedAt - newestByOurClock(known);
  return leastMs >= 1000 ? [Math.floor(leastMs / 1000)] : [];
}

/**
 * Adds the publications that an index names.
 *
 * @param told - times of the newest publications, ascending, without gaps
 */
export function learnPublications(
  known: KnownPublications | undefined,
  told: readonly EpochSeconds[],
  { seenAt, missedAt }: IndexLook,
): KnownPublications {
  const { times, waits } = known ?? { times: [], waits: [] };
  const [first] = told;
  const last = told.at(-1);
  if (first === undefined || last === undefined || last === times.at(-1)) return { ...known, times, waits };
  const isJoined = (times.at(-1) ?? Number.NEGATIVE_INFINITY) >= first;
  const older = isJoined ? [...times.filter((time) => time < first), first] : times;
  const news = waitsOf(older);
  const least = [
    ...(known?.leastWaits ?? []),
    ...(isJoined || known === undefined ? [] : waitBetween(known, missedAt)),
  ];
  const mostAheadMs = seenAt - last * 1000;
  const leastAheadMs = missedAt === undefined ? undefined : missedAt - last * 1000;
  const most = Math.min(mostAheadMs, known?.mostAheadMs ?? mostAheadMs);
  const leastMs = Math.max(leastAheadMs ?? Number.NEGATIVE_INFINITY, known?.leastAheadMs ?? Number.NEGATIVE_INFINITY);
  // If both bounds cannot hold, a clock was set.
  const isSame = leastMs <= most;
  return {
    times: told,
    waits: forgetWaits([...waits, ...news]),
    // A least wait is dropped once a whole wait of about that length is known.
    leastWaits: least.filter((wait) => !news.some((one) => one >= wait && one <= 2 * wait)).slice(-maxLeastWaits),
    mostAheadMs: isSame ? most : mostAheadMs,
    leastAheadMs: isSame ? (Number.isFinite(leastMs) ? leastMs : undefined) : leastAheadMs,
  };
}

/** Waits in milliseconds, ascending. */
function sortedWaitsMs({ times, waits }: KnownPublications): number[] {
  return [...waits, ...waitsOf(times)]
    .filter((seconds) => seconds > 0)
    .map((seconds) => seconds * 1000)
    .sort((a, b) => a - b);
}

/**
 * After which wait to look next, so that looks and staleness together cost least until the next publication is seen. The
 * known waits that are longer than the elapsed time count as equally likely, and each look that comes too early is followed
 * by the best one after it. O(n^2) for n waits.
 *
 * @param waitsMs - ascending
 * @returns undefined if no wait is that long
 */
function expectAfter(waitsMs: readonly number[], elapsedMs: number): number | undefined {
  const longer = waitsMs.filter((ms) => ms > elapsedMs);
  const costMs = (lookCost * waitsMs.reduce((sum, ms) => sum + ms, 0)) / waitsMs.length;
  /** By number of waits: the remaining cost once the publication is known not to be out after them. */
  const owedMs = new Array<number>(longer.length + 1).fill(0);
  let best: number | undefined;
  for (let from = longer.length - 1; from >= 0; from--) {
    const left = longer.length - from;
    let least = Number.POSITIVE_INFINITY;
    let passedMs = 0;
    for (let to = from + 1; to <= longer.length; to++) {
      const lookMs = longer[to - 1] ?? 0;
      passedMs += lookMs;
      const staleMs = (to - from) * lookMs - passedMs;
      const paidMs = costMs + (staleMs + (longer.length - to) * (owedMs[to] ?? 0)) / left;
      if (paidMs >= least) continue;
      least = paidMs;
      best = lookMs;
    }
    owedMs[from] = least;
  }
  return best;
}

function marginOf(ms: number): number {
  return Math.min(mostMarginMs, Math.max(leastMarginMs, ms * marginShare));
}

/**
 * After how long to look again at a site that is late: as long again as it is late; without `dueMs`, as long again as the
 * time since the last publication.
 */
function againAfter(dueMs: number, usualMs: number, elapsedMs: number): number {
  if (dueMs === 0) return Math.max(usualMs + marginOf(usualMs), elapsedMs);
  return Math.max(marginOf(dueMs), elapsedMs - dueMs);
}

/**
 * When to request the index of a site again: when looks and staleness together cost least, given the waits between earlier
 * publications, plus a margin. A site that publishes at night is requested at night. One that is late is requested after as
 * long again as it is late; one with a single known publication, after its age. The offset of the site's clock is learned
 * from when its publications were seen.
 *
 * @returns a time within the bounds from now
 */
export function planLook(known: KnownPublications, now: EpochMs, { leastMs, mostMs }: LookBounds): EpochMs {
  const newestAt = Math.min(now, newestByOurClock(known));
  const elapsedMs = now - newestAt;
  const waitsMs = sortedWaitsMs(known);
  const expectedMs = expectAfter(waitsMs, elapsedMs);
  const usualMs = expectAfter(waitsMs, 0) ?? 0;
  const longestMs = waitsMs.at(-1) ?? 0;
  const unsureMs = (known.leastWaits ?? []).reduce((longest, wait) => {
    return wait * 1000 <= elapsedMs && wait * 2000 > elapsedMs ? Math.max(longest, wait * 1000) : longest;
  }, 0);
  const waits = [againAfter(expectedMs === undefined ? longestMs : 0, usualMs, elapsedMs)];
  if (unsureMs > 0) waits.push(againAfter(unsureMs, usualMs, elapsedMs));
  if (expectedMs !== undefined) waits.push(expectedMs - elapsedMs + marginOf(expectedMs));
  const waitMs = Math.min(...waits);
  return Math.round(now + Math.max(leastMs, Math.min(mostMs, Math.max(waitMs, leastMarginMs))));
}
