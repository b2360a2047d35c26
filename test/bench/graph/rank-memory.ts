import { linksFileOf, readGraph } from "../../../src/analysis/graph-folder.ts";
import { LinksWriter } from "../../../src/analysis/links-writer.ts";
import { computeRanksOnThreads } from "../../../src/analysis/rank-threads.ts";
import { SharedArrays } from "../../../src/analysis/shared-arrays.ts";
import { createRandom } from "../../../src/core/random.ts";

const degree = 10;
const rounds = 3;
const options = { threads: 2, maxRounds: rounds, tolerance: 0 };

/** Gives ten links a node, ascending, which lead anywhere. */
function makeTargets(nodes: number, take: (from: number, to: number) => void): void {
  const random = createRandom(3);
  const step = Math.floor(nodes / degree);
  for (let from = 0; from < nodes; from++)
    for (let at = 0; at < degree; at++) take(from, step * at + Math.floor(step * random()));
}

/** Most that the process had in memory beyond its start, in bytes. */
const grownSince = (before: number): number => process.resourceUsage().maxRSS * 1024 - before;

/** Ranks a graph of so many links, ten a node, for three rounds on two threads. @returns bytes a link that the process took at most beyond its start */
export async function measureRankMemory(links: number): Promise<number> {
  const before = process.memoryUsage.rss();
  const nodes = Math.ceil(links / degree);
  const arrays = new SharedArrays();
  const offsets = arrays.integers(nodes + 1);
  for (let node = 0; node <= nodes; node++) offsets[node] = degree * node;
  const targets = arrays.integers(degree * nodes);
  let at = 0;
  makeTargets(nodes, (_, to) => {
    targets[at++] = to;
  });
  await computeRanksOnThreads({ nodes, offsets, targets, arrays }, options);
  return grownSince(before) / (degree * nodes);
}

/** What ranks of links take that are read from disk in each round, beside ranks of the same links in memory. */
export interface DiskRanks {
  readonly fileMiB: number;
  readonly secondsOfRound: number;
  readonly grownMiB: number;
  readonly inMemory: { readonly secondsOfRound: number; readonly grownMiB: number };
}

/** @throws if the ranks are not the same */
export async function measureDiskRanks(folder: string, links: number): Promise<DiskRanks> {
  const nodes = Math.ceil(links / degree);
  {
    using writer = new LinksWriter(folder, nodes);
    makeTargets(nodes, (from, to) => writer.add(from, to));
    await writer.finish(linksFileOf(folder));
  }
  const before = process.memoryUsage.rss();
  const time = async (graph: Parameters<typeof computeRanksOnThreads>[0]) => {
    const begun = performance.now();
    const { ranks } = await computeRanksOnThreads(graph, options);
    return {
      ranks,
      secondsOfRound: (performance.now() - begun) / 1000 / rounds,
      grownMiB: grownSince(before) / 2 ** 20,
    };
  };
  const { ranks, ...fromDisk } = await time(folder);
  const { ranks: others, ...inMemory } = await time(await readGraph(folder));
  if (ranks.some((rank, node) => rank !== others[node])) throw new Error("the ranks are not the same");
  return { fileMiB: (4 * (nodes + 1 + degree * nodes)) / 2 ** 20, ...fromDisk, inMemory };
}
