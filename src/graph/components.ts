import { type Graph, transposeGraph } from "./graph.ts";

/** Parts of a graph between whose nodes there are paths both ways. */
export interface StrongComponents {
  /** The component of each node. */
  readonly componentOf: Uint32Array;
  /** How many nodes each has. */
  readonly sizes: Uint32Array;
}

const none = 2 ** 32 - 1;

/**
 * The strongly connected components, by Tarjan's algorithm with a stack of its own: a path of a million nodes does no harm. O(nodes +
 * links); 24 bytes a node.
 *
 * @see R. Tarjan, "Depth-First Search and Linear Graph Algorithms", SIAM Journal on Computing 1(2), 1972
 */
export function findStrongComponents({ nodes, offsets, targets }: Graph): StrongComponents {
  const componentOf = new Uint32Array(nodes).fill(none);
  /** When each was reached, from 1; 0: not yet. */
  const reached = new Uint32Array(nodes);
  const low = new Uint32Array(nodes);
  const next = offsets.slice(0, nodes);
  const open = new Uint32Array(nodes);
  const path = new Uint32Array(nodes);
  const sizes = new Uint32Array(nodes);
  let [count, time, opened, depth] = [0, 0, 0, 0];
  const enter = (node: number): void => {
    reached[node] = low[node] = ++time;
    open[opened++] = node;
    path[depth++] = node;
  };
  for (let root = 0; root < nodes; root++) {
    if (reached[root] !== 0) continue;
    enter(root);
    while (depth > 0) {
      const node = path[depth - 1] as number;
      const at = next[node] as number;
      if (at < (offsets[node + 1] as number)) {
        next[node] = at + 1;
        const target = targets[at] as number;
        if (reached[target] === 0) enter(target);
        else if (componentOf[target] === none) low[node] = Math.min(low[node] as number, reached[target] as number);
        continue;
      }
      depth--;
      if (depth > 0) {
        const before = path[depth - 1] as number;
        low[before] = Math.min(low[before] as number, low[node] as number);
      }
      if (low[node] !== reached[node]) continue;
      let member = none;
      while (member !== node) {
        member = open[--opened] as number;
        componentOf[member] = count;
        sizes[count] = (sizes[count] as number) + 1;
      }
      count++;
    }
  }
  return { componentOf, sizes: sizes.slice(0, count) };
}

/** The parts of a bow tie, by falling claim. */
export const bowTieParts = ["core", "in", "out", "tubes", "tendrils", "apart"] as const;

/** How many nodes are in each part. */
export type BowTie = Readonly<Record<(typeof bowTieParts)[number], number>>;

/** Marks what is reached from marked nodes, by the links of any of some graphs. */
function spread(graphs: readonly Graph[], marked: Uint8Array): Uint8Array {
  const queue = new Uint32Array(marked.length);
  let end = 0;
  for (let node = 0; node < marked.length; node++) if (marked[node] === 1) queue[end++] = node;
  for (let begin = 0; begin < end; begin++) {
    const node = queue[begin] as number;
    for (const { offsets, targets } of graphs) {
      const last = offsets[node + 1] as number;
      for (let at = offsets[node] as number; at < last; at++) {
        const target = targets[at] as number;
        if (marked[target] === 1) continue;
        marked[target] = 1;
        queue[end++] = target;
      }
    }
  }
  return marked;
}

/**
 * The shares of the bow tie that the Web is: the *core* is the largest strong component; *in* leads to it, *out* is led to from it;
 * *tubes* lead from in to out beside it; *tendrils* hang on any of them otherwise; the rest is *apart*. With as much memory again as
 * the graph has.
 *
 * @see A. Broder and others, "Graph Structure in the Web", WWW9, 2000
 */
export function findBowTie(graph: Graph, { componentOf, sizes }: StrongComponents): BowTie {
  const { nodes } = graph;
  const largest = sizes.reduce((best, size, at) => (size > (sizes[best] as number) ? at : best), 0);
  const back = transposeGraph(graph);
  const core = new Uint8Array(nodes).map((_, node) => Number(componentOf[node] === largest));
  const fromCore = spread([graph], core.slice());
  const toCore = spread([back], core.slice());
  const fromIn = spread([graph], toCore.slice());
  const toOut = spread([back], fromCore.slice());
  const together = spread([graph, back], fromCore.slice());
  const counts = { core: 0, in: 0, out: 0, tubes: 0, tendrils: 0, apart: 0 };
  for (let node = 0; node < nodes; node++) {
    if (core[node] === 1) counts.core++;
    else if (toCore[node] === 1) counts.in++;
    else if (fromCore[node] === 1) counts.out++;
    else if (fromIn[node] === 1 && toOut[node] === 1) counts.tubes++;
    else if (together[node] === 1) counts.tendrils++;
    else counts.apart++;
  }
  return counts;
}
