import type { Graph } from "./graph.ts";
import { type PageRankOptions, type PageRanks, settleRanks } from "./page-rank.ts";

/**
 * PageRank of the part of a graph that a crawler knows: the pages that it has heard of, with the links of those that
 * it has fetched. A page that was only heard of has no links yet, so the surfer goes anywhere from it. Until ranks are computed
 * again a new page has a temporary one, the sum of what the pages that lead to it give it.
 *
 * @see C. Castillo, M. Marin, A. Rodriguez, R. Baeza-Yates, "Scheduling Algorithms for Web Crawling", LA-WEB 2004,
 *   section 5, *Batch* and *Partial*
 */
export class KnownRanks {
  readonly #graph: Graph;
  readonly #options: Omit<PageRankOptions, "start">;
  readonly #isKnown: Uint8Array;
  readonly #members: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #spare: Float64Array;
  readonly #ranks: Float64Array;
  #known = 0;
  /** Of the known, those that had a part in the last computation stand first. */
  #ranked = 0;
  readonly #isRanked: Uint8Array;

  /** @param graph - with the links of pages that are still to be fetched; none of them counts before */
  constructor(graph: Graph, options: Omit<PageRankOptions, "start"> = {}) {
    this.#graph = graph;
    this.#options = options;
    this.#isKnown = new Uint8Array(graph.nodes);
    this.#isRanked = new Uint8Array(graph.nodes);
    this.#members = new Uint32Array(graph.nodes);
    this.#ends = graph.offsets.slice(0, graph.nodes);
    this.#spare = new Float64Array(graph.nodes);
    this.#ranks = new Float64Array(graph.nodes);
  }

  get known(): number {
    return this.#known;
  }

  /** Rank of each page: of the last computation, or a temporary one; 0 if nothing leads to it. A view that changes. */
  get ranks(): Float64Array {
    return this.#ranks;
  }

  /**
   * A page was heard of.
   *
   * @param rank - its temporary rank, if it is new
   * @returns whether it is new
   */
  hear(node: number, rank = 0): boolean {
    if (this.#isKnown[node] !== 0) return false;
    this.#isKnown[node] = 1;
    this.#members[this.#known++] = node;
    this.#ranks[node] = rank;
    return true;
  }

  /**
   * A page was fetched, for the first time: it is known, its links count, and so does what they lead to. O(its links)
   *
   * @returns what it gives the page that each of its links leads to: its rank by their number; 0 if it has none
   */
  fetch(node: number): number {
    this.hear(node);
    const { offsets, targets } = this.#graph;
    const begin = offsets[node] as number;
    const end = offsets[node + 1] as number;
    this.#ends[node] = end;
    const share = begin === end ? 0 : (this.#ranks[node] as number) / (end - begin);
    for (let at = begin; at < end; at++) {
      const target = targets[at] as number;
      if (this.hear(target, share) || this.#isRanked[target] === 1) continue;
      this.#ranks[target] = (this.#ranks[target] as number) + share;
    }
    return share;
  }

  /**
   * Computes the ranks of what is known now; they sum to 1. It begins at those of the last time and at the temporary ones.
   * O(known pages + links of the fetched) a round.
   */
  compute(): Omit<PageRanks, "ranks"> {
    const members = this.#members.subarray(0, this.#known);
    for (; this.#ranked < this.#known; this.#ranked++) this.#isRanked[members[this.#ranked] as number] = 1;
    if (members.every((node) => this.#ranks[node] === 0)) for (const node of members) this.#ranks[node] = 1;
    const rows = {
      starts: this.#graph.offsets,
      ends: this.#ends,
      targets: this.#graph.targets,
      count: this.#known,
      members,
    };
    return settleRanks(rows, this.#ranks, this.#spare, this.#options);
  }
}
