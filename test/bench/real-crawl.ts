import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Figure, FigurePoint } from "../../src/core/lab-result.ts";
import { drawFigure } from "../../src/report/figure-svg.ts";
import { type Benchmark, defineBenchmark } from "./benchmark.ts";
import { type CrawlMoment, crawlWeb, momentOf } from "./real-crawl/crawl-web.ts";

/** Castillo et al., section 7: the second and the fourth of eight days. */
const theirs = [
  { time: 2 / 8, pages: 0.5, rank: 0.8 },
  { time: 4 / 8, pages: 0.8, rank: 0.95 },
];
const drawnPoints = 200;

function describeFigure(moments: readonly CrawlMoment[]): Figure {
  const seconds = moments.at(-1)?.seconds ?? 1;
  const step = Math.max(1, Math.floor(moments.length / drawnPoints));
  const drawn = moments.filter((_, at) => (at + 1) % step === 0 || at === moments.length - 1);
  const line = (name: string, yOf: (moment: CrawlMoment) => number) => {
    const points = drawn.map((moment): FigurePoint => ({ x: moment.seconds / seconds, y: yOf(moment) }));
    return { kind: "line" as const, of: "ours" as const, name, points };
  };
  const dots = (name: string, which: "pages" | "rank") => {
    const points = theirs.map((one): FigurePoint => ({ x: one.time, y: one[which] }));
    return { kind: "dots" as const, of: "theirs" as const, name, points };
  };
  return {
    name: "real-crawl",
    title: "Pages and rank by time, a real crawl",
    caption:
      "Share of pages and of PageRank that were retrieved, by the share of the crawl's time. Castillo et al., Figure 8, tell of the second " +
      "and the fourth of eight days.",
    x: { label: "Time of the crawl", kind: "linear", format: "percent", domain: [0, 1] },
    y: { label: "Retrieved", kind: "linear", format: "percent", domain: [0, 1] },
    marks: [
      line("PageRank", ({ rank }) => rank),
      line("pages", ({ pages }) => pages),
      dots("PageRank", "rank"),
      dots("pages", "pages"),
    ],
  };
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- real-crawl [--pages N] [--sites N] [--seed N] [--out DIR]
The crawler crawls a generated web of N pages (2000) in N sites (100) from servers on loopback, as it crawls any: how much of
all PageRank it has with how many of the pages, beside what Castillo et al. (LA-WEB 2004, Figure 8) had of the Chilean Web after two
and four of eight days, what the lab's simulator has in the order Length, and what the best pages have that there are. With
--out, a figure of it is written there.
`,
  options: { pages: 2000, sites: 100, seed: 1, out: "" },
  run: async ({ pages, sites, seed, out }) => {
    const { moments, simulated, mostRank } = await crawlWeb({ pages, sites, seed });
    const seconds = moments.at(-1)?.seconds ?? 0;
    process.stdout.write(`${moments.length} pages of ${pages} in ${sites} sites, ${seconds.toFixed(1)} s\n`);
    for (const { time, pages: share, rank } of theirs) {
      const byPages = momentOf(moments, "pages", share);
      const simulation = momentOf(simulated, "pages", share);
      const byTime = momentOf(moments, "seconds", time * seconds);
      process.stdout.write(
        `with ${percent(share)} of the pages: ${percent(byPages?.rank ?? 0)} of PageRank (theirs ${percent(rank)}, ` +
          `simulated Length ${percent(simulation?.rank ?? 0)}, the best pages ${percent(mostRank(share))}); ` +
          `after ${percent(time)} of the time: ${percent(byTime?.pages ?? 0)} of the pages, ${percent(byTime?.rank ?? 0)} of PageRank\n`,
      );
    }
    if (out === "") return;
    await mkdir(out, { recursive: true });
    const file = join(out, "real-crawl.svg");
    await writeFile(file, await drawFigure(describeFigure(moments)));
    process.stdout.write(`${file}\n`);
  },
});
