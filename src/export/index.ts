export type { ArchiveFolder } from "./archive-files.ts";
export type { ChangeDay } from "./change-days.ts";
export type { ContentPolicy } from "./content-policy.ts";
export type { ReadPage } from "./dumps.ts";
export { type ExportRunOptions, runExport } from "./export-run.ts";
export { mergeIntervals } from "./interval-merge.ts";
export {
  type LastRun,
  maxMessageLength,
  maxTroubles,
  type RunTrouble,
  readLastRun,
  writeLastRun,
} from "./last-run-file.ts";
export type { Base, Interval } from "./ledger.ts";
export type { ListedCandidate } from "./listed-diff.ts";
export { type CandidateDigest, type CandidateFile, type DigestMode, digestModes } from "./page-diff.ts";
export { type RobotsFile, readRobotsFile, toIndex } from "./published-files.ts";
export { type PartitionOptions, SegmentWriter } from "./segment-writer.ts";
export type { PageSource, SourceBatch } from "./site-comparison.ts";
export type { PartSource, SiteParts } from "./site-parts.ts";
export { type LedgerState, type PublishedState, readSiteState, type SiteState } from "./site-state.ts";
export type { StandardsChoice } from "./standards-run.ts";
export { compareIntervals, isBaseDue, planMerge, planRetention } from "./tiers.ts";
