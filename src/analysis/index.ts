export { type ExportOptions, exportGraph } from "./export-graph.ts";
export { previousFolderOf, visitsFileOf } from "./graph-folder.ts";
export { type DegreeStats, describeGraph, type GraphStats } from "./graph-stats.ts";
export { type CrawlImportOptions, importCrawl } from "./import-crawl.ts";
export { type ImportOptions, importGraph } from "./import-graph.ts";
export { type EngineChoice, harmonicWays, type RankOptions, type RankSummary, rankGraph } from "./rank-graph.ts";
