import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { brandmanPaper } from "../experiment/papers.ts";
import { asRounded, type PublishedNumber } from "../experiment/published.ts";
import { inputOf, intervalInputs } from "./change-intervals.ts";
import { measureFreshness } from "./freshness-levels.ts";
import { freshnessParameters } from "./freshness-parameters.ts";

const tooMany =
  "Perfect freshness costs exactly the changes a day and the meta-data, and the gain is largest there. Figure 2 gives 0.26 changes a page " +
  "and day at the ends of its bars and 0.31 within them, four other sites 0.23; the paper's curves need about 0.21, so its crawler saw " +
  "fewer daily pages than its Figure 2 has.";

/** Where ours lies: bandwidth of perfect freshness, largest gain, and its bandwidth. */
const expected: Readonly<Record<string, ReadonlyArray<readonly [number, number]>>> = {
  cho: [
    [0.25, 0.29],
    [0.255, 0.285],
    [0.24, 0.28],
  ],
  "cho-spread": [
    [0.3, 0.34],
    [0.3, 0.335],
    [0.3, 0.34],
  ],
  "four-sites": [
    [0.22, 0.26],
    [0.25, 0.275],
    [0.22, 0.25],
  ],
};

function rowsOf(rows: readonly LabRow[], input: string): LabRow[] {
  return rows.filter((row) => row.input === input);
}

function perfectAt(rows: readonly LabRow[], input: string): number | undefined {
  const row = rowsOf(rows, input).find(({ metadata }) => Number(metadata) >= 1);
  return row === undefined ? undefined : Number(row.bandwidth);
}

function largestGain(rows: readonly LabRow[], input: string): LabRow | undefined {
  return rowsOf(rows, input).reduce<LabRow | undefined>(
    (best, row) => (best === undefined || Number(row.gain) > Number(best.gain) ? row : best),
    undefined,
  );
}

function publishedOf(input: string, title: string): PublishedNumber[] {
  const gain = (column: string) => (rows: readonly LabRow[]) => {
    const row = largestGain(rows, input);
    return row === undefined ? undefined : Number(row[column]);
  };
  const explain = (at: number) => ({
    explanation: { expected: expected[input]?.[at] ?? [0, 0], why: tooMany } as const,
  });
  return [
    {
      name: `bandwidth of perfect freshness (${title})`,
      where: "section 6, Figure 6 (a)",
      theirs: "about a fifth",
      format: "number",
      tolerance: asRounded(0.2, 0.1),
      ours: (rows) => perfectAt(rows, input),
      ...explain(0),
    },
    {
      name: `largest gain (${title})`,
      where: "section 6, Figure 6 (b)",
      theirs: "up to 25 %",
      format: "percent",
      tolerance: asRounded(0.25, 0.01, 0.0045),
      ours: gain("gain"),
      ...explain(1),
    },
    {
      name: `bandwidth of the largest gain (${title})`,
      where: "section 6, Figure 6 (b)",
      theirs: "0.22",
      format: "number",
      tolerance: asRounded(0.22, 0.01, 0.0045),
      ours: gain("bandwidth"),
      ...explain(2),
    },
  ];
}

/** Figure 6 (a) and (b): how fresh both crawlers keep their copies within a bandwidth. */
export const freshnessExperiment: Experiment = defineExperiment({
  name: "freshness",
  title: "Freshness within a bandwidth",
  paper: `${brandmanPaper}, section 6, Figure 6 (a) and (b)`,
  about:
    "Pages change at regular intervals from a random phase on; all copies are fresh at first. Each day the conventional " +
    "crawler downloads the next pages in turn, the other the next pages that changed, less what the meta-data costs. What is fresh " +
    "after the last day counts.",
  parameters: freshnessParameters,
  columns: [
    { name: "input", meaning: "histogram that the pages are drawn from" },
    { name: "bandwidth", meaning: "pages a day by all pages" },
    { name: "conventional", meaning: "share of fresh copies without meta-data, 0 to 1" },
    { name: "metadata", meaning: "share of fresh copies with meta-data, 0 to 1" },
    { name: "gain", meaning: "additional fresh copies by those without meta-data" },
  ],
  published: intervalInputs.flatMap(({ name, title }) => publishedOf(name, title)),
  points: () => intervalInputs.map(({ name }) => ({ name })),
  run: ({ name }, values, { seed, onProgress }) =>
    measureFreshness(inputOf(name), values, seed, onProgress).map(({ bandwidth, conventional, metadata }) => ({
      input: name,
      bandwidth,
      conventional,
      metadata,
      gain: (metadata - conventional) / conventional,
    })),
  figures: (rows) => [...intervalInputs.map(({ name, title }) => drawFreshness(rows, name, title)), drawGains(rows)],
});

function drawFreshness(rows: readonly LabRow[], input: string, title: string): Figure {
  const lineOf = (column: string) =>
    rowsOf(rows, input).map((row) => ({ x: Number(row.bandwidth), y: Number(row[column]) }));
  return {
    name: `freshness-${input}`,
    title: `Freshness within a bandwidth (${title})`,
    caption:
      "Share of copies that are fresh after 100 days, by the pages that a crawler may download a day. Brandman et al., Figure 6 " +
      "(a); of its curves the text gives where freshness is perfect.",
    x: { label: "Bandwidth, as a share of all pages a day", kind: "linear", domain: [0, 1] },
    y: { label: "Fresh copies", kind: "linear", format: "percent", domain: [0, 1] },
    marks: [
      { kind: "guide", of: "theirs", name: "perfect with meta-data at about a fifth", axis: "x", at: 0.2 },
      { kind: "line", of: "ours", name: "with meta-data", points: lineOf("metadata") },
      { kind: "line", of: "ours", name: "conventional", points: lineOf("conventional") },
    ],
  };
}

function drawGains(rows: readonly LabRow[]): Figure {
  return {
    name: "gains",
    title: "What meta-data adds to freshness",
    caption:
      "Additional fresh copies by those of the conventional crawler. Brandman et al., Figure 6 (b): up to 25 %, less and less from " +
      "0.22 on.",
    x: { label: "Bandwidth, as a share of all pages a day", kind: "linear", domain: [0, 1] },
    y: { label: "Gain", kind: "linear", format: "percent" },
    marks: [
      ...intervalInputs.map(({ name, title }) => ({
        kind: "line" as const,
        of: "ours" as const,
        name: title,
        points: rowsOf(rows, name).map((row) => ({ x: Number(row.bandwidth), y: Number(row.gain) })),
      })),
      { kind: "dots", of: "theirs", name: "up to 25 %, at 0.22", points: [{ x: 0.22, y: 0.25 }] },
    ],
  };
}
