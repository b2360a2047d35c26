/**
 * A directed graph in compressed sparse rows. Nodes are the integers below `nodes`; the links of node `u` are
 * `targets[offsets[u]]` up to, not including, `targets[offsets[u + 1]]`. A graph made by {@link GraphBuilder} or
 * {@link transposeGraph} has each row in ascending order; 4 bytes a link and 4 a node.
 */
export interface Graph {
  readonly nodes: number;
  /** One more than there are nodes, ascending; the last is the number of links. */
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
}

/** The links of a node, as a view on the graph's own memory. */
export function targetsOf(graph: Graph, node: number): Uint32Array {
  return graph.targets.subarray(graph.offsets[node], graph.offsets[node + 1]);
}

/** How many links lead to each node. O(links) */
export function inDegrees(graph: Graph): Uint32Array {
  const degrees = new Uint32Array(graph.nodes);
  for (let at = 0; at < graph.targets.length; at++) {
    const target = graph.targets[at] as number;
    degrees[target] = (degrees[target] as number) + 1;
  }
  return degrees;
}

/** How many links each node has. */
export function outDegrees({ nodes, offsets }: Graph): Uint32Array {
  const degrees = new Uint32Array(nodes);
  for (let node = 0; node < nodes; node++) degrees[node] = (offsets[node + 1] as number) - (offsets[node] as number);
  return degrees;
}

/** Where each row begins, from how long each is. */
export function offsetsFrom(degrees: Uint32Array): Uint32Array {
  const offsets = new Uint32Array(degrees.length + 1);
  for (let node = 0; node < degrees.length; node++)
    offsets[node + 1] = (offsets[node] as number) + (degrees[node] as number);
  return offsets;
}

/** The same links the other way round; each row ascending. O(nodes + links), with as much memory again. */
export function transposeGraph(graph: Graph): Graph {
  const offsets = offsetsFrom(inDegrees(graph));
  const place = offsets.slice(0, graph.nodes);
  const targets = new Uint32Array(graph.targets.length);
  for (let node = 0; node < graph.nodes; node++) {
    const end = graph.offsets[node + 1] as number;
    for (let at = graph.offsets[node] as number; at < end; at++) {
      const target = graph.targets[at] as number;
      const free = place[target] as number;
      targets[free] = node;
      place[target] = free + 1;
    }
  }
  return { nodes: graph.nodes, offsets, targets };
}
