import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { createRandom } from "../../src/core/random.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { asWorded, type PublishedNumber } from "../experiment/published.ts";
import {
  alikeCrawlers,
  communityParameters,
  freshnessColumns,
  freshnessMeanings,
  mclearnPaper,
  pointOf,
  runCommunities,
  worldOf,
} from "./community-parameters.ts";
import { type CrawlerCourse, type CrawlerSetup, meanOf } from "./community-world.ts";
import { fixedRho } from "./rho-controller.ts";

const randomSizes = [2, 4, 8, 16, 32, 64, 128, 256] as const;
const rhos = [0.05, 0.2, 0.4, 0.6, 0.8, 0.85, 0.95, 0.99] as const;
const kinds = ["mirror", "parasite"] as const;
const crowd = 32;
const sizes = [2, 4, 8, 16, 32, 64, 128, 256] as const;
const usualRho = 0.85;

/** Slope of the line of least squares through freshness by rho. */
function slopeOf(points: readonly { readonly rho: number; readonly freshness: number }[]): number {
  const [rho, freshness] = [meanOf(points.map((one) => one.rho)), meanOf(points.map((one) => one.freshness))];
  let [above, below] = [0, 0];
  for (const one of points) {
    above += (one.rho - rho) * (one.freshness - freshness);
    below += (one.rho - rho) ** 2;
  }
  return below === 0 ? 0 : above / below;
}

const slopeAt = (rows: readonly LabRow[], crawlers: number): number | undefined => {
  const row = rows.find((one) => one.part === "random" && one.crawlers === crawlers && one.rho === null);
  return row === undefined ? undefined : Number(row.slope);
};

/** Least freshness of the one that does not poll, less that of the others beside it. */
function leastGain(rows: readonly LabRow[]): number | undefined {
  const gains = rows
    .filter(({ part, who }) => kinds.some((kind) => kind === part) && who === "alone")
    .map((row) => Number(row.freshness) - Number(besideOf(rows, row)?.freshness));
  return gains.length === 0 ? undefined : Math.min(...gains);
}

function besideOf(rows: readonly LabRow[], row: LabRow): LabRow | undefined {
  return rows.find(
    (one) => one.part === row.part && one.crawlers === row.crawlers && one.rho === row.rho && one.who === "others",
  );
}

/** First size at which the one that does not poll is fresher than crawlers of which all poll, for both kinds. */
function crossingOf(rows: readonly LabRow[], kind: string): number | undefined {
  const at = (part: string, who: string, crawlers: number): number =>
    Number(
      rows.find((row) => row.part === part && row.who === who && row.crawlers === crawlers && row.rho === usualRho)
        ?.freshness,
    );
  return sizes.find((crawlers) => at(kind, "alone", crawlers) > at("all", "others", crawlers));
}

const published: readonly PublishedNumber[] = [
  {
    name: "slope of freshness by rho, 2 crawlers with random rho",
    where: "section 6.2.3, Figure 6.8",
    theirs: "positive",
    format: "number",
    tolerance: asWorded(0.001, 1),
    ours: (rows) => slopeAt(rows, 2),
  },
  {
    name: "slope of freshness by rho, 64 crawlers with random rho",
    where: "section 6.2.3, Figures 6.7 and 6.8",
    theirs: "negative",
    format: "number",
    tolerance: asWorded(-1, -0.001),
    ours: (rows) => slopeAt(rows, 64),
  },
  {
    name: "sizes from 2 on at which the slope changes its sign",
    where: "section 6.2.3, Figure 6.8",
    theirs: "once",
    format: "number",
    tolerance: asWorded(1, 1),
    ours: (rows) => {
      const slopes = randomSizes.map((crawlers) => slopeAt(rows, crawlers));
      if (slopes.includes(undefined)) return undefined;
      return slopes.filter((slope, at) => at > 0 && Math.sign(Number(slope)) !== Math.sign(Number(slopes[at - 1])))
        .length;
    },
  },
  {
    name: "freshness of a mirror or parasite, less that of the others beside it: least",
    where: "section 6.2.4, Figures 6.9 to 6.12",
    theirs: "never worse",
    format: "number",
    tolerance: asWorded(-0.005, 1),
    ours: leastGain,
  },
  ...kinds.map(
    (kind, at): PublishedNumber => ({
      name: `crawlers from which on a ${kind} is fresher than crawlers of which all poll`,
      where: `section 6.2.4, Figure 6.${11 + at}`,
      theirs: "a medium number: for few it is not, for many it is",
      format: "number",
      tolerance: asWorded(3, 256),
      ours: (rows) => crossingOf(rows, kind),
    }),
  ),
];

function draw(rows: readonly LabRow[], kind: (typeof kinds)[number], figure: string): Figure {
  const series = (part: string, who: string, name: string) => ({
    kind: "line" as const,
    of: "ours" as const,
    name,
    points: rows
      .filter((row) => row.part === part && row.who === who && row.rho === usualRho)
      .map((row) => pointOf(row, Number(row.crawlers))),
  });
  return {
    name: `sharing-${kind}`,
    title: `One ${kind} among crawlers that share`,
    caption: `All others poll with rho of ${usualRho}, with contention. McLearn, Figure ${figure}.`,
    x: { label: "Crawlers", kind: "log" },
    y: { label: "Fresh copies", kind: "linear", format: "percent", domain: [0, 1] },
    marks: [
      series(kind, "alone", `the ${kind}`),
      series(kind, "others", "the others"),
      series("all", "others", "all poll"),
    ],
  };
}

/** Figures 6.7 to 6.12: crawlers that are not alike. */
export const mixedExperiment: Experiment = defineExperiment({
  name: "sharing-mixed",
  title: "Crawlers that share: random rho, mirrors, parasites",
  paper: `${mclearnPaper}, sections 6.2.3 and 6.2.4, Figures 6.7 to 6.12`,
  about:
    "Crawlers whose rho is drawn at random, evenly from 0 to 1; and one crawler that only merges among others with the same rho: a mirror shares what it " +
    "merged, a parasite does not. With contention.",
  parameters: communityParameters,
  columns: [
    { name: "part", meaning: "random: each rho is drawn; mirror, parasite: one only merges; all: all poll" },
    { name: "crawlers", meaning: "N" },
    { name: "rho", meaning: "share of operations that are polls; none of a slope" },
    { name: "who", meaning: "alone: the one that only merges; others: the mean of those that poll" },
    ...freshnessMeanings,
    { name: "slope", meaning: "of the line of least squares through freshness by rho" },
  ],
  published,
  points: ({ largest }) => [
    ...randomSizes
      .filter((crawlers) => crawlers <= largest)
      .map((crawlers) => ({ name: `random ${crawlers}`, weight: crawlers })),
    ...["all", ...kinds].map((part) => ({ name: part, weight: 400 })),
  ],
  run: ({ name }, values, { seed, onProgress }) => {
    const [part = "", count] = name.split(" ");
    const words = ["sharing-mixed", name];
    if (part === "random") {
      const crawlers = Number(count);
      // Few crawlers are few points for a line: as many communities as make 64 of them.
      const seeds = values.seeds * Math.max(1, Math.ceil(64 / crawlers));
      const random = createRandom(seed, ...words);
      const drawn = Array.from({ length: seeds }, () => Array.from({ length: crawlers }, () => random()));
      const courses = runCommunities(
        (run) => (drawn[run] ?? []).map((rho) => ({ controller: fixedRho(rho), isSharing: true })),
        worldOf(values, crawlers, true),
        { seeds, seed, words },
        onProgress,
      );
      const points = courses.flatMap((all, run) =>
        all.map(({ freshness }, at) => ({ rho: Number(drawn[run]?.[at]), freshness })),
      );
      const facts = { part, crawlers, who: "others" };
      return [
        { ...facts, rho: null, ...freshnessColumns(courses), slope: slopeOf(points) },
        ...points
          .slice(0, 256)
          .map(({ rho, freshness }) => ({ ...facts, rho, freshness, low: null, high: null, slope: null })),
      ];
    }
    const cases = [
      ...sizes.map((crawlers) => ({ crawlers, rho: usualRho })),
      ...(part === "all" ? [] : rhos.filter((rho) => rho !== usualRho).map((rho) => ({ crawlers: crowd, rho }))),
    ].filter(({ crawlers }) => crawlers <= values.largest);
    return cases.flatMap(({ crawlers, rho }, at): LabRow[] => {
      const peers = alikeCrawlers(part === "all" ? crawlers : crawlers - 1, fixedRho(rho));
      const alone: CrawlerSetup = { controller: fixedRho(0), isSharing: part === "mirror" };
      const courses = runCommunities(
        () => (part === "all" ? peers : [...peers, alone]),
        worldOf(values, crawlers, true),
        { seeds: values.seeds, seed, words: [...words, `${crawlers} ${rho}`] },
        (share) => onProgress((at + share) / cases.length),
      );
      const facts = { part, crawlers, rho, slope: null };
      const of = (chosen: (all: readonly CrawlerCourse[]) => readonly CrawlerCourse[]) =>
        freshnessColumns(courses.map(chosen));
      const others = { ...facts, who: "others", ...of((all) => all.slice(0, peers.length)) };
      return part === "all" ? [others] : [others, { ...facts, who: "alone", ...of((all) => all.slice(-1)) }];
    });
  },
  figures: (rows) => [
    {
      name: "sharing-random",
      title: "64 crawlers with random rho",
      caption: "Each dot is a crawler. McLearn, Figure 6.7.",
      x: { label: "rho: share of operations that are polls", kind: "linear", domain: [0, 1] },
      y: { label: "Fresh copies", kind: "linear", format: "percent", domain: [0, 1] },
      marks: [
        {
          kind: "dots",
          of: "ours",
          name: "crawlers",
          points: rows
            .filter((row) => row.part === "random" && row.crawlers === 64 && row.rho !== null)
            .map((row) => ({ x: Number(row.rho), y: Number(row.freshness) })),
        },
      ],
    },
    {
      name: "sharing-slopes",
      title: "Which rho is best for one crawler, by the number of crawlers",
      caption:
        "Slope of freshness by rho where each rho is random: above 0, polling pays, below, merging. McLearn, Figure 6.8.",
      x: { label: "Crawlers", kind: "log" },
      y: { label: "slope", kind: "linear" },
      marks: [
        { kind: "guide", of: "ours", name: "neither", axis: "y", at: 0 },
        {
          kind: "line",
          of: "ours",
          name: "slope",
          points: randomSizes.flatMap((crawlers) => {
            const y = slopeAt(rows, crawlers);
            return y === undefined ? [] : [{ x: crawlers, y }];
          }),
        },
      ],
    },
    draw(rows, "mirror", "6.11"),
    draw(rows, "parasite", "6.12"),
  ],
});
