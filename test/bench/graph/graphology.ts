import { createRequire } from "node:module";
import { join } from "node:path";
import { requireCached } from "../../interop/programs.ts";
import { makeLinks } from "./made-graph.ts";

interface GraphologyGraph {
  readonly size: number;
  mergeNode(node: string): void;
  mergeEdge(from: string, to: string): void;
}

interface Graphology {
  readonly DirectedGraph: new () => GraphologyGraph;
}

type PageRank = (
  graph: GraphologyGraph,
  options: { maxIterations: number; tolerance: number; getEdgeWeight: null },
) => unknown;

/** Ranks a made web with npm's graphology: that many rounds, then it says that it has not converged. */
export function rankWithGraphology(
  nodes: number,
  links: number,
  rounds: number,
): { readonly links: number; readonly buildSeconds: number; readonly seconds: number } {
  const load = createRequire(join(requireCached("graphology-1"), "package.json"));
  const { DirectedGraph } = load("graphology") as Graphology;
  const pageRank = load("graphology-metrics/centrality/pagerank") as PageRank;
  const graph = new DirectedGraph();
  let begun = performance.now();
  for (let node = 0; node < nodes; node++) graph.mergeNode(String(node));
  makeLinks(nodes, links, (from, to) => graph.mergeEdge(String(from), String(to)));
  const buildSeconds = (performance.now() - begun) / 1000;
  begun = performance.now();
  try {
    pageRank(graph, { maxIterations: rounds, tolerance: 0, getEdgeWeight: null });
  } catch (error) {
    if (!/converge/.test(String(error))) throw error;
  }
  return { links: graph.size, buildSeconds, seconds: (performance.now() - begun) / 1000 };
}
