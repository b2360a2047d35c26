import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { createRandom } from "../../src/core/random.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { groupBy } from "../experiment/group-by.ts";
import { chenPaper } from "../experiment/papers.ts";
import { asWorded, near, type PublishedNumber } from "../experiment/published.ts";
import { generateWeb } from "../webs/generated-web.ts";

/** Rows of a crawl. */
const steps = 40;
const printedShare = 0.9;
/** Until then few pages are counted, and visits to known sites show as steps. */
const firstStep = steps / 2;

/** Crawled nodes by different ones, at each step of each crawl. */
function ratiosOf(rows: readonly LabRow[], from: number): number[] {
  return rows
    .filter((row) => row.share === printedShare && Number(row.step) >= from && Number(row.unique) > 0)
    .map((row) => Number(row.crawled) / Number(row.unique));
}

/** The one that is farthest from ten to nine. */
function farthest(ratios: readonly number[]): number | undefined {
  return ratios.toSorted((one, other) => Math.abs(other * printedShare - 1) - Math.abs(one * printedShare - 1))[0];
}

const around = asWorded(1 / printedShare - near, 1 / printedShare + near);
const where = "section 5.1, Figure 5.1";
const published: readonly PublishedNumber[] = [
  {
    name: "crawled nodes by different ones, at the end: the crawl that is farthest off",
    ...{ where, theirs: "around 10:9", format: "number", tolerance: around },
    ours: (rows) => farthest(ratiosOf(rows, steps)),
  },
  {
    name: "the same for the whole period: the moment of the second half that is farthest off",
    ...{ where, theirs: "around 10:9", format: "number", tolerance: around },
    ours: (rows) => farthest(ratiosOf(rows, firstStep)),
  },
];

function draw(rows: readonly LabRow[]): Figure[] {
  const first = rows.filter((row) => row.run === 1);
  const shares = groupBy(first, (row) => Number(row.share));
  return [
    {
      name: "growth",
      title: "Crawled nodes by time",
      caption:
        "Nodes that were crawled until a time, and different ones among them, by the share of new nodes in the work. Chen, Figure 5.1, whose slope is that of the number of volunteers.",
      x: { label: "Days", kind: "linear" },
      y: { label: "Nodes", kind: "linear" },
      marks: [...shares].flatMap(([share, of]) =>
        (["crawled", "unique"] as const).map((column) => ({
          kind: "line" as const,
          of: "ours" as const,
          name: `${column === "crawled" ? "all" : "different"}, ${Math.round(100 * share)} % new`,
          points: of.map((row) => ({ x: Number(row.day), y: Number(row[column]) })),
        })),
      ),
    },
  ];
}

/** Figure 5.1: new and known nodes in one crawl, by the crawler of production. */
export const growthExperiment: Experiment = defineExperiment({
  name: "web-growth",
  title: "New and known nodes in one crawl",
  paper: `${chenPaper}, section 5.1, Figure 5.1`,
  about:
    "A web is crawled in virtual time by the crawler of `tidemark crawl --web --forever --new-share`, with the share of the paper and with another one, and all requests of " +
    "pages are counted beside those of different pages. A request takes as long as it must for days to pass with few of them. The number of connections stays the same: that volunteers came is an observation.",
  parameters: {
    pages: { kind: "whole", default: 12_000, quick: 3000, min: 10, max: 1_000_000, meaning: "pages of a web" },
    sites: { kind: "whole", default: 60, min: 2, max: 100_000, meaning: "sites of a web" },
    links: { kind: "number", default: 8, min: 0, max: 1000, meaning: "links of a page beside those to pages below it" },
    answer: {
      kind: "number",
      default: 1200,
      min: 0.001,
      max: 100_000,
      meaning: "seconds from each request to its answer",
    },
    connections: { kind: "whole", default: 4, min: 1, max: 1000, meaning: "r: connections at once" },
    days: {
      kind: "number",
      default: 24,
      quick: 8,
      min: 0.01,
      max: 1000,
      meaning: "days of a crawl, fewer than the pages last",
    },
    other: { kind: "number", default: 0.5, min: 0, max: 1, meaning: "share of new nodes beside the paper's 0.9" },
    webs: { kind: "whole", default: 3, quick: 2, min: 1, max: 100, meaning: "webs, drawn independently" },
  },
  columns: [
    { name: "share", meaning: "share of requests for new nodes, 0 to 1" },
    { name: "run", meaning: "which of the webs, from 1" },
    { name: "step", meaning: `moment of the crawl, in ${steps} parts of its time` },
    { name: "day", meaning: "days since the crawl began" },
    { name: "crawled", meaning: "nodes that were crawled until then, each as often as it was" },
    { name: "unique", meaning: "different nodes among them" },
  ],
  published,
  points: ({ webs, other }) =>
    [...new Set([printedShare, other])].flatMap((share) =>
      Array.from({ length: webs }, (_, run) => ({ name: `${share}/${run + 1}` })),
    ),
  run: async ({ name }, { pages, sites, links, answer, connections, days }, { seed, ports }) => {
    const [share, run] = name.split("/").map(Number) as [number, number];
    const web = generateWeb(
      { pages, sites, siteCap: Math.ceil((2 * pages) / sites), linksPerPage: links },
      createRandom(seed, "growth", run),
    );
    const crawled = new Uint32Array(steps + 1);
    const unique = new Uint32Array(steps + 1);
    const seen = new Set<number>();
    const onRequest = (page: number, day: number): void => {
      const step = Math.min(steps, Math.ceil((steps * day) / days));
      crawled[step] = (crawled[step] as number) + 1;
      if (!seen.has(page)) unique[step] = (unique[step] as number) + 1;
      seen.add(page);
    };
    await ports.crawlWeb(web, {
      ...{ order: "depth", connections, restSeconds: 15, answerSeconds: answer, seed, batchPages: pages },
      revisits: { newShare: share, pagesBeforeRest: 10, days, onRequest },
    });
    let [all, different] = [0, 0];
    return Array.from(crawled, (count, step) => {
      all += count;
      different += unique[step] as number;
      return { share, run, step, day: (step * days) / steps, crawled: all, unique: different };
    });
  },
  figures: draw,
});
