import type { Graph } from "./graph.ts";

export interface PageRankOptions {
  /** Probability that the surfer follows a link. From 0 to, not including, 1. @default 0.85 */
  readonly damping?: number;
  /** It ends once two rounds differ by no more, summed over all nodes. @default 1e-9 */
  readonly tolerance?: number;
  /** And after as many rounds at the latest. @default 200 */
  readonly maxRounds?: number;
  /** Where it begins: a share for each node, of any sum above 0. Near the result it saves rounds. @default all equal */
  readonly start?: ArrayLike<number>;
}

/** The result. */
export interface PageRanks {
  /** The share of time that the surfer is at each node; their sum is 1, or 0 if there is no node. */
  readonly ranks: Float64Array;
  /** By how much the last two rounds differ, summed; the ranks are within `residual * damping / (1 - damping)` of the limit. */
  readonly residual: number;
  readonly rounds: number;
}

/** Rows of links of which only some nodes are looked at. */
export interface LinkRows {
  /** Where each node's links begin in `targets`, and where they end. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly targets: Uint32Array;
  /** The nodes that there are; no link of theirs leads elsewhere. */
  readonly members: Uint32Array;
}

const defaults = { damping: 0.85, tolerance: 1e-9, maxRounds: 200 } as const;

/**
 * PageRank of a graph, by the power method: from a node without links the surfer goes anywhere. A link that stands
 * twice counts twice. O(nodes + links) a round; 16 bytes a node.
 *
 * @throws RangeError if an option is out of its range, or `start` is negative, not finite, all 0 or too short
 * @see L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank Citation Ranking: Bringing Order to the Web", 1999
 */
export function computePageRank(graph: Graph, options: PageRankOptions = {}): PageRanks {
  const members = new Uint32Array(graph.nodes);
  for (let node = 0; node < graph.nodes; node++) members[node] = node;
  const ranks = new Float64Array(graph.nodes);
  const { start } = options;
  if (start === undefined) ranks.fill(1);
  else {
    if (start.length < graph.nodes) throw new RangeError(`${start.length} shares for ${graph.nodes} nodes`);
    for (let node = 0; node < graph.nodes; node++) ranks[node] = start[node] as number;
  }
  const rows = { starts: graph.offsets, ends: graph.offsets.subarray(1), targets: graph.targets, members };
  return { ranks, ...settleRanks(rows, ranks, new Float64Array(graph.nodes), options) };
}

/** Scales the members' ranks so that they sum to 1. */
function normalise({ members }: LinkRows, ranks: Float64Array): void {
  let sum = 0;
  for (const node of members) {
    const rank = ranks[node] as number;
    if (!(rank >= 0)) throw new RangeError(`no share: ${rank}`);
    sum += rank;
  }
  if (!(sum > 0 && Number.isFinite(sum))) throw new RangeError(`shares that sum to ${sum}`);
  for (const node of members) ranks[node] = (ranks[node] as number) / sum;
}

/** One round. @returns by how much it moved the ranks, summed; `next` is left as zeros */
function moveRanks(rows: LinkRows, damping: number, ranks: Float64Array, next: Float64Array): number {
  const { starts, ends, targets, members } = rows;
  const { length } = members;
  let stranded = 0;
  // By index: an iterator over an array this long costs more than what is done for each.
  for (let at = 0; at < length; at++) {
    const node = members[at] as number;
    const begin = starts[node] as number;
    const end = ends[node] as number;
    const rank = ranks[node] as number;
    if (begin === end) {
      stranded += rank;
      continue;
    }
    const share = (damping * rank) / (end - begin);
    for (let link = begin; link < end; link++) {
      const target = targets[link] as number;
      next[target] = (next[target] as number) + share;
    }
  }
  const base = (1 - damping + damping * stranded) / length;
  let residual = 0;
  for (let at = 0; at < length; at++) {
    const node = members[at] as number;
    const rank = base + (next[node] as number);
    residual += Math.abs(rank - (ranks[node] as number));
    ranks[node] = rank;
    next[node] = 0;
  }
  return residual;
}

/**
 * Brings the members' ranks to their limit, from where they are.
 *
 * @param ranks - where it begins and what comes of it; nodes that are no members are left as they are
 * @param spare - as long, and all 0 for members, before and after
 */
export function settleRanks(
  rows: LinkRows,
  ranks: Float64Array,
  spare: Float64Array,
  options: PageRankOptions,
): Omit<PageRanks, "ranks"> {
  const { damping = defaults.damping, tolerance = defaults.tolerance, maxRounds = defaults.maxRounds } = options;
  if (!(damping >= 0 && damping < 1)) throw new RangeError(`no damping: ${damping}`);
  if (!(tolerance >= 0)) throw new RangeError(`no tolerance: ${tolerance}`);
  if (!(maxRounds >= 1)) throw new RangeError(`no number of rounds: ${maxRounds}`);
  if (rows.members.length === 0) return { residual: 0, rounds: 0 };
  normalise(rows, ranks);
  let residual = Number.POSITIVE_INFINITY;
  let rounds = 0;
  while (residual > tolerance && rounds < maxRounds) {
    residual = moveRanks(rows, damping, ranks, spare);
    rounds++;
  }
  return { residual, rounds };
}
