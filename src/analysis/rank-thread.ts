import { collectRanks, type LinkRows, spreadRanks } from "../graph/index.ts";

/** Numbers that threads agree by: how many wait, which meeting it is. */
const meeting = { waiting: 0, number: 1 } as const;

/** What threads share. All arrays lie in shared memory. */
export interface SharedRanks {
  /** Without `members`: all nodes. */
  readonly rows: LinkRows;
  readonly damping: number;
  readonly tolerance: number;
  readonly maxRounds: number;
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

/**
 * Does one thread's part of all rounds. Each thread gives for its own nodes, into memory of its own, and collects for the same nodes what
 * all threads gave; so no two write to the same place, and the result depends on the number of threads by rounding alone.
 *
 * @param onRound - called after each round with the residual
 */
export function runRankThread(
  shared: SharedRanks,
  thread: number,
  onRound: (round: number, residual: number) => void,
): { readonly rounds: number; readonly residual: number } {
  const { rows, damping, tolerance, maxRounds, teleport, ranks, given, places, sums } = shared;
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
    sums[placeOf(rounds, 0, thread)] = spreadRanks(rows, damping, ranks, own, first, end);
    meet(shared.meeting, threads);
    for (const other of given) if (other !== own) addUp(other, own, first, end);
    const elsewhere = 1 - damping + damping * sumOf(rounds, 0);
    sums[placeOf(rounds, 1, thread)] = collectRanks(rows, elsewhere, teleport, ranks, own, first, end);
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
