import { computeRanksOnThreads } from "../../../src/analysis/rank-threads.ts";
import { createRandom } from "../../../src/core/random.ts";

const degree = 10;

/** Ranks a graph of so many links, ten a node, for three rounds on two threads. @returns bytes a link that the process took at most beyond its start */
export async function measureRankMemory(links: number): Promise<number> {
  const before = process.memoryUsage.rss();
  const nodes = Math.ceil(links / degree);
  const offsets = new Uint32Array(new SharedArrayBuffer(4 * (nodes + 1)));
  for (let node = 0; node <= nodes; node++) offsets[node] = degree * node;
  const targets = new Uint32Array(new SharedArrayBuffer(4 * degree * nodes));
  const random = createRandom(3);
  const step = Math.floor(nodes / degree);
  for (let node = 0; node < nodes; node++)
    for (let at = 0; at < degree; at++) targets[degree * node + at] = step * at + Math.floor(step * random());
  await computeRanksOnThreads({ nodes, offsets, targets }, { threads: 2, maxRounds: 3, tolerance: 0 });
  return (process.resourceUsage().maxRSS * 1024 - before) / (degree * nodes);
}
