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
import type { SharedRanks } from "./rank-thread.ts";
import type { RankThreadSettings } from "./rank-worker.ts";

/** How ranks are computed. */
export interface ThreadedRankOptions extends Omit<PageRankOptions, "start"> {
  /** From 1. @default 1 */
  readonly threads?: number;
  readonly onRound?: (round: number, residual: number) => void;
  readonly signal?: AbortSignal;
}

const floats = (length: number): Float64Array => new Float64Array(new SharedArrayBuffer(8 * length));
const integers = (length: number): Uint32Array => new Uint32Array(new SharedArrayBuffer(4 * length));

function inSharedMemory(numbers: Uint32Array): Uint32Array {
  if (numbers.buffer instanceof SharedArrayBuffer) return numbers;
  const copy = integers(numbers.length);
  copy.set(numbers);
  return copy;
}

/** Cuts the nodes into parts with as many links and nodes each. */
function cutNodes({ nodes, offsets, targets }: Graph, parts: number): number[] {
  const places = [0];
  const share = (nodes + targets.length) / parts;
  for (let node = 0; node < nodes && places.length < parts; node++)
    if ((offsets[node] as number) + node >= share * places.length) places.push(node);
  while (places.length < parts) places.push(nodes);
  return [...places, nodes];
}

/**
 * PageRank as `computePageRank` has it, on threads of their own: beside a graph that lies in shared memory already it takes 8 bytes a
 * node, and 8 more for each thread.
 *
 * @throws TidemarkError `aborted`
 * @throws RangeError if an option is out of its range
 */
export async function computeRanksOnThreads(graph: Graph, options: ThreadedRankOptions = {}): Promise<PageRanks> {
  const { threads = 1, teleport, onRound, signal } = options;
  const { damping, tolerance, maxRounds } = { ...pageRankDefaults, ...options };
  const { nodes } = graph;
  checkPageRankOptions(options, nodes);
  const ranks = floats(nodes).fill(1 / nodes);
  if (nodes === 0) return { ranks, rounds: 0, residual: 0 };
  const starts = inSharedMemory(graph.offsets);
  const shared: SharedRanks = {
    rows: {
      starts,
      ends: starts.subarray(1),
      targets: inSharedMemory(graph.targets),
      count: nodes,
      members: undefined,
    },
    damping,
    tolerance,
    maxRounds,
    teleport,
    ranks,
    given: Array.from({ length: threads }, () => floats(nodes)),
    places: cutNodes(graph, threads),
    sums: floats(4 * threads),
    meeting: new Int32Array(new SharedArrayBuffer(8)),
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
  } finally {
    signal?.removeEventListener("abort", end);
    end();
  }
  if (signal?.aborted) throw new TidemarkError("aborted", "Stopped before the end.");
  return { ranks, ...last };
}
