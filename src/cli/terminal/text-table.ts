/**
 * Lines up cells in columns, two spaces between.
 *
 * @param align - for each column `l` or `r`; the last one, if `l`, is not padded
 */
export function formatTable(rows: ReadonlyArray<readonly string[]>, align: string): string {
  const widths = [...align].map((_, at) => Math.max(0, ...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => (align[at] === "r" ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join("");
}
