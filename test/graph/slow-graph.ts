import { changeOfLinks } from "../../src/graph/crawl-priority.ts";
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

/** How the links of each node changed. */
export function changesOf(previous: Graph, latest: Graph): Float64Array {
  const linksFrom = (graph: Graph, node: number): Uint32Array =>
    node < graph.nodes ? targetsOf(graph, node) : new Uint32Array(0);
  return new Float64Array(latest.nodes).map((_, node) =>
    changeOfLinks(linksFrom(previous, node), linksFrom(latest, node)),
  );
}

/** PageRank from the definition: the whole matrix, multiplied until nothing moves. */
export function slowPageRank(
  nodes: number,
  given: readonly Link[],
  damping: number,
  teleport: readonly number[] = Array.from({ length: nodes }, () => 1 / nodes),
): number[] {
  const matrix = Array.from({ length: nodes }, (_, from) => {
    const row = new Set(given.filter((link) => link[0] === from).map((link) => link[1]));
    return teleport.map((share, to) => {
      const followed = row.size === 0 ? share : Number(row.has(to)) / row.size;
      return damping * followed + (1 - damping) * share;
    });
  });
  let ranks = Array.from({ length: nodes }, () => 1 / nodes);
  for (let round = 0; round < 300; round++)
    ranks = ranks.map((_, to) => ranks.reduce((sum, rank, from) => sum + rank * (matrix[from]?.[to] ?? 0), 0));
  return ranks;
}

/** The length of the shortest path between each two nodes, by Floyd's and Warshall's algorithm; infinite if there is none. */
export function slowDistances(nodes: number, given: readonly Link[]): number[][] {
  const all = Array.from({ length: nodes }, (_, from) =>
    Array.from({ length: nodes }, (_, to) => (from === to ? 0 : Number.POSITIVE_INFINITY)),
  );
  const at = (from: number, to: number): number => all[from]?.[to] ?? Number.NaN;
  const set = (from: number, to: number, value: number): void => {
    (all[from] as number[])[to] = Math.min(at(from, to), value);
  };
  for (const [from, to] of given) set(from, to, 1);
  for (let by = 0; by < nodes; by++)
    for (let from = 0; from < nodes; from++)
      for (let to = 0; to < nodes; to++) set(from, to, at(from, by) + at(by, to));
  return all;
}
