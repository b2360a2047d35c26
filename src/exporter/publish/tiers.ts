import type { EpochSeconds } from "../../core/index.ts";
import type { Interval } from "./ledger.ts";

/** How many intervals of each tier stay published. */
export const keptPerTier = 16;
/** An interval that ended longer ago than this, in seconds, is not kept. */
export const keptSeconds: number = 400 * 86_400;

const costOf = (interval: Interval): number => interval.archives.reduce((sum, { sizeBytes }) => sum + sizeBytes, 1);

/**
 * The two intervals that a binary carry merges next: consecutive, of one tier, not merged yet.
 *
 * @returns the older and the newer, or undefined when the carry has come to its end
 */
export function planMerge(intervals: readonly Interval[]): readonly [Interval, Interval] | undefined {
  const waiting = new Map<number, Interval>();
  for (const interval of intervals) {
    if (interval.merged) continue;
    const older = waiting.get(interval.tier);
    if (older !== undefined && older.to === interval.from) return [older, interval];
    waiting.set(interval.tier, interval);
  }
  return undefined;
}

/**
 * The chain of intervals of the least cost that tiles (from, to] exactly.
 *
 * @param intervals - in any order
 * @param cost - of reading an interval; default its archives' bytes
 * @returns the chain in order of time; empty if `from` is `to`; undefined if there is none
 */
export function planChain(
  intervals: readonly Interval[],
  from: EpochSeconds,
  to: EpochSeconds,
  cost: (interval: Interval) => number = costOf,
): Interval[] | undefined {
  const cheapest = new Map<EpochSeconds, { cost: number; last: Interval | undefined }>([
    [from, { cost: 0, last: undefined }],
  ]);
  const byStart = [...intervals].sort((a, b) => a.from - b.from || a.to - b.to);
  for (const interval of byStart) {
    const start = cheapest.get(interval.from);
    if (start === undefined) continue;
    const total = start.cost + cost(interval);
    const known = cheapest.get(interval.to);
    if (known === undefined || total < known.cost) cheapest.set(interval.to, { cost: total, last: interval });
  }
  const chain: Interval[] = [];
  for (let at = to; at !== from; ) {
    const last = cheapest.get(at)?.last;
    if (last === undefined) return undefined;
    chain.unshift(last);
    at = last.from;
  }
  return chain;
}

/** The most detailed chain: each publication by itself, as far back as they are kept. */
export function planFinestChain(
  intervals: readonly Interval[],
  from: EpochSeconds,
  to: EpochSeconds,
): Interval[] | undefined {
  return planChain(intervals, from, to, () => -1);
}

/** Number of changed lines in an interval. */
export function countChanges(interval: Interval): number {
  return interval.archives.reduce((sum, archive) => sum + archive.changes, 0);
}

/** What stays published, and what goes. */
export interface Retention {
  readonly kept: readonly Interval[];
  readonly dropped: readonly Interval[];
}

/**
 * Decides which intervals stay published: of each tier the newest {@link keptPerTier}, at most
 * {@link keptSeconds} after their end; and always the chain from the base.
 */
export function planRetention(
  intervals: readonly Interval[],
  base: EpochSeconds,
  publication: EpochSeconds,
): Retention {
  const chain = new Set(planChain(intervals, base, publication));
  const seen = new Map<number, number>();
  const reaches = new Set([publication]);
  const kept: Interval[] = [];
  const dropped: Interval[] = [];
  // Newest first, of one end the longest first: when an interval is met, all that could lead on from it were.
  for (const interval of [...intervals].sort((a, b) => b.to - a.to || b.tier - a.tier)) {
    const newer = seen.get(interval.tier) ?? 0;
    seen.set(interval.tier, newer + 1);
    const isRecent = newer < keptPerTier && interval.to > publication - keptSeconds;
    const isKept = reaches.has(interval.to) && (isRecent || chain.has(interval));
    if (isKept) reaches.add(interval.from);
    (isKept ? kept : dropped).push(interval);
  }
  return { kept: kept.sort(compareIntervals), dropped };
}

/** The oldest publication from which kept intervals lead to the newest. */
export function findCompleteFrom(intervals: readonly Interval[], publication: EpochSeconds): EpochSeconds {
  const reaches = new Set([publication]);
  let oldest = publication;
  const byEnd = [...intervals].sort((a, b) => b.to - a.to || b.from - a.from);
  for (const interval of byEnd) {
    if (!reaches.has(interval.to)) continue;
    reaches.add(interval.from);
    oldest = Math.min(oldest, interval.from);
  }
  return oldest;
}

/**
 * How many more changed lines make a new base due: as many lines as there are pages in all.
 * Small sites wait for an eighth of a segment, so that their robots.txt does not change each day.
 */
export function changesUntilBase(changesSinceBase: number, pages: number, segmentSize: number): number {
  return Math.max(0, Math.ceil(Math.max(pages, segmentSize / 8)) - changesSinceBase);
}

/** Whether enough has changed since the base that a new one is due. */
export function isBaseDue(changesSinceBase: number, pages: number, segmentSize: number): boolean {
  return changesUntilBase(changesSinceBase, pages, segmentSize) === 0;
}

/** Orders intervals as the ledger keeps them: by end, lower tiers first. */
export function compareIntervals(a: Interval, b: Interval): number {
  return a.to - b.to || a.tier - b.tier;
}
