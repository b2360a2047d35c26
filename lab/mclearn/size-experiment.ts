import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { asWorded } from "../experiment/published.ts";
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
import { fixedRho } from "./rho-controller.ts";

const where = "section 6.2.2, Figure 6.6";
const thesisPages = 1e6;
const exponents = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
const worlds = ["contended", "free"] as const;
const rhos = [0.001, 0.3, 0.85, 1] as const;
/** The curves of the two are compared by simulation, with contention. */
const simulated: readonly number[] = [0.3, 0.85];

function find(rows: readonly LabRow[], world: string, exponent: number, rho: number): LabRow | undefined {
  return rows.find((row) => row.world === world && row.exponent === exponent && row.rho === rho);
}

/** The first exponent of N with which 0.30 is fresher than 0.85. */
function crossingOf(rows: readonly LabRow[], column: "freshness" | "formula"): number | undefined {
  return exponents.find((exponent) => {
    const [low, high] = [find(rows, "contended", exponent, 0.3), find(rows, "contended", exponent, 0.85)];
    return low !== undefined && high !== undefined && Number(low[column]) > Number(high[column]);
  });
}

/** Least by greatest freshness of 0.30 over the sizes of the plateau. */
function plateauOf(rows: readonly LabRow[], from: number, to: number): number | undefined {
  const values = exponents
    .filter((exponent) => exponent >= from && exponent <= to)
    .map((exponent) => Number(find(rows, "contended", exponent, 0.3)?.freshness));
  return values.some(Number.isNaN) ? undefined : Math.min(...values) / Math.max(...values);
}

/** Figures 6.5 and 6.6: how many crawlers. */
export const sizeExperiment: Experiment = defineExperiment({
  name: "sharing-sizes",
  title: "Crawlers that share: how many",
  paper: `${mclearnPaper}, section 6.2.2, Figures 6.5 and 6.6`,
  about:
    "Communities of 2 to 512 crawlers with rho of 0.001, 0.30, 0.85 and 1, by formula, and with contention for 0.30 and 0.85 by simulation.",
  parameters: {
    ...communityParameters,
    pages: { ...communityParameters.pages, default: 1_000_000, quick: 100_000 },
    seeds: { ...communityParameters.seeds, default: 1 },
  },
  columns: [
    { name: "world", meaning: "contended: the network serves s crawlers at full speed; free: all" },
    { name: "exponent", meaning: "N is 2 to this power" },
    { name: "rho", meaning: "share of operations that are polls" },
    ...freshnessMeanings,
    { name: "formula", meaning: "the same by formula, of a million pages" },
  ],
  published: [
    {
      name: "exponent of N from which 0.30 is fresher than 0.85, simulated",
      where,
      theirs: "8",
      format: "number",
      tolerance: asWorded(8, 8),
      ours: (rows) => crossingOf(rows, "freshness"),
      explanation: {
        expected: [7, 9],
        why:
          "In a web of fewer pages than a million both are about equal for 128 crawlers, and 256 with rho of 0.85 are not at rest yet when the " +
          "time is over; with all pages it is 8.",
      },
    },
    {
      name: "exponent of N from which 0.30 is fresher than 0.85, by formula",
      where,
      theirs: "8",
      format: "number",
      tolerance: asWorded(8, 8),
      ours: (rows) => crossingOf(rows, "formula"),
    },
    {
      name: "plateau of 0.30 from 2^4 to 2^8 crawlers: least by greatest freshness",
      where,
      theirs: "similar over a wide range",
      format: "percent",
      tolerance: asWorded(0.95, 1),
      ours: (rows) => plateauOf(rows, 4, 8),
      explanation: {
        expected: [0.05, 0.5],
        why:
          "Ours is flat from 2^4 to 2^6 and falls then: with events that cost anything to transfer, those that all crawlers repeat to each other " +
          "grow with the square of their number, and a plateau and a best freshness of 0.6 for 64 do not go together.",
      },
    },
  ],
  points: ({ largest }) =>
    worlds.flatMap((world) =>
      exponents.filter((exponent) => 2 ** exponent <= largest).map((exponent) => ({ name: `${world} ${exponent}` })),
    ),
  run: ({ name }, values, { seed, onProgress }) => {
    const [kind, power] = name.split(" ");
    const crawlers = 2 ** Number(power);
    const world = worldOf(values, crawlers, kind === "contended");
    const whole = worldOf({ ...values, pages: thesisPages }, crawlers, kind === "contended");
    return rhos.map((rho, at): LabRow => {
      const row = { world: kind ?? "", exponent: Number(power), rho, formula: meanField(whole, crawlers, rho) };
      if (kind !== "contended" || !simulated.includes(rho)) return { ...row, freshness: null, low: null, high: null };
      const courses = runCommunities(
        () => alikeCrawlers(crawlers, fixedRho(rho)),
        world,
        { seeds: values.seeds, seed, words: ["sharing-sizes", name, `${rho}`] },
        (share) => onProgress((at + share) / rhos.length),
      );
      return { ...row, ...freshnessColumns(courses) };
    });
  },
  figures: (rows) => [draw(rows, "free", "6.5"), draw(rows, "contended", "6.6")],
});

function draw(rows: readonly LabRow[], world: string, figure: string): Figure {
  return {
    name: `sharing-sizes-${world}`,
    title: `Freshness by the number of crawlers, ${world === "free" ? "without" : "with"} contention`,
    caption: `Lines by formula for a million pages, dots by simulation. McLearn, Figure ${figure}.`,
    x: { label: "Crawlers", kind: "log" },
    y: { label: "Fresh copies", kind: "linear", format: "percent", domain: [0, 1] },
    marks: [
      ...(world === "contended"
        ? [{ kind: "guide" as const, of: "theirs" as const, name: "0.30 overtakes 0.85", axis: "x" as const, at: 256 }]
        : []),
      ...rhos.map((rho) => ({
        kind: "line" as const,
        of: "ours" as const,
        name: `rho ${rho}`,
        points: exponents.flatMap((exponent) => {
          const row = find(rows, world, exponent, rho);
          return row === undefined ? [] : [{ x: 2 ** exponent, y: Number(row.formula) }];
        }),
      })),
      {
        kind: "dots" as const,
        of: "ours" as const,
        name: "simulated",
        points: rows
          .filter((row) => row.world === world && row.freshness !== null)
          .map((row) => pointOf(row, 2 ** Number(row.exponent))),
      },
    ].filter((mark) => mark.kind === "guide" || mark.points.length > 0),
  };
}
