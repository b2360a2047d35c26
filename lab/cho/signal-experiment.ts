import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { createRandom } from "../../src/core/random.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { signalPaper } from "../experiment/papers.ts";
import { asGoal } from "../experiment/published.ts";
import { type SignalledPage, signalledCycle } from "../planners/signalled-index.ts";
import { simulateCycles } from "./signal-cycles.ts";

/** Changes a second, share of them that send a signal, and false signals a second. */
const pages: Readonly<Record<string, SignalledPage>> = {
  common: { ratePerSecond: 1, recall: 0.5, falsePerSecond: 0.3 },
  reliable: { ratePerSecond: 0.2, recall: 0.8, falsePerSecond: 0.05 },
  noisy: { ratePerSecond: 3, recall: 0.3, falsePerSecond: 1 },
  exact: { ratePerSecond: 1, recall: 0.9, falsePerSecond: 0.01 },
};
/** Bounds of the effective time, in mean times between changes. */
const bounds = [0.5, 1, 1.5, 2, 3, 4, 6] as const;

/** The most by which a formula is off, beside what the simulation gave. */
function worstOf(rows: readonly LabRow[], formula: string, simulated: string): number | undefined {
  if (rows.length === 0) return undefined;
  return Math.max(...rows.map((row) => Math.abs(Number(row[formula]) / Number(row[simulated]) - 1)));
}

/** The cycle of a page that sends signals, by formula and by simulation. */
export const signalExperiment: Experiment = defineExperiment({
  name: "signals",
  title: "Polls by signals: formula and simulation",
  paper: signalPaper,
  about:
    "Pages send signals when they change, not always, and some that mean nothing. Each is polled when time and signals make it likely " +
    "enough that it changed. The mean time between polls (psi) and the mean time in which the copy is fresh (W), of which the index of " +
    "a poll is made, by their formulas and by simulation.",
  parameters: {
    cycles: { kind: "whole", default: 200_000, quick: 40_000, min: 10, max: 100_000_000, meaning: "cycles simulated" },
  },
  columns: [
    { name: "page", meaning: "how it changes and signals" },
    { name: "bound", meaning: "effective time at which it is polled, in mean times between changes" },
    { name: "psi", meaning: "mean time between polls, by formula" },
    { name: "psiSimulated", meaning: "the same by simulation" },
    { name: "psiError", meaning: "standard error of the simulation" },
    { name: "fresh", meaning: "W: mean time between polls in which the copy is fresh, by formula" },
    { name: "freshSimulated", meaning: "the same by simulation" },
    { name: "freshError", meaning: "standard error of the simulation" },
  ],
  published: [
    {
      name: "psi by formula, off the simulation by at most",
      where: "mean cycle",
      theirs: "0",
      format: "percent",
      tolerance: asGoal(0, 0.02),
      ours: (rows) => worstOf(rows, "psi", "psiSimulated"),
    },
    {
      name: "W by formula, off the simulation by at most",
      where: "mean fresh time",
      theirs: "0",
      format: "percent",
      tolerance: asGoal(0, 0.02),
      ours: (rows) => worstOf(rows, "fresh", "freshSimulated"),
    },
  ],
  points: () => Object.keys(pages).map((name) => ({ name })),
  run: ({ name }, { cycles }, { seed, onProgress }) => {
    const page = pages[name];
    if (page === undefined) return [];
    const random = createRandom(seed, "signals", name);
    return bounds.map((bound, at): LabRow => {
      onProgress(at / bounds.length);
      const seconds = bound / page.ratePerSecond;
      const { cycleSeconds, freshSeconds } = signalledCycle(page, seconds);
      const simulated = simulateCycles(page, seconds, cycles, random);
      return {
        page: name,
        bound,
        psi: cycleSeconds,
        psiSimulated: simulated.cycleSeconds,
        psiError: simulated.cycleError,
        fresh: freshSeconds,
        freshSimulated: simulated.freshSeconds,
        freshError: simulated.freshError,
      };
    });
  },
  figures: (rows) => [drawShares(rows)],
});

function drawShares(rows: readonly LabRow[]): Figure {
  const pointsOf = (name: string, fresh: string, psi: string) =>
    rows
      .filter((row) => row.page === name)
      .map((row) => ({ x: Number(row.bound), y: Number(row[fresh]) / Number(row[psi]) }));
  return {
    name: "signals",
    title: "Freshness of pages that send signals",
    caption:
      "Share of fresh time (W by psi), by the effective time at which a page is polled: lines by formula, dots by simulation, with error bars of 95 % confidence.",
    x: { label: "Effective time, in mean times between changes", kind: "linear" },
    y: { label: "Fresh time", kind: "linear", format: "percent" },
    marks: [
      ...Object.entries(pages).map(([name, { recall, falsePerSecond, ratePerSecond }]) => ({
        kind: "line" as const,
        of: "ours" as const,
        name: `${name}: ${recall * 100} % of changes, ${(falsePerSecond / ratePerSecond).toFixed(2)} false a change`,
        points: pointsOf(name, "fresh", "psi"),
      })),
      {
        kind: "dots" as const,
        of: "ours" as const,
        name: "simulated",
        points: rows.map((row) => {
          const [fresh, psi] = [Number(row.freshSimulated), Number(row.psiSimulated)];
          const y = fresh / psi;
          // Both errors are taken as independent; they rise together, so the bars are too long rather than too short.
          const reach = 1.96 * y * Math.hypot(Number(row.freshError) / fresh, Number(row.psiError) / psi);
          return { x: Number(row.bound), y, range: [y - reach, Math.min(1, y + reach)] as const };
        }),
      },
    ],
  };
}
