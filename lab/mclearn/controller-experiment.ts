import type { LabRow } from "../../src/core/lab-result.ts";
import { modelRho, type SharingController } from "../../src/share/engine/model-rho.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { asGoal, asRounded, asWorded, type PublishedNumber } from "../experiment/published.ts";
import {
  alikeCrawlers,
  communityParameters,
  freshest,
  freshnessColumns,
  freshnessMeanings,
  mclearnPaper,
  pointOf,
  runCommunities,
  worldOf,
} from "./community-parameters.ts";
import { type CommunityWorld, meanOf } from "./community-world.ts";
import { bangBangRho, fixedRho } from "./rho-controller.ts";

const where = "section 6.3.1, Table 6.1";
/** Table 6.1: crawlers, and the share of time with the low rho, in thousandths. */
const thousandths: readonly (readonly [crawlers: number, low: number])[] = [
  [2, 362],
  [4, 572],
  [8, 707],
  [16, 780],
  [32, 805],
  [64, 808],
  [128, 816],
  [256, 782],
  [512, 628],
];
const table = thousandths.map(([crawlers, low]) => [crawlers, low / 1000] as const);
const fixed = [0.1, 0.3, 0.5, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.96, 0.97, 0.98, 0.99] as const;
const controllers: readonly (readonly [name: string, controller: SharingController<unknown>])[] = [
  ["bang-bang", bangBangRho],
  ["ours", modelRho()],
  ["baseline", fixedRho(1)],
  ...fixed.map((rho) => [`fixed ${rho}`, fixedRho(rho)] as const),
];

/** Bang-bang compares what single merges bring, which is noise where few pages are simulated; of many crawlers they bring enough. */
function wholeOf(world: CommunityWorld, crawlers: number): CommunityWorld {
  return crawlers > 64 ? world : { ...world, sampling: Math.max(1, crawlers / 32) };
}

const rowsOf = (rows: readonly LabRow[], crawlers: number): LabRow[] => rows.filter((row) => row.crawlers === crawlers);

function find(rows: readonly LabRow[], crawlers: number, controller: string): LabRow | undefined {
  return rowsOf(rows, crawlers).find((row) => row.controller === controller);
}

const bestFixed = (rows: readonly LabRow[], crawlers: number): LabRow | undefined =>
  freshest(rowsOf(rows, crawlers).filter((row) => String(row.controller).startsWith("fixed")));

/** Sizes at which one row is fresher than another, of nine. */
function countBetter(
  rows: readonly LabRow[],
  one: (crawlers: number) => LabRow | undefined,
  other: (crawlers: number) => LabRow | undefined,
): number | undefined {
  if (table.some(([crawlers]) => rowsOf(rows, crawlers).length === 0)) return undefined;
  return table.filter(([crawlers]) => Number(one(crawlers)?.freshness) > Number(other(crawlers)?.freshness)).length;
}

const published: readonly PublishedNumber[] = [
  ...table.map(
    ([crawlers, low]): PublishedNumber => ({
      name: `share of time with the low rho, ${crawlers} crawlers`,
      where,
      theirs: `${low}`,
      format: "number",
      tolerance: asRounded(low, 0.001),
      ours: (rows) => {
        const row = find(rows, crawlers, "bang-bang");
        return row === undefined ? undefined : 1 - Number(row.highshare);
      },
    }),
  ),
  {
    name: "sizes from 2 to 512 at which bang-bang is fresher than the baseline",
    where: "section 6.3.1, Figure 6.13",
    theirs: "all 9",
    format: "number",
    tolerance: asWorded(9, 9),
    ours: (rows) =>
      countBetter(
        rows,
        (n) => find(rows, n, "bang-bang"),
        (n) => find(rows, n, "baseline"),
      ),
    explanation: {
      expected: [7, 8],
      why: "With contention and 512 crawlers all are stale, the baseline least by a hair: its crawlers transfer nothing.",
    },
  },
  {
    name: "small and medium sizes, up to 64, at which the best fixed rho is fresher than bang-bang",
    where: "section 6.3.1, Figure 6.13",
    theirs: "all 6",
    format: "number",
    tolerance: asWorded(6, 6),
    ours: (rows) => {
      if (rowsOf(rows, 64).length === 0) return undefined;
      return table
        .filter(([crawlers]) => crawlers <= 64)
        .filter(([n]) => Number(bestFixed(rows, n)?.freshness) > Number(find(rows, n, "bang-bang")?.freshness)).length;
    },
  },
  {
    name: "sizes from 2 to 512 at which ours is fresher than bang-bang",
    where: "our controller",
    theirs: "9 of 9",
    format: "number",
    tolerance: asGoal(9, 9),
    ours: (rows) =>
      countBetter(
        rows,
        (n) => find(rows, n, "ours"),
        (n) => find(rows, n, "bang-bang"),
      ),
  },
  {
    name: "sizes from 2 to 512 at which ours is fresher than the best fixed rho",
    where: "our controller",
    theirs: "most: 5 and more of 9",
    format: "number",
    tolerance: asGoal(5, 9),
    ours: (rows) =>
      countBetter(
        rows,
        (n) => find(rows, n, "ours"),
        (n) => bestFixed(rows, n),
      ),
  },
];

/** Figure 6.13 and Table 6.1: controllers of rho. */
export const controllerExperiment: Experiment = defineExperiment({
  name: "sharing-controllers",
  title: "Crawlers that share: controllers",
  paper: `${mclearnPaper}, section 6.3.1, Figure 6.13 and Table 6.1`,
  about:
    "What decides between poll and merge: a fixed rho, bang-bang (0.90 if a poll brings more new events than a merge, else 0.10), and ours, " +
    "which measures what polls, merges and records cost, and takes the rho and the number of peers that make a community fresh by the " +
    "formula of the mean field. With contention. All crawlers of a community decide by the same rule.",
  parameters: {
    ...communityParameters,
    pages: { ...communityParameters.pages, default: 100_000, quick: 20_000 },
    seeds: { ...communityParameters.seeds, default: 1 },
  },
  columns: [
    { name: "crawlers", meaning: "N" },
    { name: "controller", meaning: "what decides" },
    ...freshnessMeanings,
    { name: "rho", meaning: "mean rho over operations" },
    { name: "highshare", meaning: "share of time with a rho of 0.5 and more" },
    { name: "records", meaning: "events transferred to a crawler, by its polls" },
  ],
  published,
  points: ({ largest }) =>
    table
      .filter(([crawlers]) => crawlers <= largest)
      .map(([crawlers]) => ({ name: `${crawlers}`, weight: Math.min(crawlers, 20) })),
  run: ({ name }, values, { seed, onProgress }) => {
    const crawlers = Number(name);
    const world = worldOf(values, crawlers, true);
    return controllers.map(([controller, rule], at): LabRow => {
      const courses = runCommunities(
        () => alikeCrawlers(crawlers, rule),
        rule === bangBangRho ? wholeOf(world, crawlers) : world,
        { seeds: values.seeds, seed, words: ["sharing-controllers", name] },
        (share) => onProgress((at + share) / controllers.length),
      );
      const all = courses.flat();
      return {
        crawlers,
        controller,
        ...freshnessColumns(courses),
        rho: meanOf(all.map((course) => course.rho)),
        highshare: meanOf(all.map((course) => course.highShare)),
        records: meanOf(all.map(({ recordsPerSecond, pollsPerSecond }) => recordsPerSecond / pollsPerSecond)),
      };
    });
  },
  figures: (rows) => [
    {
      name: "sharing-controllers",
      title: "Freshness by controller",
      caption: "With contention. McLearn, Figure 6.13, and our controller.",
      x: { label: "Crawlers", kind: "log" },
      y: { label: "Fresh copies", kind: "linear", format: "percent", domain: [0, 1] },
      marks: [
        ...["ours", "bang-bang", "baseline"].map((controller) => ({
          kind: "line" as const,
          of: "ours" as const,
          name: controller === "ours" ? "our controller" : controller,
          points: rows.filter((row) => row.controller === controller).map((row) => pointOf(row, Number(row.crawlers))),
        })),
        {
          kind: "line" as const,
          of: "ours" as const,
          name: "best fixed rho",
          points: table.flatMap(([crawlers]) => {
            const row = bestFixed(rows, crawlers);
            return row === undefined ? [] : [pointOf(row, crawlers)];
          }),
        },
      ],
    },
    {
      name: "sharing-low",
      title: "Share of time that bang-bang spends with the low rho",
      caption: "McLearn, Table 6.1.",
      x: { label: "Crawlers", kind: "log" },
      y: { label: "Time with rho = 0.10", kind: "linear", format: "percent", domain: [0, 1] },
      marks: [
        { kind: "dots", of: "theirs", name: "Table 6.1", points: table.map(([x, y]) => ({ x, y })) },
        {
          kind: "line",
          of: "ours",
          name: "simulated",
          points: rows
            .filter((row) => row.controller === "bang-bang")
            .map((row) => ({ x: Number(row.crawlers), y: 1 - Number(row.highshare) })),
        },
      ],
    },
  ],
});
