import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { createRandom } from "../../src/core/random.ts";
import { orderNames } from "../../src/crawler/engine/order/order-rule.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { asWorded } from "../experiment/published.ts";
import { castilloPaper, drawWeb, politenessParameters, webParameters } from "./crawl-parameters.ts";
import { meanLead, overtakenAt, RankedWeb, type RankStep } from "./rank-coverage.ts";

const where = "section 5, Figure 5";
const homeShares = [0, 0.02, 0.1, 0.3] as const;
const exponents = [1, 1.6, 2.2] as const;

const learners = ["length", "batch", "depth", "partial"] as const;

/** Rank retrieved over pages in proportion, in the mean: half the area between curve and straight line, by pages. */
function gainOf(steps: readonly RankStep[]): number {
  const line = steps.map((step) => ({ ...step, rank: step.pages }));
  return meanLead(steps, line) ?? 0;
}

function draw(rows: readonly LabRow[]): Figure {
  return {
    name: "order-sensitivity",
    title: "From where Optimal is overtaken",
    caption:
      "Share of the pages at which an order that has to learn ranks first has more PageRank than Optimal, by the share of links that lead " +
      "to home pages; at 100 % it is never overtaken. Castillo et al., Figure 5: above 75 %.",
    x: { label: "Share of links that lead to home pages", kind: "linear", format: "percent" },
    y: { label: "Pages at which Optimal is overtaken", kind: "linear", format: "percent", domain: [0, 1] },
    marks: [
      { kind: "guide", of: "theirs", name: "above 75 %", axis: "y", at: 0.75 },
      ...exponents.map((exponent) => ({
        kind: "line" as const,
        of: "ours" as const,
        name: `exponent ${exponent}`,
        points: rows
          .filter((row) => row.popularity === exponent)
          .map((row) => ({ x: Number(row.home), y: Number(row.overtaken) })),
      })),
    ],
  };
}

/** On what the order of strategies depends. */
export const sensitivityExperiment: Experiment = defineExperiment({
  name: "order-sensitivity",
  title: "On what the order of strategies depends",
  paper: `${castilloPaper}, ${where}`,
  about:
    "The experiment `orders` on webs that differ in two things: the share of links that lead to home pages, and the exponent with which " +
    "links to a site grow with its pages. Numbers are rank retrieved over a straight line, in the mean over all shares of pages.",
  parameters: {
    ...webParameters,
    pages: { ...webParameters.pages, default: 100_000, quick: 10_000 },
    sites: { ...webParameters.sites, default: 1500, quick: 150 },
    cap: { ...webParameters.cap, default: 7000, quick: 700 },
    ...politenessParameters,
  },
  columns: [
    { name: "home", meaning: "share of links that lead to home pages" },
    { name: "popularity", meaning: "exponent with which links to a site grow with its pages" },
    { name: "homerank", meaning: "PageRank of a home page by that of any page" },
    ...orderNames.map((name) => ({ name, meaning: "rank retrieved over a straight line, in the mean" })),
    { name: "order", meaning: "the orders, best first" },
    { name: "overtaken", meaning: "share of pages from which Optimal is overtaken; 1 if never" },
  ],
  published: [
    {
      name: "webs of the grid in which Length leads Depth",
      where,
      theirs: "all: it is the paper's result",
      format: "percent",
      tolerance: asWorded(1, 1),
      ours: (rows) =>
        rows.length === 0
          ? undefined
          : rows.filter((row) => Number(row.length) > Number(row.depth)).length / rows.length,
      explanation: {
        expected: [0.2, 0.99],
        why:
          "Length leads Depth where home pages have few links to them, as the paper says of its web, and large sites have many; where home " +
          "pages are popular, breadth first finds them at once.",
      },
    },
    {
      name: "webs in which Optimal is overtaken, and only above 75 % of the pages",
      where,
      theirs: "all: it is the paper's result",
      format: "percent",
      tolerance: asWorded(1, 1),
      ours: (rows) => {
        if (rows.length === 0) return undefined;
        const late = rows.filter((row) => Number(row.overtaken) > 0.75 && Number(row.overtaken) < 1);
        return late.length / rows.length;
      },
      explanation: {
        expected: [0, 0.99],
        why:
          "Optimal runs out of sites where few links lead to home pages and large sites have many: there it is overtaken. Where home pages " +
          "are popular, it never is.",
      },
    },
  ],
  points: () => homeShares.flatMap((home) => exponents.map((exponent) => ({ name: `${home}-${exponent}` }))),
  run: ({ name }, values, { seed, onProgress }) => {
    const [home = 0, popularity = 0] = name.split("-").map(Number);
    const ranked = new RankedWeb(drawWeb({ ...values, home, popularity }, seed));
    const found = new Map<string, RankStep[]>();
    for (const order of orderNames) {
      const steps = ranked.crawl({
        order,
        connections: 1,
        pagesPerTurn: 1,
        restSeconds: values.rest,
        bytesPerSecond: Number.POSITIVE_INFINITY,
        batchPages: Math.ceil(values.pages / values.batches),
        random: createRandom(seed, "random"),
      });
      found.set(order, steps);
      onProgress(found.size / orderNames.length);
    }
    const gains = Object.fromEntries(orderNames.map((order) => [order, gainOf(found.get(order) ?? [])]));
    const best = orderNames.toSorted((a, b) => (gains[b] ?? 0) - (gains[a] ?? 0));
    const overtaken = overtakenAt(
      found.get("optimal") ?? [],
      learners.map((order) => found.get(order) ?? []),
    );
    return [
      {
        home,
        popularity,
        homerank: ranked.homeRank(),
        ...gains,
        order: best.join(" > "),
        overtaken: overtaken ?? null,
      },
    ];
  },
  figures: (rows) => [draw(rows)],
});
