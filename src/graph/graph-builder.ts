import { grow } from "../core/index.ts";
import { type Graph, offsetsFrom, transposeGraph } from "./graph.ts";

/** No array of 32-bit offsets reaches further. */
export const maxLinks: number = 2 ** 32 - 1;

/** No node's number is above this, for all of them together must be countable in 32 bits. */
export const maxNodes: number = 2 ** 31;

/**
 * Collects links in any order and makes a {@link Graph} of them, in which each link stands once. While it
 * collects it takes 8 to 12 bytes a link, and 20 while it grows; to build, 12 more.
 */
export class GraphBuilder {
  #from: Uint32Array = new Uint32Array(1024);
  #to: Uint32Array = new Uint32Array(1024);
  #links = 0;
  #nodes = 0;

  /** @param nodes - how many nodes there are at least; a link makes as many as it needs */
  constructor(nodes = 0) {
    this.#nodes = nodes;
  }

  /** Links that were added, each as often as it was. */
  get links(): number {
    return this.#links;
  }

  /** One more than the largest node. */
  get nodes(): number {
    return this.#nodes;
  }

  /** @throws RangeError if a node is no integer from 0 to {@link maxNodes}, or there are too many links */
  addLink(from: number, to: number): void {
    if (!(Number.isInteger(from) && Number.isInteger(to) && from >= 0 && to >= 0 && from < maxNodes && to < maxNodes))
      throw new RangeError(`no link: ${from} to ${to}`);
    if (this.#links >= maxLinks) throw new RangeError(`more than ${maxLinks} links`);
    if (this.#links === this.#from.length) {
      this.#from = grow(this.#from, this.#links + 1);
      this.#to = grow(this.#to, this.#links + 1);
    }
    this.#from[this.#links] = from;
    this.#to[this.#links] = to;
    this.#links++;
    this.#nodes = Math.max(this.#nodes, from + 1, to + 1);
  }

  /** Adds a node without a link. */
  addNode(node: number): void {
    this.#nodes = Math.max(this.#nodes, node + 1);
  }

  /** The graph of the links so far. O(nodes + links). What is added afterwards does not touch it. */
  build(): Graph {
    // Bucketed by target, then turned round: so each row is ascending without a comparison.
    const degrees = new Uint32Array(this.#nodes);
    for (let at = 0; at < this.#links; at++) {
      const to = this.#to[at] as number;
      degrees[to] = (degrees[to] as number) + 1;
    }
    const offsets = offsetsFrom(degrees);
    const place = offsets.slice(0, this.#nodes);
    const sources = new Uint32Array(this.#links);
    for (let at = 0; at < this.#links; at++) {
      const to = this.#to[at] as number;
      const free = place[to] as number;
      sources[free] = this.#from[at] as number;
      place[to] = free + 1;
    }
    return withoutRepeats(transposeGraph({ nodes: this.#nodes, offsets, targets: sources }));
  }
}

/** Takes out what stands twice in a row that is ascending; in place. */
function withoutRepeats({ nodes, offsets, targets }: Graph): Graph {
  let kept = 0;
  let begin = 0;
  for (let node = 0; node < nodes; node++) {
    const end = offsets[node + 1] as number;
    let last = -1;
    for (let at = begin; at < end; at++) {
      const target = targets[at] as number;
      if (target === last) continue;
      targets[kept++] = target;
      last = target;
    }
    begin = end;
    offsets[node + 1] = kept;
  }
  return { nodes, offsets, targets: kept === targets.length ? targets : targets.slice(0, kept) };
}
