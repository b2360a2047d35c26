export { type BowTie, bowTieParts, findBowTie, findStrongComponents } from "./components.ts";
export {
  changeOfLinks,
  crawlPriorities,
  listWork,
  type WorkOptions,
} from "./crawl-priority.ts";
export { countDegrees, type DegreeCount, fitPowerLaw, hurwitzZeta, type PowerLaw } from "./degree-distribution.ts";
export { type Graph, inDegrees, outDegrees } from "./graph.ts";
export { GraphBuilder, maxLinks, maxNodes } from "./graph-builder.ts";
export {
  type LineProblem,
  longestLine,
  type NodeName,
  parseArcs,
  readNodeNames,
  readVertices,
} from "./graph-reader.ts";
export { countGroupLinks } from "./group-links.ts";
export { computeHarmonic, estimateHarmonic, maxEstimatedNodes } from "./harmonic.ts";
export { hostOfName, isOfSite } from "./node-name.ts";
export {
  checkPageRankOptions,
  collectRanks,
  computePageRank,
  type LinkRows,
  type PageRankOptions,
  type PageRanks,
  pageRankDefaults,
  spreadRanks,
} from "./page-rank.ts";
