import type { LabRow } from "../../src/core/lab-result.ts";
import { modelRho, type SharingController } from "../../src/share/engine/model-rho.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { asGoal, type PublishedNumber } from "../experiment/published.ts";
import {
  communityParameters,
  freshnessColumns,
  freshnessMeanings,
  mclearnPaper,
  pointOf,
  runCommunities,
  worldOf,
} from "./community-parameters.ts";
import type { CommunityWorld, CrawlerCourse, CrawlerSetup } from "./community-world.ts";
import { advertisedRho, bangBangRho, fixedRho } from "./rho-controller.ts";

const rho = 0.85;
const liarsOf8 = [0, 1, 3, 5] as const;
const trust = { spotShare: 0.05, falseWeight: 4, least: 0.5 } as const;
/** False events for each operation of a liar. */
const lies = 2;

const honest = (controller: SharingController<unknown> = fixedRho(rho)): CrawlerSetup => ({
  controller,
  isSharing: true,
});
const parasite: CrawlerSetup = { controller: fixedRho(0), isSharing: false };

/** A community, the part of it whose freshness counts, and what is different in its world. */
interface Case {
  readonly part: string;
  readonly rule: string;
  readonly liars?: number;
  readonly crawlers: readonly CrawlerSetup[];
  readonly counted: (all: readonly CrawlerCourse[]) => readonly CrawlerCourse[];
  readonly world?: Partial<CommunityWorld>;
}

const repeat = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

function casesOf(part: string): Case[] {
  switch (part) {
    case "liars":
      return liarsOf8.flatMap((liars) =>
        ["none", "trust", "apart"].map((rule) => ({
          ...{ part, rule, liars },
          crawlers: [
            ...repeat(8 - liars, honest()),
            ...(rule === "apart" ? [] : repeat(liars, { ...honest(), falseEvents: lies })),
          ],
          counted: (all: readonly CrawlerCourse[]) => all.slice(0, 8 - liars),
          world: rule === "trust" ? { trust } : {},
        })),
      );
    case "parasites":
      return ["none", "ratio"].flatMap((rule) =>
        ["sharing", "parasites"].map((who) => ({
          ...{ part, rule: `${rule}, ${who}` },
          crawlers: [...repeat(24, honest()), ...repeat(8, parasite)],
          counted: (all: readonly CrawlerCourse[]) => (who === "sharing" ? all.slice(0, 24) : all.slice(24)),
          world: rule === "ratio" ? { takenPerGiven: 2 } : {},
        })),
      );
    case "advertised":
      // Half of them merge nearly always, whatever the others do.
      return (["model", "advertised"] as const).map((rule) => ({
        ...{ part, rule },
        crawlers: [
          ...repeat(8, honest(rule === "model" ? modelRho() : advertisedRho())),
          ...repeat(8, honest(fixedRho(0.1))),
        ],
        counted: (all) => all,
        world: { isAdvertised: rule === "advertised" },
      }));
    case "importance":
      // A tenth of the pages is important; whose freshness counts.
      return (["all", "important"] as const).map((rule) => ({
        ...{ part, rule },
        crawlers: repeat(8, honest(bangBangRho)),
        counted: (all) => all.map((course) => ({ ...course, freshness: course.importantFreshness })),
        world: { importantShare: 0.1, ordinaryWeight: rule === "all" ? 1 : 0 },
      }));
    default:
      return [];
  }
}

function find(rows: readonly LabRow[], part: string, rule: string, liars?: number): number | undefined {
  const row = rows.find(
    (one) => one.part === part && one.rule === rule && (liars === undefined || one.liars === liars),
  );
  return row === undefined ? undefined : Number(row.freshness);
}

function lossBy(rows: readonly LabRow[], liars: number): number | undefined {
  const [without, among] = [find(rows, "liars", "apart", liars), find(rows, "liars", "trust", liars)];
  return without === undefined || among === undefined ? undefined : 1 - among / without;
}

const published: readonly PublishedNumber[] = [
  ...(
    [
      [1, 0.02],
      [3, 0.05],
      [5, 0.1],
    ] as const
  ).map(
    ([liars, most]): PublishedNumber => ({
      name: `freshness that honest crawlers with trust lose if ${liars} of 8 lie, against the same without the liars`,
      where: "section 7.2.2",
      theirs: `at most ${100 * most} %`,
      format: "percent",
      tolerance: asGoal(-1, most),
      ours: (rows) => lossBy(rows, liars),
    }),
  ),
  {
    name: "freshness of 8 parasites among 24, with a ratio of 2 events taken for one given, less that without",
    where: "section 7.3.1",
    theirs: "less",
    format: "number",
    tolerance: asGoal(-1, -0.05),
    ours: (rows) => {
      const [free, bounded] = [find(rows, "parasites", "none, parasites"), find(rows, "parasites", "ratio, parasites")];
      return free === undefined || bounded === undefined ? undefined : bounded - free;
    },
  },
  {
    name: "freshness of those that share beside them, with the ratio less that without",
    where: "section 7.3.1",
    theirs: "not less",
    format: "number",
    tolerance: asGoal(-0.01, 1),
    ours: (rows) => {
      const [free, bounded] = [find(rows, "parasites", "none, sharing"), find(rows, "parasites", "ratio, sharing")];
      return free === undefined || bounded === undefined ? undefined : bounded - free;
    },
  },
  {
    name: "freshness of 16 crawlers of which 8 hardly poll, with advertised rho less that without",
    where: "section 7.3.1",
    theirs: "more",
    format: "number",
    tolerance: asGoal(0, 1),
    ours: (rows) => {
      const [without, advertised] = [find(rows, "advertised", "model"), find(rows, "advertised", "advertised")];
      return without === undefined || advertised === undefined ? undefined : advertised - without;
    },
  },
];

/** What McLearn leaves to later work: liars, parasites, and a rho that is told. */
export const rulesExperiment: Experiment = defineExperiment({
  name: "sharing-rules",
  title: "Crawlers that share: liars, parasites, and what is told",
  paper: `${mclearnPaper}, sections 7.2.2 and 7.3.1`,
  about:
    "8 crawlers of which some add false events to their records and poll nothing, with trust by spot polls and without; 24 that share beside 8 parasites, " +
    "with a ratio of events taken to given; 8 that hardly poll beside 8 that know what the others' rho is; bang-bang that counts events of important pages only. With contention.",
  parameters: communityParameters,
  columns: [
    {
      name: "part",
      meaning: "liars, parasites, advertised, or importance: 8 with bang-bang, of whose pages a tenth is important",
    },
    { name: "rule", meaning: "the rule, and whose freshness it is; apart: the honest ones without the liars" },
    { name: "liars", meaning: "how many of 8 lie" },
    ...freshnessMeanings,
  ],
  published,
  points: () => ["liars", "parasites", "advertised", "importance"].map((name) => ({ name })),
  run: ({ name }, values, { seed, onProgress }) => {
    const cases = casesOf(name);
    return cases.map(({ part, rule, liars, crawlers, counted, world }, at): LabRow => {
      const courses = runCommunities(
        () => crawlers,
        { ...worldOf(values, crawlers.length, true), ...world },
        { seeds: values.seeds, seed, words: ["sharing-rules", part, `${liars ?? ""}`] },
        (share) => onProgress((at + share) / cases.length),
      );
      return { part, rule, liars: liars ?? null, ...freshnessColumns(courses.map(counted)) };
    });
  },
  notes: (rows) => {
    const [all, important] = [find(rows, "importance", "all"), find(rows, "importance", "important")];
    if (all === undefined || important === undefined) return [];
    return [
      `Important pages are ${important.toFixed(3)} fresh where bang-bang counts only their events, ${all.toFixed(3)} where it counts all.`,
    ];
  },
  figures: (rows) => [
    {
      name: "sharing-liars",
      title: "Honest crawlers among liars",
      caption: "8 crawlers of which some lie and poll nothing; the others with trust by spot polls, and without.",
      x: { label: "crawlers that lie, of 8", kind: "linear", domain: [0, 5] },
      y: { label: "Fresh copies of honest crawlers", kind: "linear", format: "percent", domain: [0, 1] },
      marks: ["none", "trust", "apart"].map((rule) => ({
        kind: "line" as const,
        of: "ours" as const,
        name:
          { none: "all is believed", trust: "trust by spot polls", apart: "the same without the liars" }[rule] ?? rule,
        points: rows
          .filter((row) => row.part === "liars" && row.rule === rule)
          .map((row) => pointOf(row, Number(row.liars))),
      })),
    },
  ],
});
