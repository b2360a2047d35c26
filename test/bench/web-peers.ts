import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type Benchmark, defineBenchmark, log, medianOf } from "./benchmark.ts";
import { measureWebCrawl, type WebCost } from "./web-peers/web-cost.ts";
import { webCrawlers } from "./web-peers/web-crawlers.ts";

const columns: ReadonlyArray<readonly [string, (cost: WebCost) => number]> = [
  ["pages/CPU s", ({ report, cpuSeconds }) => (report.requested + report.trapPages) / cpuSeconds],
  ["CPU s", ({ cpuSeconds }) => cpuSeconds],
  ["wall s", ({ wallSeconds }) => wallSeconds],
  ["peak MiB", ({ peakMiB }) => peakMiB],
  ["pages", ({ report }) => report.requested],
  ["missed", ({ report }) => report.missed],
  ["of traps", ({ report }) => report.trapPages],
  ["repeated", ({ report }) => report.repeated],
  ["two at once", ({ report }) => report.broken.busy],
  ["early", ({ report }) => report.broken.early],
  ["disallowed", ({ report }) => report.broken.disallowed],
];

const formatRow = (cells: readonly string[]): string =>
  `${cells.map((cell, at) => (at === 0 ? cell.padEnd(10) : cell.padStart(11))).join(" ")}\n`;

export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- web-peers [--sites N] [--pages N] [--rounds N] [--peer NAME] [--seed N] [--friendly]
Crawls a made Web of N sites (2000) and N pages (100000) from one page, as web-crawl serves it, in turn with ${webCrawlers
    .map(({ name }) => name)
    .join(", ")}, or with one of them.
All obey robots.txt, open 64 sites at once with one connection each, without a delay, give up after 3 s, follow at most 60 links, parse the
links of each page and keep no bodies. Missed are pages of sites that answer; two at once counts requests to a site that was busy with another.
\`bare\` is no crawler to use: requests and links on Node, with all in memory and nothing kept. What is not there is installed first.
`,
  options: { sites: 2000, pages: 100_000, rounds: 1, peer: "", seed: 1, friendly: false },
  run: async ({ sites, pages, rounds, peer, seed, friendly }) => {
    const setup = join(repositoryFolder(), "test", "bench", "web-peers", "setup.sh");
    if (spawnSync("bash", [setup], { stdio: ["ignore", "inherit", "inherit"] }).status !== 0)
      throw new Error(`${setup} failed`);
    const racing = webCrawlers.filter(({ name }) => peer === "" || name === peer);
    if (racing.length === 0) throw new Error(`no crawler is named ${peer}`);
    const costs = new Map(racing.map((crawler) => [crawler, [] as WebCost[]]));
    using temp = makeTempFolder("bench");
    for (let round = 0; round < rounds; round++)
      for (const [crawler, of] of costs) {
        const folder = join(temp.path, `${crawler.name}-${round}`);
        mkdirSync(folder);
        const cost = await measureWebCrawl(crawler, folder, { sites, pages, seed, friendly });
        of.push(cost);
        log(`${crawler.name}: ${cost.report.requested} pages, ${cost.cpuSeconds.toFixed(1)} s of CPU`);
      }
    const rows = [...costs].map(([{ name }, of]) => [
      name,
      ...columns.map(([, measure]) => {
        const value = medianOf(of.map(measure));
        return value.toFixed(value < 100 && !Number.isInteger(value) ? 1 : 0);
      }),
    ]);
    process.stdout.write(
      `Node ${process.version}; ${sites} sites, ${pages} pages; medians of ${rounds}, in turn\n\n${[
        ["", ...columns.map(([name]) => name)],
        ...rows,
      ]
        .map(formatRow)
        .join("")}`,
    );
  },
});
