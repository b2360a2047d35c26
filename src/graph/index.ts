export type { Graph } from "./graph.ts";
export { maxLinks, maxNodes } from "./graph-builder.ts";
export { type LineProblem, type NodeName, parseArcs, readNodeNames } from "./graph-reader.ts";
