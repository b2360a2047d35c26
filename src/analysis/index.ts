export { type ExportOptions, exportGraph } from "./export-graph.ts";
export { type ImportOptions, type ImportSummary, importGraph } from "./import-graph.ts";
