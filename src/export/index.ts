export type { ContentPolicy } from "./content-policy.ts";
export { createDurably, makeFolder, removeTemporaries, syncFolder, writeDurably } from "./durable-file.ts";
export { type ExportRunOptions, runExport } from "./export-run.ts";
export type { ListedCandidate } from "./listed-diff.ts";
export { type CandidateDigest, type CandidateFile, type DigestMode, digestModes } from "./page-diff.ts";
export { type RobotsFile, readRobotsFile } from "./published-files.ts";
export type { PartitionOptions } from "./segment-writer.ts";
export type { PageSource, SourceBatch } from "./site-comparison.ts";
export { SiteLock } from "./site-lock.ts";
