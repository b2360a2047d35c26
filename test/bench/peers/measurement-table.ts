import { medianOf } from "../benchmark.ts";

/** One run of one downloader. */
export interface Measurement {
  readonly stage: string;
  readonly name: string;
  /** Pages that this run had to look after. */
  readonly pages: number;
  /** Pages of the site; where `pages` is less, the run was a sample. */
  readonly of: number;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  /** By the server's log. */
  readonly requests: number;
}

const columns = ["", "n", "wall s", "pages/s", "CPU s", "requests", "times ours"] as const;

function formatRow(cells: readonly string[]): string {
  return `${cells.map((cell, at) => (at === 0 ? cell.padEnd(34) : cell.padStart(10))).join(" ")}\n`;
}

/**
 * Writes a table with one part a stage and one row a downloader, medians of its runs.
 *
 * A sample's wall time stands as measured; the last column compares what it would be for the whole site, in
 * proportion. The first downloader of a stage is what the others are compared with.
 */
export function formatMeasurements(measurements: readonly Measurement[]): string {
  let text = "";
  for (const stage of new Set(measurements.map((one) => one.stage))) {
    const inStage = measurements.filter((one) => one.stage === stage);
    const names = [...new Set(inStage.map((one) => one.name))];
    text += formatRow([stage, ...columns.slice(1)]);
    let ours: number | undefined;
    for (const name of names) {
      const runs = inStage.filter((one) => one.name === name);
      const pages = runs[0]?.pages ?? 0;
      const scale = (runs[0]?.of ?? pages) / pages;
      const wall = medianOf(runs.map((one) => one.wallSeconds));
      ours ??= wall;
      text += formatRow([
        `  ${name}`,
        `${pages}${scale > 1 ? "*" : ""}`,
        wall.toFixed(2),
        (pages / wall).toFixed(0),
        medianOf(runs.map((one) => one.cpuSeconds)).toFixed(2),
        medianOf(runs.map((one) => one.requests)).toFixed(0),
        `${((wall * scale) / ours).toFixed(2)}${scale > 1 ? "*" : ""}`,
      ]);
    }
    text += "\n";
  }
  if (measurements.some((one) => one.pages < one.of)) {
    text +=
      "* a sample of the URLs with as great a share of the changes; the last column is extrapolated to the site.\n";
  }
  return text;
}
