import type { LabRow } from "../../src/core/lab-result.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { asGoal, asRounded, asWorded } from "../experiment/published.ts";
import {
  communityParameters,
  freshnessColumns,
  freshnessMeanings,
  mclearnPaper,
  meanField,
  pointOf,
  runCommunities,
  worldOf,
} from "./community-parameters.ts";
import { meanOf } from "./community-world.ts";
import { fixedRho } from "./rho-controller.ts";

const where = "section 6.2.1, Figure 6.1";
const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] as const;
const worlds = ["contended", "free"] as const;
/** Crawlers that share nothing only slow each other down: some of them say what all do. */
const simulated = 4;

const rowsOf = (rows: readonly LabRow[], world: string): LabRow[] =>
  rows.filter((row) => row.world === world && row.step === null);

/** Figures 1.2 and 6.1: crawlers that share nothing. */
export const baselineExperiment: Experiment = defineExperiment({
  name: "sharing-baseline",
  title: "Crawlers that do not share",
  paper: `${mclearnPaper}, sections 1.1 and 6.2.1, Figures 1.2 and 6.1`,
  about:
    "Each crawler polls all pages in turn and tells nobody. How often pages change is not printed: it is set so that one crawler is 20 % " +
    "fresh, 4.965e-6 changes a page and second. The network serves s crawlers at full speed; n > s share it evenly.",
  parameters: communityParameters,
  columns: [
    { name: "world", meaning: "contended: the network serves s crawlers at full speed; free: all" },
    { name: "crawlers", meaning: "N" },
    { name: "step", meaning: "time since the beginning, in days of the thesis; none of the mean of the second half" },
    ...freshnessMeanings,
    { name: "formula", meaning: "the same by formula" },
    { name: "immortal", meaning: "by formula if no page died" },
  ],
  published: [
    {
      name: "freshness without contention, of one crawler",
      where,
      theirs: "about 20 %",
      format: "percent",
      tolerance: asRounded(0.2, 0.01),
      ours: (rows) => {
        const row = rowsOf(rows, "free").find((one) => one.crawlers === 1);
        return row === undefined ? undefined : Number(row.freshness);
      },
    },
    {
      name: "freshness of one crawler if no page died, less that with deaths, by formula",
      where: "section 6.1",
      theirs: "not printed",
      format: "number",
      tolerance: asGoal(0, 0.01),
      ours: (rows) => {
        const row = rowsOf(rows, "free").find((one) => one.crawlers === 1);
        return row === undefined ? undefined : Number(row.immortal) - Number(row.formula);
      },
    },
    {
      name: "freshness without contention, range over 1 to 1024 crawlers",
      where,
      theirs: "0: regardless of N",
      format: "percent",
      tolerance: asWorded(0, 0.01),
      ours: (rows) => {
        const all = rowsOf(rows, "free").map((row) => Number(row.freshness));
        return all.length === 0 ? undefined : Math.max(...all) - Math.min(...all);
      },
    },
    {
      name: "freshness with contention of 1024 crawlers, by that of one",
      where,
      theirs: "adversely affected",
      format: "percent",
      tolerance: asWorded(0, 0.5),
      ours: (rows) => {
        const all = rowsOf(rows, "contended");
        const [one, most] = [1, 1024].map((crawlers) => all.find((row) => row.crawlers === crawlers));
        return one === undefined || most === undefined ? undefined : Number(most.freshness) / Number(one.freshness);
      },
    },
  ],
  points: () => worlds.map((name) => ({ name })),
  run: ({ name }, values, { seed, onProgress }) =>
    sizes
      .filter((crawlers) => crawlers <= values.largest)
      .flatMap((crawlers, at): LabRow[] => {
        const world = worldOf(values, crawlers, name === "contended");
        const immortal = worldOf({ ...values, births: 0 }, crawlers, name === "contended");
        const count = Math.min(simulated, crawlers);
        const setups = Array.from({ length: count }, () => ({ controller: fixedRho(1), isSharing: false }));
        const courses = runCommunities(
          () => setups,
          { ...world, sampling: 1, slots: (world.slots * count) / crawlers },
          { seeds: values.seeds, seed, words: ["sharing-baseline", name, `${crawlers}`] },
          (share) => onProgress((at + share) / sizes.length),
        );
        const row = { world: name, crawlers };
        const all = courses.flat();
        const steps = all[0]?.steps ?? [];
        return [
          {
            ...row,
            step: null,
            ...freshnessColumns(courses),
            formula: meanField(world, crawlers, 1),
            immortal: meanField(immortal, crawlers, 1),
          },
          ...steps.map((_, step) => ({
            ...row,
            // A web of a million pages, of which each takes a second.
            step: ((2 * (step + 1)) / steps.length) * (1e6 / 86_400),
            freshness: meanOf(all.map((course) => course.steps[step] ?? 0)),
            low: null,
            high: null,
            formula: null,
            immortal: null,
          })),
        ];
      }),
  figures: (rows) => [
    {
      name: "sharing-baseline",
      title: "Freshness of crawlers that do not share",
      caption: "McLearn, Figure 6.1. Lines by formula, dots by simulation.",
      x: { label: "Crawlers", kind: "log" },
      y: { label: "Fresh copies", kind: "linear", format: "percent", domain: [0, 0.25] },
      marks: [
        { kind: "guide", of: "theirs", name: "about 20 % without contention", axis: "y", at: 0.2 },
        ...worlds.flatMap((world) => [
          {
            kind: "line" as const,
            of: "ours" as const,
            name: world === "free" ? "no contention, formula" : "contention, formula",
            points: rowsOf(rows, world).map((row) => ({ x: Number(row.crawlers), y: Number(row.formula) })),
          },
          {
            kind: "dots" as const,
            of: "ours" as const,
            name: world === "free" ? "no contention" : "contention",
            points: rowsOf(rows, world).map((row) => pointOf(row, Number(row.crawlers))),
          },
        ]),
      ],
    },
    {
      name: "sharing-decay",
      title: "Freshness over time of crawlers that compete",
      caption: "All copies are fresh at first; with contention. McLearn, Figure 1.2; its text prints no numbers.",
      x: { label: "Days", kind: "linear" },
      y: { label: "Fresh copies", kind: "linear", format: "percent", domain: [0, 1] },
      marks: [1, 32, 64, 128, 256]
        .filter((crawlers) => rowsOf(rows, "contended").some((row) => row.crawlers === crawlers))
        .map((crawlers) => ({
          kind: "line" as const,
          of: "ours" as const,
          name: `${crawlers} ${crawlers === 1 ? "crawler" : "crawlers"}`,
          points: [
            { x: 0, y: 1 },
            ...rows
              .filter((row) => row.world === "contended" && row.crawlers === crawlers && row.step !== null)
              .map((row) => ({ x: Number(row.step), y: Number(row.freshness) })),
          ],
        })),
    },
  ],
});
