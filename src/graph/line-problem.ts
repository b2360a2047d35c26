/** A line of a graph's file that says nothing, and was passed over. */
export interface LineProblem {
  /** From 1. */
  readonly line: number;
  readonly code: "not-numbers" | "number-too-large" | "no-name" | "line-too-long" | "given-twice";
}

/** How often one reading reports a line for a reason; those beyond are only counted. */
export const maxReportedLines = 100;

/** Counts the lines that say nothing and reports the first of each reason. */
export class LineProblems {
  readonly #report: ((problem: LineProblem) => void) | undefined;
  readonly #counts = new Map<LineProblem["code"], number>();
  count = 0;

  constructor(report: ((problem: LineProblem) => void) | undefined) {
    this.#report = report;
  }

  add(line: number, code: LineProblem["code"]): void {
    this.count++;
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count <= maxReportedLines) this.#report?.({ line, code });
  }
}
