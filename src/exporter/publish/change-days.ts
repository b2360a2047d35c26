import type { EpochSeconds } from "../../core/index.ts";
import type { Interval } from "./ledger.ts";

const daySeconds = 86_400;

/** What changed on one day. */
export interface ChangeDay {
  /** As `2026-11-20`, in UTC. */
  readonly date: string;
  /** Lines of change: a page that changed twice may count once where publications were merged. */
  readonly changes: number;
  /** Whether some of it is a share of an interval that reaches over several days. */
  readonly isEstimate: boolean;
}

/**
 * Counts changes by day, from the finest intervals that still tell: those of one publication count on its day,
 * and older ones, of which only mergers are left, are spread evenly over the days that they reach over.
 *
 * @param now - the last day is the one that this is in
 * @param days - how many days, the oldest first
 */
export function countChangesByDay(intervals: readonly Interval[], now: EpochSeconds, days: number): ChangeDay[] {
  const first = Math.floor(now / daySeconds) - days + 1;
  const counts = new Array<number>(days).fill(0);
  const estimates = new Set<number>();
  for (const { from, to, tier, archives } of tileFinely(intervals)) {
    const changes = archives.reduce((sum, archive) => sum + archive.changes, 0);
    const last = Math.floor(to / daySeconds);
    // What one publication made public became so at its end, however long ago the one before was.
    const begin = tier === 0 ? last : Math.floor((from + 1) / daySeconds);
    const shares = tier === 0 ? [changes] : spread(changes, from, to);
    for (let day = Math.max(begin, first); day <= Math.min(last, first + days - 1); day++) {
      counts[day - first] = (counts[day - first] ?? 0) + (shares[day - begin] ?? 0);
      if (begin < last) estimates.add(day - first);
    }
  }
  return counts.map((changes, at) => {
    const date = new Date((first + at) * daySeconds * 1000).toISOString().slice(0, 10);
    return { date, changes, isEstimate: estimates.has(at) };
  });
}

/** Whole numbers a day whose sum is the whole: each day gets what is due until its end less what was given. */
function spread(changes: number, from: EpochSeconds, to: EpochSeconds): number[] {
  const begin = Math.floor((from + 1) / daySeconds);
  const last = Math.floor(to / daySeconds);
  const shares: number[] = [];
  let given = 0;
  for (let day = begin; day <= last; day++) {
    const due = day === last ? changes : Math.round((changes * ((day + 1) * daySeconds - from)) / (to - from));
    shares.push(due - given);
    given = due;
  }
  return shares;
}

/** From the newest back, of the intervals that end there the shortest. */
function tileFinely(intervals: readonly Interval[]): Interval[] {
  const shortest = new Map<EpochSeconds, Interval>();
  for (const interval of intervals) {
    const known = shortest.get(interval.to);
    if (known === undefined || interval.from > known.from) shortest.set(interval.to, interval);
  }
  const tiles: Interval[] = [];
  let at = Math.max(...shortest.keys());
  for (let tile = shortest.get(at); tile !== undefined; tile = shortest.get(at)) {
    tiles.push(tile);
    at = tile.from;
  }
  return tiles;
}
