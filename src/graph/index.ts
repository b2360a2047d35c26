export { type ArcReadingOptions, type ReadGraph, readArcs } from "./arc-reader.ts";
export { type Graph, inDegrees, offsetsFrom } from "./graph.ts";
export { GraphBuilder } from "./graph-builder.ts";
export { KnownRanks } from "./known-ranks.ts";
export type { LineProblem } from "./line-problem.ts";
export { computePageRank, type PageRankOptions, type PageRanks } from "./page-rank.ts";
export { type NodeGroups, readVertices, type VertexReadingOptions } from "./vertex-reader.ts";
