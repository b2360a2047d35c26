export { linkChanges, listWork, type NodeFacts, type Work, type WorkOptions } from "./crawl-priority.ts";
export { type Graph, inDegrees } from "./graph.ts";
export { maxLinks, maxNodes } from "./graph-builder.ts";
export { type LineProblem, type NodeName, parseArcs, readNodeNames } from "./graph-reader.ts";
export { computeHarmonic, estimateHarmonic } from "./harmonic.ts";
export { isOfSite } from "./node-name.ts";
export {
  checkPageRankOptions,
  collectRanks,
  type LinkRows,
  type PageRankOptions,
  type PageRanks,
  pageRankDefaults,
  spreadRanks,
} from "./page-rank.ts";
