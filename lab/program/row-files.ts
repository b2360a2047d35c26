import type { LabResult } from "../../src/core/lab-result.ts";

/** How a version is named in what is written: `tidemark 0.1.0`. */
export interface Origin {
  readonly version: string;
}

/**
 * Rows as CSV (RFC 4180, lines ended by LF): lines that begin with `#` say what made them, then names of columns, then a line a row.
 * Numbers have all their digits; null is empty.
 */
export function formatRowsAsCsv(result: LabResult, { version }: Origin): string {
  const { name, title, paper, seed, parameters, columns, rows } = result;
  const head = [
    `tidemark ${version}, experiment ${name}: ${title}`,
    paper,
    `seed ${seed}`,
    ...Object.entries(parameters).map(([key, value]) => `parameter ${key}=${value}`),
    ...columns.map((column) => `column ${column.name}: ${column.meaning}`),
  ];
  const lines = [
    ...head.map((line) => `# ${line.replace(/[\r\n]+/g, " ")}`),
    formatCsvRow(columns.map((column) => column.name)),
    ...rows.map((row) => formatCsvRow(columns.map((column) => row[column.name] ?? null))),
  ];
  return `${lines.join("\n")}\n`;
}

const verdictColumns = ["experiment", "number", "where", "theirs", "ours", "from", "to", "basis", "verdict", "why"];

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
  return [`# tidemark ${version}`, verdictColumns.join(","), ...rows.map(formatCsvRow), ""].join("\n");
}

/** A line of CSV, without its end. */
function formatCsvRow(cells: readonly (number | string | null)[]): string {
  return cells.map(formatCell).join(",");
}

function formatCell(value: number | string | null): string {
  if (value === null) return "";
  const text = String(value);
  return /[",\r\n#]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** All that a result holds but its figures, as JSON with a row a line. */
export function formatResultAsJson(result: LabResult, { version }: Origin): string {
  const { rows, figures, ...head } = result;
  const facts = { tidemark: version, ...head, figures: figures.map((figure) => `${figure.name}.svg`) };
  const body = rows.map((row) => `    ${JSON.stringify(row)}`).join(",\n");
  return `${JSON.stringify(facts, null, 2).replace(/\n\}$/, "")},\n  "rows": [\n${body}\n  ]\n}\n`;
}
