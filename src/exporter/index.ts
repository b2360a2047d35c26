export { findIncludes } from "./digest/page-scanner.ts";
export { parseBaseUrl } from "./export-checks.ts";
export { readExportConfiguration } from "./export-configuration.ts";
export { type ExportSettings, type ExportSiteOptions, exportSettings, type UrlMapping } from "./export-settings.ts";
export { exportSite } from "./export-site.ts";
export type { LastRun, RunTrouble } from "./last-run.ts";
export type { ListChoices } from "./lists/site-lists.ts";
export { ArchiveFiles } from "./publish/archive-files.ts";
export type { Interval } from "./publish/ledger.ts";
export { type ReadPublicationOptions, readPublication } from "./publish/publication-changes.ts";
export { type ListPurgeUrlsOptions, listPurgeUrls } from "./publish/purge-urls.ts";
export { findArchives, keptAfterMs } from "./publish/retired-files.ts";
export { compareIntervals, findCompleteFrom, planMerge, planRetention } from "./publish/tiers.ts";
export type { ServerFinding } from "./setup/server-check.ts";
export { type ProposeSiteOptions, proposeSite, type SiteProposal } from "./setup/site-proposal.ts";
export { checkKey, chooseKey, keyPath, placeKeyFile, readKeyPaths, readKeys } from "./site-key.ts";
export { defaultStateDir, indexNowFolderIn } from "./state-folder.ts";
export type { ChangeDay, LedgerState, PublishedState } from "./status/site-state.ts";
export { type NextRun, readSiteStatus, type SiteStatus, type SiteStatusOptions } from "./status/site-status.ts";
export { type StatusProblem, statusProblemCodes } from "./status/status-problem.ts";
export {
  listUploadOrder,
  type UploadedFile,
  type UploadOrderOptions,
  type UploadPhase,
  uploadPhases,
} from "./upload-order.ts";
export { type WatchedRound, type WatchSiteOptions, watchSite } from "./watch-site.ts";
