import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { createRandom } from "../../src/core/random.ts";
import { orderNames } from "../../src/crawler/engine/order/order-rule.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { asGoal, asWorded, near, type PublishedNumber } from "../experiment/published.ts";
import { castilloPaper, politenessParameters } from "./crawl-parameters.ts";
import { isOrderName, meanLead, overtakenAt, type RankStep } from "./rank-coverage.ts";
import { drawKind, isWebKind, kindParameters, type WebKind } from "./web-kinds.ts";

const where = "section 5, Figure 5";

/** Curves of all orders on each web of a kind. */
type Curves = ReadonlyMap<string, readonly RankStep[]>;

function websOf(rows: readonly LabRow[], kind: WebKind, rank: "rank" | "simulated" = "rank"): Curves[] {
  const webs: Map<string, RankStep[]>[] = [];
  for (const row of rows) {
    if (row.kind !== kind) continue;
    const web = Number(row.web) - 1;
    webs[web] ??= new Map();
    const steps = webs[web].get(String(row.order)) ?? [];
    steps.push({ pages: Number(row.pages), rank: Number(row[rank]), hours: Number(row.hours) });
    webs[web].set(String(row.order), steps);
  }
  return webs;
}

/** The least, or the highest, of what each web of a kind gives; undefined where a web does not give it. */
function extremeOf(
  webs: readonly Curves[],
  extreme: "least" | "highest",
  of: (curves: Curves) => number | undefined,
): number | undefined {
  const values = webs.map(of);
  if (values.length === 0 || values.includes(undefined)) return undefined;
  return (extreme === "least" ? Math.min : Math.max)(...(values as number[]));
}

const stepsIn = (curves: Curves, order: string): readonly RankStep[] => curves.get(order) ?? [];

/** By how much an order retrieves more rank than pages in proportion. */
function gainIn(curves: Curves, order: string): number | undefined {
  const steps = stepsIn(curves, order);
  return meanLead(
    steps,
    steps.map((step) => ({ ...step, rank: step.pages })),
  );
}

const leadIn =
  (first: string, second: string) =>
  (curves: Curves): number | undefined =>
    meanLead(stepsIn(curves, first), stepsIn(curves, second));

const ranksLead =
  "On generated webs of both kinds, with each seed, ranks of what is known lead to better pages than the number of pages that wait: " +
  "the order of strategies is a property of the graph.";

const lanes =
  "Production requests a site's robots.txt first, and sites that have not answered yet have places of their own, as many as connections: with " +
  "one of them and many small sites, first pages of sites wait longer than in the paper. With 8 connections, or few sites, it is within 2 %.";

interface Claim extends Omit<PublishedNumber, "where" | "format" | "ours" | "name"> {
  readonly name: string;
  readonly extreme: "least" | "highest";
  readonly of: (curves: Curves) => number | undefined;
}

/** What the paper says of its web, asked of each web of both kinds. */
const claims: readonly Claim[] = [
  {
    name: "lead of Optimal over Batch",
    theirs: "Optimal first",
    tolerance: asWorded(0, 1),
    extreme: "least",
    of: leadIn("optimal", "batch"),
    explanation: {
      expected: [-near, 0],
      why: "Optimal is overtaken as in the paper, and on webs with few sites so early that Batch has more in the mean.",
    },
  },
  {
    name: "lead of Length over Depth",
    theirs: "Length better",
    tolerance: asWorded(0, 1),
    extreme: "least",
    of: leadIn("length", "depth"),
    explanation: {
      expected: [-near, 0],
      why: `Length is about as good as Depth on small webs, in the simulation as well. ${lanes}`,
    },
  },
  {
    name: "lead of Batch over Depth",
    theirs: "a small difference",
    tolerance: asWorded(0, near),
    extreme: "highest",
    of: leadIn("batch", "depth"),
    explanation: { expected: [near, 0.2], why: ranksLead },
  },
  {
    name: "lead of Length over Batch",
    theirs: "Length better",
    tolerance: asWorded(0, 1),
    extreme: "least",
    of: leadIn("length", "batch"),
    explanation: { expected: [-0.2, 0], why: ranksLead },
  },
  {
    name: "lead of Depth over Partial",
    theirs: "Partial poor",
    tolerance: asWorded(0, 1),
    extreme: "least",
    of: leadIn("depth", "partial"),
    explanation: { expected: [-0.2, 0], why: ranksLead },
  },
  {
    name: "Partial over a straight line",
    theirs: "close to random",
    tolerance: asWorded(-near, near),
    extreme: "highest",
    of: (curves) => gainIn(curves, "partial"),
    explanation: { expected: [near, 0.4], why: ranksLead },
  },
  {
    name: "random over a straight line",
    theirs: "a straight line",
    tolerance: asWorded(-near, near),
    extreme: "highest",
    of: (curves) => gainIn(curves, "random"),
    explanation: {
      expected: [near, 0.2],
      why: "A page can only be drawn once a link to it was seen, and pages near popular home pages are seen first.",
    },
  },
];

/** By how much production and simulation differ in an order, on the web where they differ most. */
function differenceOf(rows: readonly LabRow[], orders: readonly string[]): number | undefined {
  const differences = (["plain", "menus"] as const).flatMap((kind) => {
    const simulated = websOf(rows, kind, "simulated");
    return websOf(rows, kind).flatMap((curves, web) =>
      orders.map((order) => meanLead(stepsIn(curves, order), stepsIn(simulated[web] ?? new Map(), order))),
    );
  });
  const known = differences.filter((difference) => difference !== undefined);
  return known.length === 0 ? undefined : Math.max(...known.map(Math.abs));
}

const published: readonly PublishedNumber[] = [
  {
    name: "share of pages from which Optimal is overtaken on plain webs, the least",
    where,
    theirs: "above 75 %",
    format: "percent",
    tolerance: asWorded(0.75, 1),
    ours: (rows) =>
      extremeOf(websOf(rows, "plain"), "least", (curves) =>
        overtakenAt(
          stepsIn(curves, "optimal"),
          ["length", "batch", "depth", "partial"].map((order) => stepsIn(curves, order)),
        ),
      ),
    explanation: {
      expected: [0.2, 0.75],
      why: "The fewer sites a web has, the earlier Optimal has only few of them left to choose from: these webs have 150 sites, the paper's 50,000.",
    },
  },
  ...(["plain", "menus"] as const).flatMap((kind) =>
    claims.map(
      ({ name, extreme, of, ...claim }): PublishedNumber => ({
        ...claim,
        name: `${name} on webs of the kind ${kind}, the ${extreme} of them`,
        where,
        format: "percent",
        ours: (rows) => extremeOf(websOf(rows, kind), extreme, of),
      }),
    ),
  ),
  {
    name: "difference between production and simulation of Depth and Optimal, the highest",
    where: "our own",
    theirs: "below 5 %",
    format: "percent",
    tolerance: asGoal(0, near),
    ours: (rows) => differenceOf(rows, ["depth", "optimal"]),
  },
  {
    name: "difference between production and simulation of Length, the highest",
    where: "our own",
    theirs: "below 5 %",
    format: "percent",
    tolerance: asGoal(0, near),
    ours: (rows) => differenceOf(rows, ["length"]),
    explanation: { expected: [near, 0.1], why: lanes },
  },
];

/** The orders by their gain over a straight line, best first. */
function rankOrders(rows: readonly LabRow[], kind: WebKind): string | undefined {
  const webs = websOf(rows, kind);
  const gains = orderNames.map((order) => ({ order, gains: webs.map((curves) => gainIn(curves, order)) }));
  const known = gains.flatMap(({ order, gains }) => {
    const values = gains.filter((gain) => gain !== undefined);
    return values.length === 0
      ? []
      : [{ order, mean: values.reduce((sum, gain) => sum + gain, 0) / values.length, values }];
  });
  if (known.length === 0) return undefined;
  const percent = (gain: number): string => `${(100 * gain).toFixed(1)} %`;
  const texts = known
    .toSorted((one, other) => other.mean - one.mean)
    .map(({ order, mean, values }) => {
      return `${order} ${percent(mean)} (${percent(Math.min(...values))} to ${percent(Math.max(...values))})`;
    });
  return `Rank over a straight line on webs of the kind ${kind}, the mean over them and its range: ${texts.join(", ")}.`;
}

function draw(rows: readonly LabRow[], kind: WebKind): Figure {
  const [curves = new Map<string, readonly RankStep[]>()] = websOf(rows, kind);
  return {
    name: `web-orders-${kind}`,
    title: `Rank retrieved by the crawler of production, web of the kind ${kind}`,
    caption:
      "Cumulative PageRank by retrieved pages, by each order of `tidemark crawl --web` on the first web. Castillo et al., Figure 5: " +
      "Optimal is overtaken above 75 % of the pages; of its curves the text gives no other numbers.",
    x: { label: "Pages retrieved", kind: "linear", format: "percent", domain: [0, 1] },
    y: { label: "PageRank retrieved", kind: "linear", format: "percent", domain: [0, 1] },
    marks: [
      { kind: "guide", of: "theirs", name: "Optimal overtaken", axis: "x", at: 0.75 },
      ...[...curves].map(([order, steps]) => ({
        kind: "line" as const,
        of: "ours" as const,
        name: order,
        points: steps.map(({ pages, rank }) => ({ x: pages, y: rank })),
      })),
    ],
  };
}

/** Figure 5 by the crawler of production: which order retrieves the best pages first. */
export const webOrderExperiment: Experiment = defineExperiment({
  name: "web-orders",
  title: "Which order finds the best pages first, in production",
  paper: `${castilloPaper}, ${where}`,
  about:
    "The experiment `orders` with the crawler of `tidemark crawl --web` itself in virtual time: HTML is parsed, URLs wait in its queue on " +
    "disk, links are kept and ranked as always; only requests are answered from memory, all equally fast. Each web is crawled by each order, " +
    "one page a turn. Each claim of the paper is asked of every web, and the web that supports it least is shown.",
  parameters: {
    ...kindParameters,
    batches: { ...politenessParameters.batches, quick: 10 },
    orders: {
      kind: "choices",
      default: orderNames.join(","),
      choices: orderNames,
      meaning: "orders in which the webs are crawled",
    },
    connections: { kind: "whole", default: 1, min: 1, max: 1000, meaning: "r: connections at once" },
  },
  columns: [
    { name: "kind", meaning: "kind of web" },
    { name: "web", meaning: "which of the webs of its kind, from 1" },
    { name: "order", meaning: "which page of which site is next" },
    { name: "pages", meaning: "share of all pages that were retrieved, 0 to 1" },
    { name: "rank", meaning: "share of all PageRank that these have, 0 to 1" },
    { name: "simulated", meaning: "the same in the simulator of the experiment `orders`" },
    { name: "hours", meaning: "hours since the crawl began" },
  ],
  published,
  points: ({ kinds, webs, orders }) =>
    kinds.split(",").flatMap((kind) =>
      Array.from({ length: webs }, (_, web) =>
        orders.split(",").map((order) => ({
          name: `${kind}/${web + 1}/${order}`,
          weight: order === "batch" ? 3 : 1,
        })),
      ).flat(),
    ),
  run: async ({ name }, values, { seed, ports, onProgress }) => {
    const [kind, number, order = ""] = name.split("/");
    if (!isWebKind(kind) || !isOrderName(order)) return [];
    const ranked = drawKind(kind, Number(number), values, seed);
    const { web, ranks } = ranked;
    const meter = ranked.measure(onProgress);
    const plan = {
      ...{ order, connections: values.connections, restSeconds: values.rest },
      batchPages: Math.ceil(web.pages / values.batches),
    };
    for (const { page, seconds } of await ports.crawlWeb(web, { ...plan, answerSeconds: values.answer, ranks, seed }))
      meter.page(page, seconds);
    const simulated = ranked.crawl({
      ...plan,
      ...{ pagesPerTurn: 1, bytesPerSecond: Number.POSITIVE_INFINITY },
      random: createRandom(seed, "random"),
    });
    return meter.steps.map(({ pages, rank, hours }, at) => ({
      ...{ kind, web: Number(number), order, pages, rank },
      ...{ simulated: simulated[at]?.rank ?? null, hours },
    }));
  },
  notes: (rows) => [rankOrders(rows, "plain"), rankOrders(rows, "menus")].filter((note) => note !== undefined),
  figures: (rows, { kinds }) =>
    kinds
      .split(",")
      .filter(isWebKind)
      .map((kind) => draw(rows, kind)),
});
