import type { EpochSeconds } from "../../core/index.ts";
import type { ArchiveEntry } from "./archive-index.ts";

/** Cost of a request besides its body, in bytes: the fields of request and response. */
export const requestCostBytes = 300;

/** Start and end of a chain, and what must not be in it. */
interface ChainRequest {
  readonly from: EpochSeconds;
  readonly to: EpochSeconds;
  /** Whether an archive is read; others cost nothing. Default: all are. */
  readonly wanted?: (entry: ArchiveEntry) => boolean;
  /** Broken intervals, by {@link intervalKey}. Default: none. */
  readonly avoid?: ReadonlySet<string>;
}

interface Interval {
  readonly from: EpochSeconds;
  readonly to: EpochSeconds;
  readonly archives: ArchiveEntry[];
  costBytes: number;
}

interface Step {
  readonly costBytes: number;
  readonly intervals: number;
  readonly first: Interval | undefined;
}

/** Names an interval of change time. */
export function intervalKey(interval: { readonly from: EpochSeconds; readonly to: EpochSeconds }): string {
  return `${interval.from}_${interval.to}`;
}

function collectIntervals(archives: readonly ArchiveEntry[], request: ChainRequest): Interval[] {
  const { wanted = () => true, avoid } = request;
  const intervals = new Map<string, Interval>();
  for (const entry of archives) {
    const { from, to } = entry.name;
    const key = intervalKey(entry.name);
    if (to <= request.from || to > request.to || avoid?.has(key) === true) continue;
    const interval = intervals.get(key) ?? { from, to, archives: [], costBytes: 0 };
    intervals.set(key, interval);
    if (!wanted(entry)) continue;
    interval.archives.push(entry);
    interval.costBytes += entry.sizeBytes + requestCostBytes;
  }
  return [...intervals.values()];
}

/**
 * Finds the cheapest chain of intervals that covers (from, to]: a shortest path whose nodes are publications and whose edges
 * are intervals. If no interval begins at `from`, it begins earlier, and repeats some known changes. Of equally cheap chains
 * the one with fewer intervals is taken, then the one that begins latest. O(n log n) in the number of archives.
 *
 * @param archives - those of an index's tiers, in any order
 * @returns the archives to read, interval by interval, oldest first (an interval none of whose archives is wanted is
 *   an empty list); empty if `from` is `to`; undefined if there is no chain
 */
export function planChain(archives: readonly ArchiveEntry[], request: ChainRequest): ArchiveEntry[][] | undefined {
  if (request.from > request.to) return undefined;
  const intervals = collectIntervals(archives, request);
  // Newest start first, longest first: the best continuation of each interval is then known.
  intervals.sort((a, b) => b.from - a.from || b.to - a.to);
  const steps = new Map<EpochSeconds, Step>([[request.to, { costBytes: 0, intervals: 0, first: undefined }]]);
  for (const interval of intervals) {
    const rest = steps.get(interval.to);
    if (rest === undefined) continue;
    const step = { costBytes: rest.costBytes + interval.costBytes, intervals: rest.intervals + 1, first: interval };
    const best = steps.get(interval.from);
    if (best === undefined || compareSteps(step, best) < 0) steps.set(interval.from, step);
  }
  let start: { readonly at: EpochSeconds; readonly step: Step } | undefined;
  for (const [at, step] of steps) {
    if (at > request.from) continue;
    const order = start === undefined ? -1 : compareSteps(step, start.step) || start.at - at;
    if (order < 0) start = { at, step };
  }
  if (start === undefined) return undefined;
  const chain: ArchiveEntry[][] = [];
  for (let interval = start.step.first; interval !== undefined; interval = steps.get(interval.to)?.first)
    chain.push(interval.archives);
  return chain;
}

function compareSteps(a: Step, b: Step): number {
  return a.costBytes - b.costBytes || a.intervals - b.intervals;
}
