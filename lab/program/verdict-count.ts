import type { LabResult, PublishedVerdict } from "../../src/core/lab-result.ts";

/** How many numbers of one kind there are, and what became of them. */
export interface VerdictCount {
  readonly numbers: number;
  readonly met: number;
  readonly explained: number;
  readonly missed: number;
  readonly notMeasured: number;
}

/** Whether a number is a goal of ours, and printed nowhere. */
export function isGoal({ basis }: PublishedVerdict): boolean {
  return basis === "goal";
}

/** Counts the verdicts of some results: on numbers that papers print, or on goals of ours. */
export function countVerdicts(results: readonly LabResult[], kind: "published" | "goals"): VerdictCount {
  const all = results.flatMap(({ published }) => published).filter((one) => isGoal(one) === (kind === "goals"));
  const count = (verdict: PublishedVerdict["verdict"]): number => all.filter((one) => one.verdict === verdict).length;
  return {
    numbers: all.length,
    met: count("met"),
    explained: count("explained"),
    missed: count("missed"),
    notMeasured: count("not-measured"),
  };
}

/** What a tolerance is set from, in tables. */
export const basisWords: Readonly<Record<PublishedVerdict["basis"], string>> = {
  rounding: "as printed",
  "rounding and seeds": "as printed, and seeds",
  wording: "as worded",
  goal: "our goal",
};

/** What each verdict is called in tables. */
export const verdictWords: Readonly<Record<PublishedVerdict["verdict"], string>> = {
  met: "met",
  explained: "no, explained",
  missed: "no",
  "not-measured": "not measured",
};
