/**
 * Tidemark as a library: what the commands do, typed and cancellable.
 *
 * @packageDocumentation
 */
export { readCrawlConfiguration } from "./crawl-configuration.ts";
export {
  type CrawlCosts,
  type CrawlReportOptions,
  notModifiedBytes,
  readCrawlReport,
  type SiteReport,
  type VisitReport,
} from "./crawl-report.ts";
export type { CrawlSettings } from "./crawl-settings.ts";
export { crawlSite } from "./crawl-site.ts";
export type { CrawlSiteOptions } from "./crawl-site-options.ts";
export type { ChangeDay, LastRun, LedgerState, PublishedState, RunTrouble } from "./export/index.ts";
export { readExportConfiguration } from "./export-configuration.ts";
export type { ExportSettings } from "./export-settings.ts";
export { exportSite } from "./export-site.ts";
export type { ExportSiteOptions } from "./export-site-options.ts";
export { type FollowedVisit, type FollowSitesOptions, type FollowSummary, followSites } from "./follow-sites.ts";
export type { FollowedSite } from "./followed-site.ts";
export type { LockHolder } from "./fs/index.ts";
export { type HandedPage, type HandedRemoval, type Keep, keepings, type PageReceiver } from "./kept-site.ts";
export type { MissedCheck, MissedCheckOptions } from "./missed-check.ts";
export {
  type Change,
  type ChangeKind,
  type Clock,
  type CrawlEvent,
  type CrawlSummary,
  type Cursor,
  type Deletion,
  type DeletionReason,
  type EpochMs,
  type EpochSeconds,
  type ErrorCode,
  type ExportEvent,
  type ExportSummary,
  errorCodes,
  type Finding,
  type FindingKind,
  findingKinds,
  type HeldBody,
  type IndexNowEvent,
  type IndexNowSummary,
  type MirrorEvent,
  type MirrorFindingKind,
  type MirrorSummary,
  mirrorFindingKinds,
  type Page,
  type PageChange,
  type ProbeCounts,
  type SeenChange,
  TidemarkError,
  type VerifyEvent,
  type VerifySummary,
  type WithholdRule,
  withholdRules,
} from "./model/index.ts";
export type { NextRun } from "./next-run.ts";
export { type CreatePolitenessOptions, createPoliteness, type Politeness } from "./politeness.ts";
export { type ReadChangesOptions, readChanges, type SiteChanges } from "./read-changes.ts";
export {
  type CrawlChange,
  type CrawlChanges,
  type CrawlCursor,
  type ReadCrawlChangesOptions,
  readCrawlChanges,
} from "./read-crawl-changes.ts";
export { type FolderServer, type ServedRequest, type ServeOptions, serveFolder } from "./serve/index.ts";
export type { ServerFinding } from "./server-check.ts";
export type { ListChoices } from "./site-lists.ts";
export { type ProposeSiteOptions, proposeSite, type SiteProposal } from "./site-proposal.ts";
export { readSiteStatus, type SiteStatus, type SiteStatusOptions } from "./site-status.ts";
export type { UrlMapping } from "./site-urls.ts";
export type { VerifySiteOptions } from "./site-verification.ts";
export { defaultStateDir } from "./state-folder.ts";
export { type StatusProblem, statusProblemCodes } from "./status-problem.ts";
export {
  defaultIndexNowEndpoint,
  type TellIndexNowOptions,
  tellIndexNow,
} from "./tell-index-now.ts";
export { type VerifyMirrorOptions, verifyMirror } from "./verify-mirror.ts";
export { verifySite } from "./verify-site.ts";
export { type WatchedRound, type WatchSiteOptions, watchSite } from "./watch-site.ts";
