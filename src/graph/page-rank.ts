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
  /**
   * Where the surfer goes who follows no link, also from a node without links: a share for each node, 0 or more, that sum to 1.
   * Ranks are then personal: those seen from these nodes. @default all equal
   */
  readonly teleport?: Float64Array;
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
  /** How many nodes there are. */
  readonly count: number;
  /** Which they are; no link of theirs leads elsewhere. Undefined: those below `count`. */
  readonly members: Uint32Array | undefined;
}

/** What holds where an option is left out. */
export const pageRankDefaults: { readonly damping: number; readonly tolerance: number; readonly maxRounds: number } = {
  damping: 0.85,
  tolerance: 1e-9,
  maxRounds: 200,
};

/**
 * PageRank of a graph, by the power method: from a node without links the surfer goes anywhere. A link that stands
 * twice counts twice. O(nodes + links) a round; 16 bytes a node.
 *
 * @throws RangeError if an option is out of its range, or `start` is negative, not finite, all 0 or too short
 * @see L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank Citation Ranking: Bringing Order to the Web", 1999
 */
export function computePageRank(graph: Graph, options: PageRankOptions = {}): PageRanks {
  const ranks = new Float64Array(graph.nodes);
  const { start } = options;
  if (start === undefined) ranks.fill(1);
  else {
    if (start.length < graph.nodes) throw new RangeError(`${start.length} shares for ${graph.nodes} nodes`);
    for (let node = 0; node < graph.nodes; node++) ranks[node] = start[node] as number;
  }
  const { nodes: count, offsets, targets } = graph;
  const rows = { starts: offsets, ends: offsets.subarray(1), targets, count, members: undefined };
  return { ranks, ...settleRanks(rows, ranks, new Float64Array(graph.nodes), options) };
}

/** Scales the members' ranks so that they sum to 1. */
function normalise({ count, members }: LinkRows, ranks: Float64Array): void {
  let sum = 0;
  for (let at = 0; at < count; at++) {
    const rank = ranks[members?.[at] ?? at] as number;
    if (!(rank >= 0)) throw new RangeError(`no share: ${rank}`);
    sum += rank;
  }
  if (!(sum > 0 && Number.isFinite(sum))) throw new RangeError(`shares that sum to ${sum}`);
  for (let at = 0; at < count; at++) {
    const node = members?.[at] ?? at;
    ranks[node] = (ranks[node] as number) / sum;
  }
}

/**
 * First half of a round: members from one place to another give what they have to those that they link to.
 *
 * @param next - where it is added
 * @param before - what is at earlier members without links: added to one after the other, so that a run in parts rounds as one of all
 * @returns what is at members without links
 */
export function spreadRanks(
  rows: LinkRows,
  damping: number,
  ranks: Float64Array,
  next: Float64Array,
  first: number,
  end: number,
  before = 0,
): number {
  const { starts, ends, targets, members } = rows;
  let stranded = before;
  // By index: an iterator over an array this long costs more than what is done for each.
  for (let at = first; at < end; at++) {
    const node = members === undefined ? at : (members[at] as number);
    const rowBegin = starts[node] as number;
    const rowEnd = ends[node] as number;
    const rank = ranks[node] as number;
    if (rowBegin === rowEnd) {
      stranded += rank;
      continue;
    }
    const share = (damping * rank) / (rowEnd - rowBegin);
    let link = rowBegin;
    if ((rowEnd - rowBegin) % 2 === 1) {
      const target = targets[link++] as number;
      next[target] = (next[target] as number) + share;
    }
    // Two a turn: what V8 checks of the arrays in each turn is then checked half as often.
    while (link < rowEnd) {
      const one = targets[link++] as number;
      next[one] = (next[one] as number) + share;
      const other = targets[link++] as number;
      next[other] = (next[other] as number) + share;
    }
  }
  return stranded;
}

/**
 * Second half: what was given to members from one place to another becomes their rank.
 *
 * @param elsewhere - share of the surfers who follow no link
 * @param next - what was given; zeros afterwards
 * @returns by how much it moved the ranks, summed
 */
export function collectRanks(
  { count, members }: Pick<LinkRows, "count" | "members">,
  elsewhere: number,
  teleport: Float64Array | undefined,
  ranks: Float64Array,
  next: Float64Array,
  first: number,
  end: number,
): number {
  const base = elsewhere / count;
  let residual = 0;
  for (let at = first; at < end; at++) {
    const node = members === undefined ? at : (members[at] as number);
    const rank = (teleport === undefined ? base : elsewhere * (teleport[node] as number)) + (next[node] as number);
    residual += Math.abs(rank - (ranks[node] as number));
    ranks[node] = rank;
    next[node] = 0;
  }
  return residual;
}

/** @throws RangeError if an option is out of its range */
export function checkPageRankOptions(
  { damping, tolerance, maxRounds, teleport }: PageRankOptions,
  nodes: number,
): void {
  if (damping !== undefined && !(damping >= 0 && damping < 1)) throw new RangeError(`no damping: ${damping}`);
  if (tolerance !== undefined && !(tolerance >= 0)) throw new RangeError(`no tolerance: ${tolerance}`);
  if (maxRounds !== undefined && !(maxRounds >= 1)) throw new RangeError(`no number of rounds: ${maxRounds}`);
  if (teleport === undefined) return;
  if (teleport.length < nodes) throw new RangeError(`${teleport.length} shares for ${nodes} nodes`);
  const sum = teleport.reduce((all, share) => (share >= 0 ? all + share : Number.NaN), 0);
  // A hundred million equal shares sum to 1 + 2.3e-9 by rounding alone.
  if (!(Math.abs(sum - 1) < 1e-6)) throw new RangeError(`shares to go to that sum to ${sum}`);
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
  const { damping, tolerance, maxRounds } = { ...pageRankDefaults, ...options };
  const { count: length } = rows;
  checkPageRankOptions(options, length);
  if (length === 0) return { residual: 0, rounds: 0 };
  normalise(rows, ranks);
  let residual = Number.POSITIVE_INFINITY;
  let rounds = 0;
  while (residual > tolerance && rounds < maxRounds) {
    const stranded = spreadRanks(rows, damping, ranks, spare, 0, length);
    residual = collectRanks(rows, 1 - damping + damping * stranded, options.teleport, ranks, spare, 0, length);
    rounds++;
  }
  return { residual, rounds };
}
