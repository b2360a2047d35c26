import type { LabRow } from "../../src/core/lab-result.ts";
import { estimateFreshness, findBestRho, sweepFreshness } from "../../src/share/engine/model-rho.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { asGoal } from "../experiment/published.ts";
import {
  alikeCrawlers,
  communityParameters,
  freshnessColumns,
  freshnessMeanings,
  mclearnPaper,
  meanField,
  pointOf,
  runCommunities,
  worldOf,
} from "./community-parameters.ts";
import type { CommunityWorld } from "./community-world.ts";
import { fixedRho } from "./rho-controller.ts";

const sizes = [1, 16] as const;
const shares = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1] as const;
const goal = 0.9;

interface ReadPlan {
  readonly readShare: number;
  readonly rho: number;
  readonly freshness: number;
}

/** How fresh crawlers are that read archives of some sites, and poll and merge for the others. */
function estimateReading(
  { pages, changesPerSecond, mergeSeconds, recordsPerSecond }: CommunityWorld,
  crawlers: number,
  {
    exportedShare,
    pagesPerSite,
    readShare,
    rho,
  }: Omit<ReadPlan, "freshness"> & {
    readonly exportedShare: number;
    readonly pagesPerSite: number;
  },
): number {
  const exported = pages * exportedShare;
  const readsPerPoll = readShare / (1 - readShare);
  // What a read brings is what changed since the last one, and how long that is depends on what reads bring.
  let [readSeconds, interval] = [1, 0];
  for (let round = 0; round < 20 && exported > 0; round++) {
    const own = rho * (1 - readShare + readShare * readSeconds) + (1 - rho) * mergeSeconds;
    interval = ((exported / pagesPerSite) * own) / (rho * readShare);
    readSeconds = 1 + (pagesPerSite * -Math.expm1(-changesPerSecond * interval)) / recordsPerSecond;
  }
  const read = exportedShare === 0 ? 0 : sweepFreshness(1, changesPerSecond * interval);
  if (exportedShare === 1) return read;
  const polled = estimateFreshness({
    ...{ crawlers, followed: crawlers - 1, rho, pages: pages - exported, changesPerSecond, mergeSeconds },
    ...{ pollSeconds: 1 + readsPerPoll * readSeconds, recordSeconds: 1 / recordsPerSecond },
  });
  return exportedShare * read + (1 - exportedShare) * polled;
}

/** The shares of reads and of polls with which crawlers are freshest. */
function planReads(world: CommunityWorld, crawlers: number, exportedShare: number, pagesPerSite: number): ReadPlan {
  const freshnessOf = (readShare: number, rho: number): number =>
    estimateReading(world, crawlers, { exportedShare, pagesPerSite, readShare, rho });
  const rhoOf = (readShare: number): number =>
    crawlers === 1 || exportedShare === 1 ? 1 : findBestRho((rho) => freshnessOf(readShare, rho));
  const readShare =
    exportedShare === 0 || exportedShare === 1
      ? exportedShare
      : 1 - findBestRho((share) => freshnessOf(1 - share, rhoOf(1 - share)));
  const rho = rhoOf(readShare);
  return { readShare, rho, freshness: freshnessOf(readShare, rho) };
}

const rowsOf = (rows: readonly LabRow[], crawlers: number): LabRow[] => rows.filter((row) => row.crawlers === crawlers);

/** The least share of pages on sites with archives with which crawlers are so fresh, between two rows by the line through them. */
function shareFor(rows: readonly LabRow[], crawlers: number, freshness: number): number | undefined {
  const own = rowsOf(rows, crawlers);
  const at = own.findIndex((row) => Number(row.freshness) >= freshness);
  const [before, after] = [own[at - 1], own[at]];
  if (after === undefined) return undefined;
  if (before === undefined) return Number(after.exported);
  const part = (freshness - Number(before.freshness)) / (Number(after.freshness) - Number(before.freshness));
  return Number(before.exported) + part * (Number(after.exported) - Number(before.exported));
}

/** Section 7.3.3: sites that tell their changes by themselves. */
export const archivesExperiment: Experiment = defineExperiment({
  name: "sharing-archives",
  title: "Crawlers that share: sites that publish archives",
  paper: `${mclearnPaper}, section 7.3.3`,
  about:
    "Some sites publish archives of their changes: one request brings all that changed on a site since the last one. One crawler, and 16 that share " +
    "what they find on the other sites, divide their operations between archives, polls and merges as the formula finds best.",
  parameters: {
    ...communityParameters,
    site: { kind: "whole", default: 100, min: 1, max: 10_000, meaning: "pages of a site with an archive" },
  },
  columns: [
    { name: "crawlers", meaning: "N" },
    { name: "exported", meaning: "share of the pages on sites with archives" },
    ...freshnessMeanings,
    { name: "formula", meaning: "the same by formula" },
    { name: "polls", meaning: "share of the operations that poll a page" },
    {
      name: "shared",
      meaning: "freshness by formula of 64 crawlers that share at their best rho, with contention and without archives",
    },
  ],
  published: [
    {
      name: "formula off the simulation by at most",
      where: "our formula",
      theirs: "0",
      format: "number",
      tolerance: asGoal(0, 0.01),
      ours: (rows) =>
        rows.length === 0
          ? undefined
          : Math.max(...rows.map((row) => Math.abs(Number(row.freshness) - Number(row.formula)))),
    },
    {
      name: "share of pages with archives from which one crawler is fresher than 64 that share",
      where: "section 7.3.3",
      theirs: "less than all",
      format: "percent",
      tolerance: asGoal(0, 0.99),
      ours: (rows) => shareFor(rows, 1, Number(rows[0]?.shared)),
    },
    ...sizes.map((crawlers) => ({
      name: `share of pages with archives from which ${crawlers === 1 ? "one crawler is" : `${crawlers} crawlers are`} 90 % fresh`,
      where: "section 7.3.3",
      theirs: "less than all",
      format: "percent" as const,
      tolerance: asGoal(0, 0.99),
      ours: (rows: readonly LabRow[]) => shareFor(rows, crawlers, goal),
    })),
  ],
  points: ({ largest }) => sizes.filter((crawlers) => crawlers <= largest).map((crawlers) => ({ name: `${crawlers}` })),
  run: ({ name }, values, { seed, onProgress }) => {
    const crawlers = Number(name);
    const world = worldOf(values, crawlers, true);
    const [community, pagesPerSite] = [worldOf(values, 64, true), values.site];
    const shared = meanField(
      community,
      64,
      findBestRho((rho) => meanField(community, 64, rho)),
    );
    return shares.map((exportedShare, at): LabRow => {
      const { readShare, rho, freshness } = planReads(world, crawlers, exportedShare, pagesPerSite);
      const courses = runCommunities(
        () => alikeCrawlers(crawlers, fixedRho(rho)),
        { ...world, archives: { exportedShare, pagesPerSite, readShare } },
        { seeds: values.seeds, seed, words: ["sharing-archives", name, `${exportedShare}`] },
        (share) => onProgress((at + share) / shares.length),
      );
      const row = { crawlers, exported: exportedShare, ...freshnessColumns(courses) };
      return { ...row, formula: freshness, polls: rho * (1 - readShare), shared };
    });
  },
  notes: (rows) =>
    rowsOf(rows, 1)
      .filter(({ exported }) => exported === 0.9)
      .map(
        ({ polls }) =>
          `Polling ends only when every site has an archive: with 90 % of the pages, ${Math.round(100 * Number(polls))} % of one crawler's operations still poll.`,
      ),
  figures: (rows) => [
    {
      name: "sharing-archives",
      title: "Freshness by how much of the web publishes archives",
      caption: "Lines by formula, dots by simulation.",
      x: { label: "Pages on sites with archives", kind: "linear", format: "percent", domain: [0, 1] },
      y: { label: "Fresh copies", kind: "linear", format: "percent", domain: [0, 1] },
      marks: [
        {
          kind: "guide" as const,
          of: "ours" as const,
          name: "64 crawlers that share, no archives",
          axis: "y" as const,
          at: Number(rows[0]?.shared ?? 0),
        },
        ...sizes
          .filter((crawlers) => rowsOf(rows, crawlers).length > 0)
          .flatMap((crawlers) => {
            const name = crawlers === 1 ? "one crawler" : `${crawlers} crawlers that share`;
            return [
              {
                kind: "line" as const,
                of: "ours" as const,
                name: `${name}, formula`,
                points: rowsOf(rows, crawlers).map((row) => ({ x: Number(row.exported), y: Number(row.formula) })),
              },
              {
                kind: "dots" as const,
                of: "ours" as const,
                name,
                points: rowsOf(rows, crawlers).map((row) => pointOf(row, Number(row.exported))),
              },
            ];
          }),
      ],
    },
  ],
});
