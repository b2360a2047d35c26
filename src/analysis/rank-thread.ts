import { collectRanks, type LinkRows, spreadRanks } from "../graph/index.ts";
import type { LinksFile } from "./graph-folder.ts";
import { loadRankKernel } from "./rank-kernel.ts";
import type { SharedMemory } from "./shared-arrays.ts";

/** Numbers that threads agree by: how many wait, which meeting it is. */
const meeting = { waiting: 0, number: 1 } as const;

/** What threads share. All arrays lie in shared memory. */
export interface SharedRanks {
  readonly nodes: number;
  /** All of them, or the folder of a graph from which they are read in each round. */
  readonly links: LinkRows | string;
  readonly damping: number;
  readonly tolerance: number;
  readonly maxRounds: number;
  /** Where all arrays lie; undefined if they are more than WebAssembly reaches. */
  readonly memory: SharedMemory | undefined;
  readonly teleport: Float64Array | undefined;
  /** Shares that sum to 1; the ranks in the end. */
  readonly ranks: Float64Array;
  /** Of each thread: what it gave to nodes. Zeros. */
  readonly given: readonly Float64Array[];
  /** Of each thread its first node, and the next one's. */
  readonly places: readonly number[];
  /** Of each thread: what was at nodes without links, and by how much it moved ranks; of rounds in turn two places each. */
  readonly sums: Float64Array;
  readonly meeting: Int32Array;
}

/** Waits until all threads have come. */
function meet(at: Int32Array, threads: number): void {
  const number = Atomics.load(at, meeting.number);
  if (Atomics.add(at, meeting.waiting, 1) + 1 < threads) {
    while (Atomics.load(at, meeting.number) === number) Atomics.wait(at, meeting.number, number);
    return;
  }
  Atomics.store(at, meeting.waiting, 0);
  Atomics.add(at, meeting.number, 1);
  Atomics.notify(at, meeting.number);
}

/** First half of a round for nodes from one place to another, whose links are in memory or on disk. @returns what is at nodes without links */
export type Spread = (next: Float64Array, first: number, end: number) => number;

/** Spreads along links in memory. */
export function spreadInMemory({ damping, ranks, memory }: SharedRanks, rows: LinkRows): Spread {
  if (memory === undefined) return (next, first, end) => spreadRanks(rows, damping, ranks, next, first, end);
  const kernel = loadRankKernel(memory);
  const { starts, targets } = rows;
  return (next, first, end) =>
    kernel.spread(
      starts.byteOffset + starts.BYTES_PER_ELEMENT * first,
      targets.byteOffset,
      ranks.byteOffset + ranks.BYTES_PER_ELEMENT * first,
      next.byteOffset,
      end - first,
      damping,
    );
}

/** Spreads along links that are read from disk, in blocks. The order of additions is that of links in memory. */
export function spreadFromDisk({ damping, ranks }: SharedRanks, file: LinksFile): Spread {
  return (next, from, to) => {
    let stranded = 0;
    for (const { first, rows } of file.blocks(from, to))
      stranded = spreadRanks(rows, damping, ranks.subarray(first), next, 0, rows.count, stranded);
    return stranded;
  };
}

/**
 * Does one thread's part of all rounds. Each thread gives for its own nodes, into memory of its own, and collects for the same nodes what
 * all threads gave; so no two write to the same place, and the result depends on the number of threads by rounding alone.
 *
 * @param onRound - called after each round with the residual
 */
export function runRankThread(
  shared: SharedRanks,
  thread: number,
  spread: Spread,
  onRound: (round: number, residual: number) => void,
): { readonly rounds: number; readonly residual: number } {
  const { nodes, damping, tolerance, maxRounds, teleport, ranks, given, places, sums } = shared;
  const threads = given.length;
  const first = places[thread] as number;
  const end = places[thread + 1] as number;
  const own = given[thread] as Float64Array;
  // The next round has other places, so that a slow thread may still read those of this one.
  const placeOf = (round: number, which: 0 | 1, one: number): number => (2 * (round % 2) + which) * threads + one;
  const sumOf = (round: number, which: 0 | 1): number =>
    given.reduce((sum, _, one) => sum + (sums[placeOf(round, which, one)] as number), 0);
  let residual = Number.POSITIVE_INFINITY;
  let rounds = 0;
  while (residual > tolerance && rounds < maxRounds) {
    sums[placeOf(rounds, 0, thread)] = spread(own, first, end);
    meet(shared.meeting, threads);
    for (const other of given) if (other !== own) addUp(other, own, first, end);
    const elsewhere = 1 - damping + damping * sumOf(rounds, 0);
    sums[placeOf(rounds, 1, thread)] = collectRanks(
      { count: nodes, members: undefined },
      elsewhere,
      teleport,
      ranks,
      own,
      first,
      end,
    );
    meet(shared.meeting, threads);
    residual = sumOf(rounds, 1);
    rounds++;
    onRound(rounds, residual);
  }
  return { rounds, residual };
}

function addUp(from: Float64Array, to: Float64Array, first: number, end: number): void {
  for (let node = first; node < end; node++) {
    to[node] = (to[node] as number) + (from[node] as number);
    from[node] = 0;
  }
}
