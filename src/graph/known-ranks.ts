import type { Graph } from "./graph.ts";
import { type PageRankOptions, type PageRanks, settleRanks } from "./page-rank.ts";

/**
 * PageRank of the part of a graph that a crawler knows: the pages that it has heard of, with the links of those that
 * it has fetched. A page that was only heard of has no links yet, so the surfer goes anywhere from it. Each
 * computation begins at the last one's ranks; a page that is new since begins at the mean.
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
  /** Ranks of the last computation; 0 for who came since. */
  readonly ranks: Float64Array;
  #known = 0;

  /** @param graph - with the links of pages that are still to be fetched; none of them counts before */
  constructor(graph: Graph, options: Omit<PageRankOptions, "start"> = {}) {
    this.#graph = graph;
    this.#options = options;
    this.#isKnown = new Uint8Array(graph.nodes);
    this.#members = new Uint32Array(graph.nodes);
    this.#ends = graph.offsets.slice(0, graph.nodes);
    this.#spare = new Float64Array(graph.nodes);
    this.ranks = new Float64Array(graph.nodes);
  }

  /** How many pages are known. */
  get known(): number {
    return this.#known;
  }

  /** A page was heard of. @returns whether it is new */
  hear(node: number): boolean {
    if (this.#isKnown[node] !== 0) return false;
    this.#isKnown[node] = 1;
    this.#members[this.#known++] = node;
    return true;
  }

  /** A page was fetched: it is known, its links count, and so is what they lead to. O(its links) */
  fetch(node: number): void {
    this.hear(node);
    const { offsets, targets } = this.#graph;
    const end = offsets[node + 1] as number;
    this.#ends[node] = end;
    for (let at = offsets[node] as number; at < end; at++) this.hear(targets[at] as number);
  }

  /** Computes the ranks of what is known now; they sum to 1. O(known pages + links of the fetched) a round. */
  compute(): Omit<PageRanks, "ranks"> {
    const members = this.#members.subarray(0, this.#known);
    let sum = 0;
    let ranked = 0;
    for (const node of members) {
      const rank = this.ranks[node] as number;
      sum += rank;
      if (rank > 0) ranked++;
    }
    const mean = ranked === 0 ? 1 : sum / ranked;
    for (const node of members) if (this.ranks[node] === 0) this.ranks[node] = mean;
    const rows = { starts: this.#graph.offsets, ends: this.#ends, targets: this.#graph.targets, members };
    return settleRanks(rows, this.ranks, this.#spare, this.#options);
  }
}
