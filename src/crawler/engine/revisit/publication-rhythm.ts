import type { EpochMs, EpochSeconds, KnownPublications, LookBounds } from "../../../core/index.ts";

/** When an index was looked at. */
export interface IndexLook {
  /** When its newest publication was seen. */
  readonly seenAt: EpochMs;
  /** When the site was looked at last without it; undefined if it never was. */
  readonly missedAt: EpochMs | undefined;
}

/** Waits that are remembered beside those between the times. */
const maxWaits = 512;
const maxLeastWaits = 8;
/**
 * A look is worth so much of the mean wait in staleness. A site that publishes at random is then looked at when something new is
 * out as often as when a page is polled: 0.3 of the times, `(1 - e^-x)^2 = (c + x - (1 - e^-x)) e^-x` at `e^-x = 0.7`.
 */
const lookCost = 0.0716;
/** Of two waits that differ by no more than this share one says what the other does. */
const likeShare = 0.2;
/** What is served is a little later than its time says: a hundredth of what was waited for, within these bounds. */
const marginShare = 0.01;
const leastMarginMs = 2000;
const mostMarginMs = 300_000;

function waitsOf(times: readonly EpochSeconds[]): number[] {
  return times.slice(1).map((time, at) => time - (times[at] ?? time));
}

/** The oldest wait that has its like is forgotten first: so nights and weekends are known where days have many publications. */
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

/** The newest publication by our own clock; the site's is believed as far as what was seen allows. */
function newestByOurClock({ times, leastAheadMs, mostAheadMs }: KnownPublications): EpochMs {
  const aheadMs = Math.min(mostAheadMs ?? 0, Math.max(leastAheadMs ?? 0, 0));
  return (times.at(-1) ?? 0) * 1000 + aheadMs;
}

/** Between what is known and what is told others may have been: of the wait after the newest only the least is known. */
function waitBetween(known: KnownPublications, missedAt: EpochMs | undefined): number[] {
  const leastMs = missedAt === undefined ? 0 : missedAt - newestByOurClock(known);
  return leastMs >= 1000 ? [Math.floor(leastMs / 1000)] : [];
}

/**
 * Takes in what an index tells of the publications of a site.
 *
 * @param told - times of the newest publications, ascending; none between the first and the last of them is missing
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
  // Where both cannot be true, one of the clocks was set.
  const isSame = leastMs <= most;
  return {
    times: told,
    waits: forgetWaits([...waits, ...news]),
    // Once such a wait is known to its end, what was known of it says no more.
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
 * After which wait to look next, so that looks and staleness until the next publication is seen cost least together: the waits
 * that were seen and are longer than what has passed are taken for equally likely, and each look that comes too early is
 * followed by the best one after it. O(n^2) for n waits.
 *
 * @param waitsMs - ascending
 * @returns undefined if no wait was so long
 */
function expectAfter(waitsMs: readonly number[], elapsedMs: number): number | undefined {
  const longer = waitsMs.filter((ms) => ms > elapsedMs);
  const costMs = (lookCost * waitsMs.reduce((sum, ms) => sum + ms, 0)) / waitsMs.length;
  /** What is still to be paid once it is known that the publication is not out after so many of the waits. */
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
 * After how long to look again at a site that is late: as long again as it is late. What few waits say alone is not waited
 * for without a look, so without `dueMs` it is after as long again as it has been.
 */
function againAfter(dueMs: number, usualMs: number, elapsedMs: number): number {
  if (dueMs === 0) return Math.max(usualMs + marginOf(usualMs), elapsedMs);
  return Math.max(marginOf(dueMs), elapsedMs - dueMs);
}

/**
 * When to look at a site again that publishes now and then: when looks and staleness cost least together, given the waits
 * between earlier publications and that the next has not come yet, and a margin later. Whoever publishes at night is
 * looked at at night, and in the office hours of those who have some. A site that is late is looked at after as long
 * again as it is late; one of which only one publication is known, after as long as that is old.
 *
 * By how much the site's clock is wrong is learned from when its publications were seen.
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
