import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { graphScript, type SqlEngine } from "../../../src/analysis/engine/graph-sql.ts";
import { computeByEngine } from "../../../src/analysis/engine-columns.ts";
import type { NodeVisits } from "../../../src/analysis/visits.ts";
import { createRandom } from "../../../src/core/random.ts";
import { crawlPriorities } from "../../../src/graph/crawl-priority.ts";
import { type Graph, inDegrees, outDegrees } from "../../../src/graph/graph.ts";
import { computePageRank } from "../../../src/graph/page-rank.ts";
import { changesOf, graphOf, type Link } from "../../graph/slow-graph.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { formatLinks, importText, writeText } from "../graph-files.ts";

const nodes = 400;
const random = createRandom(11);
const pick = (): number => Math.floor(nodes * random() ** 2);
/** A fifth of the nodes link nowhere, some are linked to by none, and the last has no link at all. */
const links: readonly Link[] = Array.from({ length: 3000 }, (): Link => [Math.floor(pick() * 0.8), pick()]).filter(
  ([from, to]) => from < nodes - 1 && to < nodes - 1,
);
const latest = graphOf(links, nodes);
/** A third of the links was not there before, and some that were are gone. */
const previous = graphOf(
  [...links.slice(1000), ...links.slice(0, 200).map(([from, to]): Link => [from, to ^ 1])],
  nodes,
);

/** Half of the nodes were visited, half of these twice; some have links at neither visit. */
function visitsOf(): NodeVisits {
  const found = { latest: new Float64Array(nodes).fill(Number.NaN), earlier: new Float64Array(nodes).fill(Number.NaN) };
  for (let node = 0; node < nodes; node += 2) {
    found.latest[node] = 1_790_000_000 - 1000 * node;
    if (node % 4 === 0) found.earlier[node] = 1_780_000_000;
  }
  return found;
}

/** What the engine is held against: the loops of `src/graph`. */
function expectedOf(graph: Graph, before: Graph | undefined, rounds: number, now: number, cycle: number) {
  const visits = visitsOf();
  const changes = before === undefined ? undefined : changesOf(before, graph);
  const facts = {
    inDegrees: inDegrees(graph),
    outDegrees: outDegrees(graph),
    visitedAt: visits.latest,
    changes: visits.earlier.map((time, node) => (Number.isNaN(time) ? Number.NaN : (changes?.[node] ?? Number.NaN))),
  };
  const { ranks } = computePageRank(graph, { maxRounds: rounds, tolerance: 0 });
  return { ...facts, ranks, priorities: crawlPriorities(facts, now, cycle) };
}

async function folderOf(temp: string, name: string, graph: Graph): Promise<string> {
  mkdirSync(join(temp, name));
  return await importText(join(temp, name), formatLinks(graph), `${nodes - 1}\torg.example.last\n`);
}

/** What every engine must do. */
export function describeEngine(name: string, makeEngine: () => SqlEngine, skip: string | false = false): void {
  describe(`${name}: the contract of engines`, { skip, timeout: 240_000 }, () => {
    it("degrees and priorities are those of the loops, ranks within 1e-12, and nothing is left on disk", async () => {
      using temp = makeTempFolder("engine");
      const scratch = join(temp.path, "scratch of it");
      mkdirSync(scratch);
      const [nowSeconds, crawlSeconds, rounds] = [1_800_000_000, 15_552_000, 4];
      const found = await computeByEngine(makeEngine(), {
        folder: await folderOf(temp.path, "latest", latest),
        previous: await folderOf(temp.path, "previous", previous),
        ...{ nodes, visits: visitsOf(), damping: 0.85, rounds, nowSeconds, crawlSeconds, scratch, signal: undefined },
      });
      const expected = expectedOf(latest, previous, rounds, nowSeconds, crawlSeconds);
      assert.deepEqual(found.incoming, expected.inDegrees);
      assert.deepEqual(found.outgoing, expected.outDegrees);
      for (let node = 0; node < nodes; node++) {
        const [rank, priority] = [found.ranks[node] ?? Number.NaN, found.priorities[node] ?? Number.NaN];
        assert.ok(Math.abs(rank - (expected.ranks[node] ?? 0)) < 1e-12, `rank of ${node}`);
        const wanted = expected.priorities[node] ?? 0;
        assert.ok(
          Math.abs(priority - wanted) <= 1e-9 * Math.max(1, wanted),
          `priority of ${node}: ${priority}, ${wanted}`,
        );
      }
      assert.deepEqual(readdirSync(scratch), []);
    });

    it("a list that holds no numbers ends it with a cause", async () => {
      using temp = makeTempFolder("engine");
      const file = writeText(temp.path, "bad.tsv", "0\tone\n");
      const empty = writeText(temp.path, "empty.tsv", "");
      const folder = join(temp.path, "own");
      mkdirSync(folder);
      const script = graphScript({
        ...{ nodes: 2, links: file, previous: empty, visits: empty },
        ...{ damping: 0.85, rounds: 1, nowSeconds: 0, crawlSeconds: 1 },
      });
      const rows = makeEngine().run({ ...script, statements: script.statements.slice(0, 1), output: "arc" }, folder);
      await assert.rejects(rows.next(), {
        code: "io",
        message: new RegExp(`${name}.*(?:one|bad\\.tsv)`, "s"),
      });
    });
  });
}
