import type { LabResult } from "../../src/core/lab-result.ts";
import { formatCsvRow, type Origin } from "./row-files.ts";

const columns = ["experiment", "number", "where", "theirs", "ours", "from", "to", "basis", "verdict", "why"];

/** Published numbers and goals of some results as CSV, a line each; `from` and `to` are the tolerance, `basis` what it is set from. */
export function formatVerdictsAsCsv(results: readonly LabResult[], { version }: Origin): string {
  const rows = results.flatMap(({ name, published }) =>
    published.map((one) => [
      name,
      one.name,
      one.where,
      one.theirs,
      one.ours ?? null,
      ...one.tolerance,
      one.basis,
      one.verdict,
      one.why ?? null,
    ]),
  );
  return [`# tidemark ${version}`, columns.join(","), ...rows.map(formatCsvRow), ""].join("\n");
}
