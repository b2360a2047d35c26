import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDbEngine } from "../../src/analysis/engine/duckdb-engine.ts";
import type { SqlEngine } from "../../src/analysis/engine/graph-sql.ts";
import { computeByEngine } from "../../src/analysis/engine-columns.ts";
import { readGraph } from "../../src/analysis/graph-folder.ts";
import { importGraph } from "../../src/analysis/import-graph.ts";
import { computeRanksOnThreads } from "../../src/analysis/rank-threads.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { findProgram } from "../interop/programs.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { type Benchmark, defineBenchmark, log, medianOf } from "./benchmark.ts";
import { compareEngines, makeSparkCluster } from "./graph/compare-engines.ts";
import { rankWithGraphology } from "./graph/graphology.ts";
import { makeLinks } from "./graph/made-graph.ts";
import { measureDiskRanks, measureRankMemory } from "./graph/rank-memory.ts";
import { countUrlRecords } from "./graph/url-records.ts";
import type { MeteredCost } from "./peers/metered-process.ts";

/** Who ran, how long each time, and the ranks of the last. */
interface Candidate {
  readonly name: string;
  readonly links: number;
  readonly seconds: number[];
  ranks: Float64Array | undefined;
}

async function makeGraph(folder: string, nodes: number, links: number): Promise<{ graph: Graph; seconds: number }> {
  const list = join(folder, "links.txt");
  const lines: string[] = [];
  writeFileSync(list, "");
  const flush = (): void => writeFileSync(list, lines.splice(0).join(""), { flag: "a" });
  makeLinks(nodes, links, (from, to) => {
    if (lines.push(`${from}\t${to}\n`) >= 200_000) flush();
  });
  flush();
  const begun = performance.now();
  await importGraph({ into: join(folder, "graph"), links: list });
  return { graph: await readGraph(join(folder, "graph")), seconds: (performance.now() - begun) / 1000 };
}

function compilePlainLoop(folder: string): string | undefined {
  const compiler = findProgram("g++");
  if (compiler === undefined) return undefined;
  const program = join(folder, "page-rank");
  execFileSync(compiler, ["-O3", "-o", program, join(repositoryFolder(), "test/bench/graph/page-rank.cpp")]);
  return program;
}

/** Runs the C++ program. @returns seconds along links, and backwards */
function runPlainLoop(program: string, folder: string, rounds: number): { seconds: number[]; ranks: Float64Array } {
  const out = join(folder, "ranks.bin");
  const said = execFileSync(program, [join(folder, "graph", "links.csr"), String(rounds), out], { encoding: "utf8" });
  const bytes = Uint8Array.from(readFileSync(out));
  return { seconds: said.split(" ").slice(0, 2).map(Number), ranks: new Float64Array(bytes.buffer) };
}

async function rankByEngine(engine: SqlEngine, folder: string, nodes: number, rounds: number): Promise<Float64Array> {
  const none = new Float64Array(nodes).fill(Number.NaN);
  const { ranks } = await computeByEngine(engine, {
    ...{ folder: join(folder, "graph"), nodes, rounds, damping: 0.85, nowSeconds: 0, crawlSeconds: 1 },
    ...{ visits: { latest: none, earlier: none }, previous: undefined, scratch: folder, signal: undefined },
  });
  return ranks;
}

function largestDifference(a: Float64Array, b: Float64Array): number {
  return a.reduce((most, rank, node) => Math.max(most, Math.abs(rank - (b[node] ?? Number.NaN))), 0);
}

function printTable(candidates: readonly Candidate[], rounds: number): void {
  const plain = candidates.filter(({ name }) => name.startsWith("C++"));
  const baseline = Math.min(...plain.map(({ seconds }) => Math.min(...seconds)));
  const reference = candidates[0]?.ranks;
  process.stdout.write(
    "\n| who | links | s, median | s, least | million links/s | times the C++ | largest difference |\n",
  );
  process.stdout.write("|---|---|---|---|---|---|---|\n");
  for (const { name, links, seconds, ranks } of candidates) {
    const least = Math.min(...seconds);
    const speed = ((links * rounds) / least / 1e6).toFixed(links * rounds > 1e7 * least ? 0 : 1);
    const ratio = plain.length === 0 || links !== candidates[0]?.links ? "" : (least / baseline).toFixed(2);
    const difference =
      ranks && reference && ranks.length === reference.length ? largestDifference(ranks, reference) : undefined;
    process.stdout.write(
      `| ${name} | ${links.toLocaleString("en")} | ${medianOf(seconds).toFixed(2)} | ${least.toFixed(2)} | ${speed} | ${ratio} | ` +
        `${difference === undefined ? "" : difference.toExponential(1)} |\n`,
    );
  }
}

function printRecords(costs: Readonly<Record<string, MeteredCost>>, records: number): void {
  const all = Object.values(costs).reduce((sum, { wallSeconds }) => sum + wallSeconds, 0);
  process.stdout.write("| step | s | CPU s | peak MiB |\n|---|---|---|---|\n");
  for (const [step, { wallSeconds, cpuSeconds, peakMiB }] of Object.entries(costs))
    process.stdout.write(
      `| ${step} | ${wallSeconds.toFixed(1)} | ${cpuSeconds.toFixed(1)} | ${peakMiB.toFixed(0)} |\n`,
    );
  process.stdout.write(
    `\n${records.toLocaleString("en")} records, ${Math.round(records / all).toLocaleString("en")} a second; Chen's Table 5.2 has 15 to 29 thousand on three machines\n`,
  );
}

const help = `npm run bench -- graph [--nodes N] [--links N] [--rounds N] [--repeats N] [--duckdb] [--spark] [--graphology]
npm run bench -- graph --records N | --memory N | --disk N | --engines [--nodes N] [--links N] [--rounds N]
PageRank of a made web in turn by our loops on one and two threads, a plain C++ loop, and with the flags by the SQL on DuckDB and on a
real Spark with two executors, and by graphology at sizes of its own. With
--records instead the in-degrees of that many URL records of a crawl, with --memory what ranks of so many links take in memory, with
--disk what they take if the links stay on disk, with --engines degrees, PageRank and priorities by our loops, by the SQL on DuckDB and by the same SQL on Spark.
All must agree before a table is printed. The least time of each is that
which other work on the machine disturbed least.
`;

/** Prints a table as Markdown. */
export const benchmark: Benchmark = defineBenchmark({
  help,
  options: {
    nodes: 1_000_000,
    links: 11_000_000,
    rounds: 20,
    repeats: 3,
    duckdb: false,
    spark: false,
    graphology: false,
    records: 0,
    memory: 0,
    disk: 0,
    engines: false,
  },
  run: async ({ nodes, links, rounds, repeats, duckdb, spark, graphology, records, memory, disk, engines }) => {
    const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-graph-"));
    try {
      if (memory > 0) {
        process.stdout.write(`${memory} links: at most ${(await measureRankMemory(memory)).toFixed(1)} bytes a link\n`);
        return;
      }
      if (disk > 0) {
        const { fileMiB, inMemory, ...fromDisk } = await measureDiskRanks(folder, disk);
        process.stdout.write(
          `${disk.toLocaleString("en")} links, ${fileMiB.toFixed(0)} MiB on disk; the same ranks\n\n` +
            "| links | s a round | MiB at most beyond the start |\n|---|---|---|\n" +
            Object.entries({ "on disk": fromDisk, "in memory": inMemory })
              .map(([name, one]) => `| ${name} | ${one.secondsOfRound.toFixed(2)} | ${one.grownMiB.toFixed(0)} |\n`)
              .join(""),
        );
        return;
      }
      if (records > 0) {
        printRecords(await countUrlRecords(folder, records), records);
        return;
      }
      if (engines) {
        await compareEngines(folder, nodes, links, rounds);
        return;
      }
      const before = process.memoryUsage.rss();
      const { graph, seconds } = await makeGraph(folder, nodes, links);
      const count = graph.targets.length;
      log(
        `${nodes.toLocaleString("en")} nodes, ${count.toLocaleString("en")} links, imported in ${seconds.toFixed(1)} s`,
      );
      const make = (name: string): Candidate => ({ name, links: count, seconds: [], ranks: undefined });
      const loops = [1, 2].map((threads) => ({
        threads,
        candidate: make(`ours, ${threads} thread${threads === 1 ? "" : "s"}`),
      }));
      const [along, backwards] = [make("C++, along links"), make("C++, backwards")];
      const program = compilePlainLoop(folder);
      if (program === undefined) log("g++ is not installed: no C++");
      for (let repeat = 0; repeat < repeats; repeat++) {
        for (const { threads, candidate } of loops) {
          // Each run has memory of its own: a graph keeps the ranks that were computed of it.
          const own = await readGraph(join(folder, "graph"));
          let begun = performance.now();
          const onRound = (round: number): void => {
            // The first round has the threads' start, and code that is not yet compiled.
            if (round === 1) begun = performance.now();
          };
          candidate.ranks = (
            await computeRanksOnThreads(own, { threads, maxRounds: rounds + 1, tolerance: 0, onRound })
          ).ranks;
          candidate.seconds.push((performance.now() - begun) / 1000);
        }
        if (program === undefined) continue;
        const ran = runPlainLoop(program, folder, rounds + 1);
        along.ranks = ran.ranks;
        along.seconds.push(((ran.seconds[0] ?? 0) * rounds) / (rounds + 1));
        backwards.seconds.push(((ran.seconds[1] ?? 0) * rounds) / (rounds + 1));
      }
      const all = [...loops.map(({ candidate }) => candidate), ...(program === undefined ? [] : [along, backwards])];
      const runs: ReadonlyArray<readonly [boolean, string, () => SqlEngine]> = [
        [duckdb, "SQL on DuckDB", () => new DuckDbEngine()],
        [spark, "SQL on Spark, 2 executors", makeSparkCluster],
      ];
      for (const [isWanted, name, engine] of runs) {
        if (!isWanted) continue;
        const candidate = make(name);
        const begun = performance.now();
        candidate.ranks = await rankByEngine(engine(), folder, nodes, rounds + 1);
        candidate.seconds.push((performance.now() - begun) / 1000);
        all.push(candidate);
      }
      for (const { name, ranks } of all)
        if (ranks && largestDifference(ranks, all[0]?.ranks ?? ranks) > 1e-9)
          throw new Error(`${name} has other ranks`);
      if (graphology) {
        for (const size of [10_000, 100_000, 300_000]) {
          const ran = rankWithGraphology(size, 10 * size, rounds);
          all.push({ name: "graphology", links: ran.links, seconds: [ran.seconds], ranks: undefined });
          log(`graphology, ${size} nodes: built in ${ran.buildSeconds.toFixed(1)} s`);
        }
      }
      printTable(all, rounds);
      const most = process.resourceUsage().maxRSS * 1024 - before;
      process.stdout.write(
        `\nThe graph takes ${((graph.offsets.byteLength + graph.targets.byteLength) / count).toFixed(1)} bytes a link, ranks and threads ` +
          `${((nodes * 24) / count).toFixed(1)}; all of this process at most ${(most / count).toFixed(1)} more than at its start.\n`,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});
