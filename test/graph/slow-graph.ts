import { type Graph, targetsOf } from "../../src/graph/graph.ts";
import { GraphBuilder } from "../../src/graph/graph-builder.ts";
import { fc } from "../property.ts";

/** A link, from and to. */
export type Link = readonly [number, number];

/** Links between up to 12 nodes. */
export const links: fc.Arbitrary<Link[]> = fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 60 });

/** The graph of links, with nodes that none of them names. */
export function graphOf(given: readonly Link[], nodes = 0): Graph {
  const builder = new GraphBuilder(nodes);
  for (const [from, to] of given) builder.addLink(from, to);
  return builder.build();
}

/** The links of a graph, in its order. */
export function linksOf(graph: Graph): Link[] {
  return Array.from({ length: graph.nodes }, (_, from) =>
    [...targetsOf(graph, from)].map((to): Link => [from, to]),
  ).flat();
}

/** PageRank from the definition: the whole matrix, multiplied until nothing moves. */
export function slowPageRank(nodes: number, given: readonly Link[], damping: number): number[] {
  const matrix = Array.from({ length: nodes }, (_, from) => {
    const row = new Set(given.filter((link) => link[0] === from).map((link) => link[1]));
    return Array.from({ length: nodes }, (_, to) => {
      const followed = row.size === 0 ? 1 / nodes : Number(row.has(to)) / row.size;
      return damping * followed + (1 - damping) / nodes;
    });
  });
  let ranks = Array.from({ length: nodes }, () => 1 / nodes);
  for (let round = 0; round < 300; round++)
    ranks = ranks.map((_, to) => ranks.reduce((sum, rank, from) => sum + rank * (matrix[from]?.[to] ?? 0), 0));
  return ranks;
}
