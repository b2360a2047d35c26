import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DuckDbEngine } from "../../../src/analysis/engine/duckdb-engine.ts";
import type { SqlEngine } from "../../../src/analysis/engine/graph-sql.ts";
import { SparkEngine } from "../../../src/analysis/engine/spark-engine.ts";
import { computeByEngine, type NodeColumns } from "../../../src/analysis/engine-columns.ts";
import { readGraph } from "../../../src/analysis/graph-folder.ts";
import { importGraph } from "../../../src/analysis/import-graph.ts";
import { computeRanksOnThreads } from "../../../src/analysis/rank-threads.ts";
import type { NodeVisits } from "../../../src/analysis/visits.ts";
import { crawlPriorities } from "../../../src/graph/crawl-priority.ts";
import { inDegrees, outDegrees } from "../../../src/graph/graph.ts";
import { changesOf } from "../../graph/slow-graph.ts";
import { findSparkProgram } from "../../interop/spark-program.ts";
import { log } from "../benchmark.ts";
import { makeLinks } from "./made-graph.ts";

const ages = { nowSeconds: 1_800_000_000, crawlSeconds: 180 * 86_400 };

/** Two executors, processes of their own, of one processor and 2 GiB each. */
export const makeSparkCluster = (): SqlEngine =>
  new SparkEngine({ program: findSparkProgram(), master: "local-cluster[2,1,2048]", partitions: 4 });

/** Imports a made web, as it is now or as it was: then it lacked a third of the links, and some led elsewhere. */
async function importWeb(folder: string, when: "now" | "before", nodes: number, links: number): Promise<string> {
  mkdirSync(folder);
  const list = join(folder, "links.txt");
  const lines: string[] = [];
  const out = createWriteStream(list);
  let link = 0;
  makeLinks(nodes, links, (from, to) => {
    link++;
    if (when === "now") lines.push(`${from}\t${to}\n`);
    else if (link % 3 > 0) lines.push(`${from}\t${link % 15 === 1 ? Math.min(nodes - 1, to ^ 1) : to}\n`);
  });
  const pieces = function* (): Generator<string, void, void> {
    for (let at = 0; at < lines.length; at += 100_000) yield lines.slice(at, at + 100_000).join("");
  };
  await pipeline(Readable.from(pieces()), out);
  await importGraph({ into: join(folder, "graph"), links: list });
  return join(folder, "graph");
}

/** Half of the nodes were visited, half of these twice. */
function makeVisits(nodes: number): NodeVisits {
  const latest = new Float64Array(nodes).fill(Number.NaN);
  const earlier = latest.slice();
  for (let node = 0; node < nodes; node += 2) {
    latest[node] = 1_790_000_000 - (node % 10_000_000);
    if (node % 4 === 0) earlier[node] = 1_770_000_000;
  }
  return { latest, earlier };
}

async function computeByLoops(folder: string, previous: string, visits: NodeVisits, maxRounds: number) {
  const graph = await readGraph(folder);
  const [incoming, outgoing] = [inDegrees(graph), outDegrees(graph)];
  const found = changesOf(await readGraph(previous), graph);
  const changes = visits.earlier.map((time, node) => (Number.isNaN(time) ? Number.NaN : (found[node] as number)));
  const { ranks } = await computeRanksOnThreads(graph, { threads: 2, tolerance: 0, maxRounds });
  const facts = { inDegrees: incoming, outDegrees: outgoing, visitedAt: visits.latest, changes };
  return { incoming, outgoing, ranks, priorities: crawlPriorities(facts, ages.nowSeconds, ages.crawlSeconds) };
}

/** How two results differ: nodes with other degrees, and the largest differences, of priorities in proportion. */
function compare(one: NodeColumns, other: NodeColumns) {
  const differences = { degrees: 0, ranks: 0, priorities: 0 };
  for (let node = 0; node < one.ranks.length; node++) {
    if (one.incoming[node] !== other.incoming[node] || one.outgoing[node] !== other.outgoing[node])
      differences.degrees++;
    const [rank, priority] = [one.ranks[node] ?? Number.NaN, one.priorities[node] ?? Number.NaN];
    differences.ranks = Math.max(differences.ranks, Math.abs(rank - (other.ranks[node] ?? Number.NaN)));
    const gap = Math.abs(priority - (other.priorities[node] ?? Number.NaN)) / Math.max(1, priority);
    differences.priorities = Math.max(differences.priorities, gap);
  }
  return differences;
}

/**
 * Computes degrees, PageRank and priorities of a made web by our loops, by the SQL on DuckDB and by the same SQL on a real Spark with two
 * executors, and prints a table.
 *
 * @throws if they do not agree
 */
export async function compareEngines(folder: string, nodes: number, links: number, rounds: number): Promise<void> {
  const latest = await importWeb(join(folder, "now"), "now", nodes, links);
  const previous = await importWeb(join(folder, "before"), "before", nodes, links);
  const visits = makeVisits(nodes);
  const byEngine = (engine: SqlEngine) => (): Promise<NodeColumns> =>
    computeByEngine(engine, {
      ...{ folder: latest, previous, nodes, visits, damping: 0.85, rounds, ...ages },
      ...{ scratch: folder, signal: undefined },
    });
  const count = (await readGraph(latest)).targets.length;
  const candidates = [
    ["our loops, 2 threads", () => computeByLoops(latest, previous, visits, rounds)],
    ["SQL on DuckDB", byEngine(new DuckDbEngine())],
    ["SQL on Spark, 2 executors", byEngine(makeSparkCluster())],
  ] as const;
  let first: NodeColumns | undefined;
  const rows: string[] = [];
  for (const [name, run] of candidates) {
    const begun = performance.now();
    const found = await run();
    const seconds = (performance.now() - begun) / 1000;
    first ??= found;
    const { degrees, ranks, priorities } = compare(first, found);
    log(`${name}: ${seconds.toFixed(1)} s`);
    if (degrees > 0 || !(ranks <= 1e-9) || !(priorities <= 1e-9))
      throw new Error(`${name} differs: ${JSON.stringify({ degrees, ranks, priorities })}`);
    rows.push(
      `| ${name} | ${seconds.toFixed(1)} | ${degrees} | ${priorities.toExponential(1)} | ${ranks.toExponential(1)} |\n`,
    );
  }
  process.stdout.write(
    `${nodes.toLocaleString("en")} nodes, ${count.toLocaleString("en")} links, ${rounds} rounds\n\n` +
      "| who | s | nodes with other degrees | priorities differ by, in proportion | ranks differ by |\n|---|---|---|---|---|\n" +
      rows.join(""),
  );
}
