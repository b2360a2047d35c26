import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { TidemarkError } from "../core/index.ts";
import {
  checkPageRankOptions,
  type Graph,
  type PageRankOptions,
  type PageRanks,
  pageRankDefaults,
} from "../graph/index.ts";
import { LinksFile, type SharedGraph } from "./graph-folder.ts";
import type { SharedRanks } from "./rank-thread.ts";
import type { RankThreadSettings } from "./rank-worker.ts";
import { SharedArrays } from "./shared-arrays.ts";

/** How ranks are computed. */
export interface ThreadedRankOptions extends Omit<PageRankOptions, "start"> {
  /** From 1. @default 1 */
  readonly threads?: number;
  readonly onRound?: (round: number, residual: number) => void;
  readonly signal?: AbortSignal;
}

function copyInto(arrays: SharedArrays, { nodes, offsets, targets }: Graph): SharedGraph {
  const copy = { nodes, offsets: arrays.integers(offsets.length), targets: arrays.integers(targets.length), arrays };
  copy.offsets.set(offsets);
  copy.targets.set(targets);
  return copy;
}

/** What a thread is sent is copied for it, unless it is shared. */
function shareNumbers(arrays: SharedArrays, numbers: Float64Array): Float64Array {
  const shared = arrays.floats(numbers.length);
  shared.set(numbers);
  return shared;
}

/** Cuts the nodes into parts with as many links and nodes each. @param offsetOf - where a node's links begin among all */
function cutNodes(nodes: number, links: number, offsetOf: (node: number) => number, parts: number): number[] {
  const share = (nodes + links) / parts;
  return Array.from({ length: parts + 1 }, (_, part) => {
    if (part === parts) return nodes;
    let [low, high] = [0, nodes];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (offsetOf(middle) + middle >= share * part) high = middle;
      else low = middle + 1;
    }
    return low;
  });
}

/** The links that threads are given, and how they are cut into their parts. */
function shareLinks(graph: SharedGraph | string, threads: number): Pick<SharedRanks, "nodes" | "links" | "places"> {
  if (typeof graph === "string") {
    using file = new LinksFile(graph);
    const { nodes, links } = file;
    return { nodes, links: graph, places: cutNodes(nodes, links, (node) => file.offsetOf(node), threads) };
  }
  const { nodes, offsets, targets } = graph;
  const rows = { starts: offsets, ends: offsets.subarray(1), targets, count: nodes, members: undefined };
  return { nodes, links: rows, places: cutNodes(nodes, targets.length, (node) => offsets[node] as number, threads) };
}

/**
 * PageRank as `computePageRank` has it, on threads of their own: it takes 8 bytes a node, 8 more for each thread, and 8 more with
 * `teleport`.
 *
 * @param graph - a folder: its links stay on disk and are read in each round, 2 MiB at once by each thread; a graph that was read from a
 *   folder: its memory holds the ranks too, until nobody holds either; any other graph is copied
 * @throws TidemarkError `aborted`; of a folder `not-found`, and `io` if its links cannot be read to the end
 * @throws RangeError if an option is out of its range
 */
export async function computeRanksOnThreads(
  graph: Graph | SharedGraph | string,
  options: ThreadedRankOptions = {},
): Promise<PageRanks> {
  const { threads = 1, teleport, onRound, signal } = options;
  const { damping, tolerance, maxRounds } = { ...pageRankDefaults, ...options };
  const arrays = typeof graph !== "string" && "arrays" in graph ? graph.arrays : new SharedArrays();
  const links = shareLinks(typeof graph === "string" || "arrays" in graph ? graph : copyInto(arrays, graph), threads);
  const { nodes } = links;
  checkPageRankOptions(options, nodes);
  const ranks = arrays.floats(nodes).fill(1 / nodes);
  if (nodes === 0) return { ranks, rounds: 0, residual: 0 };
  const shared: SharedRanks = {
    ...links,
    ...{ damping, tolerance, maxRounds, ranks },
    teleport: teleport && shareNumbers(arrays, teleport),
    given: Array.from({ length: threads }, () => arrays.floats(nodes)),
    sums: arrays.floats(4 * threads),
    meeting: new Int32Array(new SharedArrayBuffer(8)),
    memory: arrays.memory,
  };
  signal?.throwIfAborted();
  const workers = shared.given.map((_, thread) => {
    const workerData: RankThreadSettings = { shared, thread };
    return new Worker(new URL("./rank-worker.js", import.meta.url), { workerData });
  });
  const end = (): void => {
    for (const worker of workers) void worker.terminate();
  };
  signal?.addEventListener("abort", end, { once: true });
  let last = { rounds: 0, residual: Number.POSITIVE_INFINITY };
  workers[0]?.on("message", (said: { readonly round: number; readonly residual: number } | typeof last) => {
    if ("round" in said) onRound?.(said.round, said.residual);
    else last = said;
  });
  try {
    await Promise.all(workers.map((worker) => once(worker, "exit")));
  } catch (error) {
    throw new TidemarkError("io", `The ranks were not computed: ${(error as Error).message}`, { cause: error });
  } finally {
    signal?.removeEventListener("abort", end);
    end();
  }
  if (signal?.aborted) throw new TidemarkError("aborted", "Stopped before the end.");
  return { ranks, ...last };
}
