import type { LabRow } from "../../src/core/lab-result.ts";
import { createRandom } from "../../src/core/random.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { brandmanPaper } from "../experiment/papers.ts";
import { asRounded, asWorded, type PublishedNumber } from "../experiment/published.ts";
import { drawIntervals, inputOf, intervalInputs } from "./change-intervals.ts";
import { minNeedlessRequests, printedNeedlessRequests } from "./needless-requests.ts";

const gloss =
  "77 % is 1 - 23 %, as the text says; but the bound of section 4.1 also counts pages that change less often than daily, " +
  "and those of the second bar alone change 14 times or more in the 100 days.";

function atDailyVisits(input: string, title: string, expected: readonly [number, number] | undefined): PublishedNumber {
  return {
    name: `needless share at daily visits (${title})`,
    where: "section 4.1, Figure 3",
    theirs: "around 77 %",
    format: "percent",
    tolerance: asRounded(0.77, 0.01),
    ours: (rows) => {
      const row = rows.find((one) => one.input === input && one.requests === 100 && one.days === 100);
      return row === undefined ? undefined : Number(row.needless);
    },
    ...(expected && { explanation: { expected, why: gloss } }),
  };
}

/** Figure 3: how many requests of a crawler that visits all pages equally often find nothing new. */
export const needlessExperiment: Experiment = defineExperiment({
  name: "needless",
  title: "Needless requests",
  paper: `${brandmanPaper}, section 4.1, Figure 3`,
  about:
    "Pages are drawn from histograms of change intervals; a page of interval D changes floor(days / D) times. Of so many " +
    "regular visits at least max(0, R - (C + 1)) are needless. The column `printed` has the bound as it stands in the " +
    "paper, where R = C gives -1.",
  parameters: {
    pages: { kind: "whole", default: 760_000, quick: 76_000, min: 1, max: 10_000_000, meaning: "pages drawn" },
    days: { kind: "whole", default: 100, min: 1, max: 10_000, meaning: "days of crawling" },
    requests: { kind: "whole", default: 100, min: 1, max: 1000, meaning: "most visits a page in these days" },
    slowest: { kind: "number", default: 365, min: 120, max: 100_000, meaning: "longest change interval, in days" },
  },
  columns: [
    { name: "input", meaning: "histogram that the pages are drawn from" },
    { name: "days", meaning: "days of crawling" },
    { name: "requests", meaning: "visits a page in these days" },
    { name: "needless", meaning: "least share of needless requests, 0 to 1" },
    { name: "printed", meaning: "the same by the bound as printed" },
  ],
  published: [
    atDailyVisits("cho", "270 sites, bar ends", [0.73, 0.742]),
    atDailyVisits("cho-spread", "270 sites, within bars", [0.675, 0.695]),
    atDailyVisits("four-sites", "20 % daily, bar ends", undefined),
    {
      name: "needless requests of the example: 5 changes, 10 visits",
      where: "section 4.1",
      theirs: "at least 4",
      format: "number",
      tolerance: asWorded(4, 4),
      ours: () => minNeedlessRequests(5, 10),
    },
  ],
  points: () => intervalInputs.map(({ name }) => ({ name })),
  run: ({ name }, { pages, days, requests, slowest }, { seed }) => {
    const intervals = drawIntervals(inputOf(name), pages, slowest, createRandom(seed, "needless", name));
    const pagesByChanges = new Map<number, number>();
    for (const interval of intervals) {
      const changes = Math.floor(days / interval);
      pagesByChanges.set(changes, (pagesByChanges.get(changes) ?? 0) + 1);
    }
    const shareOf = (bound: (changes: number, requests: number) => number, visits: number): number => {
      let needless = 0;
      for (const [changes, count] of pagesByChanges) needless += count * bound(changes, visits);
      return needless / (visits * pages);
    };
    return Array.from({ length: requests }, (_, at): LabRow => {
      const needless = shareOf(minNeedlessRequests, at + 1);
      return { input: name, days, requests: at + 1, needless, printed: shareOf(printedNeedlessRequests, at + 1) };
    });
  },
  figures: (rows, { days }) => [
    {
      name: "needless",
      title: "Needless requests",
      caption:
        `Least share of requests that find nothing new, by how often each page is visited in ${days} days. ` +
        "Brandman et al., Figure 3; of its curve the text gives the end.",
      x: { label: `Visits a page in ${days} days`, kind: "linear" },
      y: { label: "Needless requests", kind: "linear", format: "percent", domain: [0, 1] },
      marks: [
        ...intervalInputs.map(({ name, title }) => ({
          kind: "line" as const,
          of: "ours" as const,
          name: title,
          points: rows
            .filter((row) => row.input === name)
            .map((row) => ({ x: Number(row.requests), y: Number(row.needless) })),
        })),
        ...(days === 100
          ? [
              {
                kind: "dots" as const,
                of: "theirs" as const,
                name: "around 77 % at daily visits",
                points: [{ x: 100, y: 0.77 }],
              },
            ]
          : []),
      ],
    },
  ],
});
