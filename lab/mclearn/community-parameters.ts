import type { LabRow } from "../../src/core/lab-result.ts";
import { createRandom } from "../../src/core/random.ts";
import { estimateFreshness, type SharingController } from "../../src/share/engine/model-rho.ts";
import { boundMean } from "../planners/confidence.ts";
import { type CommunityWorld, type CrawlerCourse, type CrawlerSetup, meanOf } from "./community-world.ts";
import { simulateCommunity } from "./sharing-community.ts";

/** How the thesis of sharing crawlers is cited. */
export const mclearnPaper = "McLearn, Autonomous Cooperating Web Crawlers, M.Math. thesis, Waterloo 2002";

/** Parameters of all communities. */
export const communityParameters = {
  pages: {
    kind: "whole",
    default: 100_000,
    quick: 20_000,
    min: 1000,
    max: 1_000_000,
    meaning: "pages of the web; the thesis has a million",
  },
  changes: {
    kind: "number",
    default: 4.9651,
    min: 0.001,
    max: 100,
    meaning: "changes of a page while one crawler polls all pages once; (1 - e^-x) / x is then 0.2",
  },
  births: {
    kind: "number",
    default: 0.003476,
    min: 0,
    max: 1,
    meaning: "pages that die in a day, of a million; each is replaced by a new one",
  },
  slots: {
    kind: "number",
    default: 20,
    min: 1,
    max: 1e6,
    meaning: "s: crawlers that the network serves at full speed",
  },
  records: { kind: "number", default: 1000, min: 1, max: 1e9, meaning: "events that a merge transfers in a second" },
  largest: { kind: "whole", default: 1024, min: 2, max: 1024, meaning: "larger communities are left out" },
  seeds: {
    kind: "whole",
    default: 3,
    quick: 1,
    min: 1,
    max: 100,
    meaning: "communities, with bounds of 95 % confidence",
  },
} as const;

/** Values of {@link communityParameters}. */
export interface CommunityValues {
  readonly pages: number;
  readonly changes: number;
  readonly births: number;
  readonly slots: number;
  readonly records: number;
  readonly largest: number;
  readonly seeds: number;
}

/** Seconds in which a crawler of the thesis polls its million pages. */
const sweepSeconds = 1e6;

/** How long, in times that a crawler takes to poll all pages at a poll a second. */
const sweeps = 2;
/** Pages that are simulated at most; of more than 16 crawlers, copies of all crawlers together. */
const simulatedPages = 1e5;
const simulatedCopies = 2.5e5;

/**
 * The world of so many crawlers. A smaller web than the thesis's is polled and changes more often in proportion, so that freshness is
 * the same. Of many crawlers only some pages are simulated, and the others take their time.
 */
export function worldOf(values: CommunityValues, crawlers: number, isContended: boolean): CommunityWorld {
  const { pages, changes, births, slots, records } = values;
  const simulated = crawlers <= 16 ? simulatedPages : Math.max(200, simulatedCopies / crawlers);
  return {
    pages,
    sampling: Math.max(1, Math.round(pages / simulated)),
    changesPerSecond: (changes + (births * sweepSeconds) / 86_400) / pages,
    slots: isContended ? slots : Number.POSITIVE_INFINITY,
    mergeSeconds: 1,
    recordsPerSecond: records,
    seconds: sweeps * pages,
  };
}

/** The freshness of crawlers that are all alike, by its formula. */
export function meanField(world: CommunityWorld, crawlers: number, rho: number): number {
  const speed = Math.min(1, world.slots / crawlers);
  return estimateFreshness({
    crawlers,
    followed: crawlers - 1,
    rho,
    pages: world.pages,
    changesPerSecond: world.changesPerSecond,
    pollSeconds: 1 / speed,
    mergeSeconds: world.mergeSeconds / speed,
    recordSeconds: 1 / (world.recordsPerSecond * speed),
  });
}

/** So many crawlers that share, all alike. */
export function alikeCrawlers(count: number, controller: SharingController<unknown>): CrawlerSetup[] {
  return Array.from({ length: count }, () => ({ controller, isSharing: true }));
}

/** Runs a community once a seed. */
export function runCommunities(
  setups: (run: number) => readonly CrawlerSetup[],
  world: CommunityWorld,
  { seeds, seed, words }: { readonly seeds: number; readonly seed: number; readonly words: readonly string[] },
  onProgress: (share: number) => void,
): CrawlerCourse[][] {
  return Array.from({ length: seeds }, (_, run) =>
    simulateCommunity(setups(run), world, createRandom(seed, ...words, `run ${run}`), (share) =>
      onProgress((run + share) / seeds),
    ),
  );
}

/** Mean freshness over crawlers, with its bounds over seeds, as columns. */
export function freshnessColumns(courses: readonly (readonly CrawlerCourse[])[]): {
  readonly freshness: number;
  readonly low: number;
  readonly high: number;
} {
  const { mean, low, high } = boundMean(courses.map((crawlers) => meanOf(crawlers.map((course) => course.freshness))));
  return { freshness: mean, low, high };
}

/** The columns of {@link freshnessColumns}. */
export const freshnessMeanings = [
  { name: "freshness", meaning: "share of copies that are fresh, 0 to 1, mean of the crawlers" },
  { name: "low", meaning: "lower bound of 95 % confidence over the seeds" },
  { name: "high", meaning: "upper bound" },
] as const;

/** A point of a figure, with its bounds. */
export function pointOf(row: LabRow, x: number): { x: number; y: number; range: readonly [number, number] } {
  return { x, y: Number(row.freshness), range: [Number(row.low), Number(row.high)] };
}

/** The row with the greatest freshness; undefined of none. */
export function freshest(rows: readonly LabRow[]): LabRow | undefined {
  return rows.reduce<LabRow | undefined>(
    (best, row) => (best === undefined || Number(row.freshness) > Number(best.freshness) ? row : best),
    undefined,
  );
}
