import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { createRandom } from "../../src/core/random.ts";
import { countDegrees, fitPowerLaw } from "../../src/graph/degree-distribution.ts";
import { inDegrees, outDegrees } from "../../src/graph/graph.ts";
import { GraphBuilder } from "../../src/graph/graph-builder.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { chenPaper } from "../experiment/papers.ts";
import type { CrawledPage } from "../experiment/ports.ts";
import { asGoal, asRounded, asWorded, near, type PublishedNumber } from "../experiment/published.ts";
import { generateWeb } from "../webs/generated-web.ts";
import type { Web } from "../webs/web.ts";

/** Rows of Table 5.2: each has the records of one eighth more. */
const inputs = 8;

type Part = "out" | "in" | "records" | "links";

const partOf = (rows: readonly LabRow[], part: Part, web: unknown): LabRow[] =>
  rows.filter((row) => row.part === part && row.web === web);

/** The mean over webs of what each gives. */
function meanOf(
  rows: readonly LabRow[],
  of: (rows: (part: Part) => LabRow[]) => number | undefined,
): number | undefined {
  const webs = [...new Set(rows.map((row) => row.web))];
  const values = webs.map((web) => of((part) => partOf(rows, part, web)));
  if (values.length === 0 || values.includes(undefined)) return undefined;
  return (values as number[]).reduce((sum, value) => sum + value, 0) / values.length;
}

/** Middle and mean of a distribution. */
function describeDegrees(rows: readonly LabRow[]): { readonly median: number; readonly mean: number } | undefined {
  const nodes = rows.reduce((sum, row) => sum + Number(row.nodes), 0);
  const links = rows.reduce((sum, row) => sum + Number(row.nodes) * Number(row.x), 0);
  let below = 0;
  const middle = rows.find((row) => {
    below += Number(row.nodes);
    return 2 * below >= nodes;
  });
  return middle === undefined ? undefined : { median: Number(middle.x), mean: links / nodes };
}

const rateOf = (row: LabRow | undefined): number | undefined =>
  row === undefined ? undefined : Number(row.x) / Number(row.nodes);

const known = "How often a record repeats a known URL depends on how large the web is beside what was crawled of it.";

const published: readonly PublishedNumber[] = [
  {
    name: "links that the crawler kept, by those of the web from the same pages, each once",
    where: "our own: Table 5.1 counts them",
    theirs: "all",
    format: "number",
    tolerance: asGoal(1, 1),
    ours: (rows) =>
      meanOf(rows, (of) => {
        const [row] = of("links");
        return row === undefined ? undefined : Number(row.x) / Number(row.nodes);
      }),
  },
  {
    name: "median out-degree by the mean",
    where: "section 5.1, Figure 5.2, Table 5.1",
    theirs: "202 is close to 205.322",
    format: "number",
    tolerance: asWorded(1 - near, 1 + near),
    ours: (rows) =>
      meanOf(rows, (of) => {
        const degrees = describeDegrees(of("out"));
        return degrees === undefined ? undefined : degrees.median / degrees.mean;
      }),
    explanation: {
      expected: [0.5, 1 - near],
      why:
        "Links of generated pages are drawn with a geometric distribution, whose median is 0.69 of its mean. A median as high as the mean " +
        "says that most pages of the crawl had menus of the same length.",
    },
  },
  {
    name: "records by different URLs, of the first eighth of them",
    where: "section 5.1, Table 5.2",
    theirs: "1.543",
    format: "number",
    tolerance: asRounded(1.543, 0.001),
    ours: (rows) => meanOf(rows, (of) => rateOf(of("records")[0])),
    explanation: { expected: [1, 10], why: known },
  },
  {
    name: "records by different URLs, of all of them",
    where: "section 5.1, Table 5.2",
    theirs: "2.338",
    format: "number",
    tolerance: asRounded(2.338, 0.001),
    ours: (rows) => meanOf(rows, (of) => rateOf(of("records")[inputs - 1])),
    explanation: { expected: [1, 60], why: known },
  },
  {
    name: "steps from one eighth to the next at which it rises",
    where: "section 5.1, Table 5.2",
    theirs: "7 of 7",
    format: "number",
    tolerance: asWorded(inputs - 1, inputs - 1),
    ours: (rows) =>
      meanOf(rows, (of) => {
        const rates = of("records").map((row) => rateOf(row) ?? 0);
        return rates.filter((rate, at) => rate > (rates[at - 1] ?? Number.POSITIVE_INFINITY)).length;
      }),
  },
];

/** Different URLs among the first records, by eighths of all. */
function countRecords(crawled: readonly CrawledPage[]): { readonly x: number; readonly nodes: number }[] {
  const all = crawled.reduce((sum, { links }) => sum + links.length, 0);
  const rows: { x: number; nodes: number }[] = [];
  const urls = new Set<number>();
  let records = 0;
  for (const { links } of crawled) {
    for (const link of links) {
      urls.add(link);
      records++;
      if (records * inputs >= (rows.length + 1) * all) rows.push({ x: records, nodes: urls.size });
    }
  }
  return rows;
}

function* measure(crawled: readonly CrawledPage[], web: Web): Generator<Omit<LabRow, "web">, void, void> {
  const builder = new GraphBuilder();
  builder.addNode(web.pages - 1);
  for (const { page, links } of crawled) for (const link of links) builder.addLink(page, link);
  const graph = builder.build();
  const out = outDegrees(graph);
  const degrees = countDegrees(Uint32Array.from(crawled, ({ page }) => out[page] as number));
  for (const { degree, nodes } of degrees) yield { part: "out", x: degree, nodes };
  for (const { degree, nodes } of countDegrees(inDegrees(graph).filter((degree) => degree > 0)))
    yield { part: "in", x: degree, nodes };
  for (const row of countRecords(crawled)) yield { part: "records", ...row };
  const { offsets, targets } = web.graph;
  const kept = crawled.reduce((sum, { links }) => sum + links.length, 0);
  const own = crawled.reduce(
    (sum, { page }) => sum + new Set(targets.subarray(offsets[page], offsets[page + 1])).size,
    0,
  );
  yield { part: "links", x: kept, nodes: own };
}

const dots = (rows: readonly LabRow[], name: string) =>
  ({
    kind: "dots",
    of: "ours",
    name,
    points: rows.map((row) => ({ x: Number(row.x), y: Number(row.nodes) })),
  }) as const;

function draw(rows: readonly LabRow[]): Figure[] {
  return [
    {
      name: "web-out-degrees",
      title: "Out-degrees of crawled pages",
      caption:
        "Crawled pages by their out-degree, on the first web. Chen, Figure 5.2; the guide is the average of its Table 5.1.",
      x: { label: "Out-degree", kind: "linear" },
      y: { label: "Pages", kind: "linear" },
      marks: [
        dots(partOf(rows, "out", 1), "pages"),
        { kind: "guide", of: "theirs", name: "average", axis: "x", at: 205.322 },
      ],
    },
    {
      name: "web-in-degrees",
      title: "In-degrees of known pages",
      caption:
        "Known pages by the links to them from crawled pages, on the first web; input of Chen's ranking by in-degree.",
      x: { label: "In-degree", kind: "log" },
      y: { label: "Pages", kind: "log" },
      hasPublished: false,
      marks: [dots(partOf(rows, "in", 1), "pages")],
    },
  ];
}

/** Figure 5.2 and Tables 5.1, 5.2: the graph that the crawler of production finds. */
export const webGraphExperiment: Experiment = defineExperiment({
  name: "web-graph",
  title: "The graph that a crawl finds",
  paper: `${chenPaper}, section 5.1, Figure 5.2, Tables 5.1 and 5.2`,
  about:
    "A part of a generated web is crawled by the crawler of `tidemark crawl --web` in virtual time, breadth first, and degrees are counted by " +
    "`src/graph` from the links that it kept. Links a page are chosen so that their mean is near the paper's. Seconds of Table 5.2 are those of a " +
    "machine: `npm run bench -- graph --records` measures them.",
  parameters: {
    pages: { kind: "whole", default: 50_000, quick: 5000, min: 10, max: 1_000_000, meaning: "pages of a web" },
    sites: { kind: "whole", default: 50, quick: 5, min: 2, max: 100_000, meaning: "sites of a web" },
    links: {
      kind: "number",
      default: 290,
      min: 1,
      max: 1000,
      meaning: "links of a page before those that stand twice are left out",
    },
    crawled: { kind: "whole", default: 2000, quick: 200, min: 1, max: 1_000_000, meaning: "pages that are crawled" },
    webs: { kind: "whole", default: 3, quick: 2, min: 1, max: 100, meaning: "webs, drawn independently" },
  },
  columns: [
    { name: "web", meaning: "which of the webs, from 1" },
    { name: "part", meaning: "what the row is about: out-degrees, in-degrees, the first records, or all links" },
    { name: "x", meaning: "the degree, how many records, or links that were kept" },
    {
      name: "nodes",
      meaning: "pages with that degree, different URLs in the records, or links of the web from crawled pages",
    },
  ],
  published,
  points: ({ webs }) => Array.from({ length: webs }, (_, web) => ({ name: `${web + 1}` })),
  run: async ({ name }, { pages, sites, links, crawled }, { seed, ports }) => {
    const shape = { pages, sites, siteCap: pages, linksPerPage: links, outwardShare: 0.5, branching: [3, 10] as const };
    const web = generateWeb(shape, createRandom(seed, "web", name));
    const found = await ports.crawlWeb(web, {
      ...{ order: "depth", connections: 8, restSeconds: 15, answerSeconds: 1 },
      ...{ batchPages: pages, mostPages: crawled, seed },
    });
    return [...measure(found, web)].map((row) => ({ web: Number(name), ...row }) as LabRow);
  },
  notes: (rows) => {
    const webs = [...new Set(rows.map((row) => row.web))];
    return webs.map((web) => {
      const degrees = describeDegrees(partOf(rows, "out", web));
      const law = fitPowerLaw(
        partOf(rows, "in", web).map((row) => ({ degree: Number(row.x), nodes: Number(row.nodes) })),
      );
      const fit =
        law === undefined
          ? "no power law is near the in-degrees"
          : `in-degrees from ${law.range[0]} on fit a power law with exponent ${law.exponent.toFixed(2)}`;
      return `Web ${web}: mean out-degree ${degrees?.mean.toFixed(1)}, median ${degrees?.median}; ${fit}.`;
    });
  },
  figures: draw,
});
