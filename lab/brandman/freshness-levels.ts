import { createRandom } from "../../src/core/random.ts";
import { drawIntervals, type IntervalInput } from "./change-intervals.ts";
import { type ChangingPages, drawPhases, refreshByMetadata, refreshByTurns } from "./refreshed-repository.ts";

/** What Figure 6 is made from. */
export interface FreshnessModel {
  readonly pages: number;
  readonly days: number;
  readonly levels: number;
  /** What the meta-data costs a day, in pages. */
  readonly metadata: number;
  /** The longest change interval, in days. */
  readonly slowest: number;
}

/** Freshness at one level of bandwidth, all as shares from 0 to 1. */
export interface FreshnessLevel {
  /** Pages a day by all pages. */
  readonly bandwidth: number;
  readonly conventional: number;
  readonly metadata: number;
}

/**
 * Runs both crawlers of Figure 6 at each level of bandwidth, from none to all pages every day. The pages are the same
 * for each experiment of a seed.
 */
export function measureFreshness(
  input: IntervalInput,
  model: FreshnessModel,
  seed: number,
  onProgress: (share: number) => void,
): FreshnessLevel[] {
  const { pages, days, levels, metadata, slowest } = model;
  const random = createRandom(seed, "freshness", input.name);
  const web: ChangingPages = drawPhases(drawIntervals(input, pages, slowest, random), random);
  return Array.from({ length: levels + 1 }, (_, level) => {
    const limit = Math.round((level * pages) / levels);
    onProgress(level / levels);
    return {
      bandwidth: level / levels,
      conventional: refreshByTurns(web, days, limit),
      metadata: refreshByMetadata(web, days, limit, metadata),
    };
  });
}

/** The least bandwidth that reaches a freshness, between levels by a straight line; undefined if none does. */
export function bandwidthFor(
  levels: readonly FreshnessLevel[],
  crawler: "conventional" | "metadata",
  freshness: number,
): number | undefined {
  for (const [at, level] of levels.entries()) {
    if (level[crawler] < freshness) continue;
    const before = levels[at - 1];
    if (before === undefined) return level.bandwidth;
    const share = (freshness - before[crawler]) / (level[crawler] - before[crawler]);
    return before.bandwidth + share * (level.bandwidth - before.bandwidth);
  }
  return undefined;
}
