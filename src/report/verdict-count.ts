import type { LabResult, PublishedVerdict } from "../model/index.ts";

/** How many published numbers there are, and what became of them. */
export interface VerdictCount {
  readonly published: number;
  readonly met: number;
  readonly explained: number;
  readonly missed: number;
  readonly notMeasured: number;
}

/** Counts the verdicts of some results. */
export function countVerdicts(results: readonly LabResult[]): VerdictCount {
  const all = results.flatMap(({ published }) => published);
  const count = (verdict: PublishedVerdict["verdict"]): number => all.filter((one) => one.verdict === verdict).length;
  return {
    published: all.length,
    met: count("met"),
    explained: count("explained"),
    missed: count("missed"),
    notMeasured: count("not-measured"),
  };
}

/** What each verdict is called in tables. */
export const verdictWords: Readonly<Record<PublishedVerdict["verdict"], string>> = {
  met: "met",
  explained: "no, explained",
  missed: "no",
  "not-measured": "not measured",
};
