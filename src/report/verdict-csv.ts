import type { LabResult } from "../model/index.ts";
import { formatCsvRow, type Origin } from "./row-files.ts";

const columns = ["experiment", "number", "where", "theirs", "ours", "from", "to", "verdict", "why"];

/** The published numbers of some results as CSV, a line each; `from` and `to` are the tolerance. */
export function formatVerdictsAsCsv(results: readonly LabResult[], { version }: Origin): string {
  const rows = results.flatMap(({ name, published }) =>
    published.map((one) => [
      name,
      one.name,
      one.where,
      one.theirs,
      one.ours ?? null,
      ...one.tolerance,
      one.verdict,
      one.why ?? null,
    ]),
  );
  return [`# tidemark ${version}`, columns.join(","), ...rows.map(formatCsvRow), ""].join("\n");
}
