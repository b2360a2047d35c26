/**
 * Tidemark as a library: what the commands do, typed and cancellable.
 *
 * @packageDocumentation
 */

export { type CopyMirrorOptions, type CopySummary, copyMirror } from "./copies/index.ts";
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
  type PreviousCounts,
  type ProbeCounts,
  type SeenChange,
  TidemarkError,
  type Usage,
  type UsagePreferences,
  type VerifyEvent,
  type VerifySummary,
  type WithholdRule,
  withholdRules,
} from "./core/index.ts";
export type { CrawlSettings, CrawlSiteOptions, FollowedSite } from "./crawler/index.ts";
export {
  type CrawlChange,
  type CrawlChanges,
  type CrawlCursor,
  type CreatePolitenessOptions,
  crawlSite,
  createPoliteness,
  type FollowedVisit,
  type FollowSitesOptions,
  type FollowSummary,
  followSites,
  type HandedPage,
  type HandedRemoval,
  type Keep,
  keepings,
  type PageReceiver,
  type Politeness,
  type ReadChangesOptions,
  type ReadCrawlChangesOptions,
  readChanges,
  readCrawlChanges,
  readCrawlConfiguration,
  type SiteChanges,
} from "./crawler/index.ts";
export type {
  ChangeDay,
  ExportSettings,
  ExportSiteOptions,
  LastRun,
  LedgerState,
  ListChoices,
  NextRun,
  PublishedState,
  RunTrouble,
  ServerFinding,
  UploadedFile,
  UploadOrderOptions,
  UploadPhase,
  UrlMapping,
} from "./exporter/index.ts";
export {
  defaultStateDir,
  exportSite,
  type ListPurgeUrlsOptions,
  listPurgeUrls,
  listUploadOrder,
  type ProposeSiteOptions,
  proposeSite,
  type ReadPublicationOptions,
  readExportConfiguration,
  readPublication,
  readSiteStatus,
  type SiteProposal,
  type SiteStatus,
  type SiteStatusOptions,
  type StatusProblem,
  statusProblemCodes,
  uploadPhases,
  type WatchedRound,
  type WatchSiteOptions,
  watchSite,
} from "./exporter/index.ts";
export type { LockHolder } from "./fs/index.ts";
export { makeIdentity, type NewIdentity } from "./http/index.ts";
export { defaultIndexNowEndpoint, type TellIndexNowOptions, tellIndexNow } from "./indexnow/index.ts";
export {
  type CrawlCosts,
  type CrawlReportOptions,
  notModifiedBytes,
  readCrawlReport,
  type SiteReport,
  type VisitReport,
} from "./report/index.ts";
export { type FolderServer, type ServedRequest, type ServeOptions, serveFolder } from "./server/index.ts";
export {
  type MergeEventsOptions,
  type MergeSummary,
  mergeEvents,
  type PeerMerge,
  type ShareEventsOptions,
  type ShareSummary,
  shareEvents,
} from "./share/index.ts";
export { type FeedEvent, type FeedMirrorOptions, type FeedSummary, feedMirror } from "./sinks/index.ts";
export type { MissedCheck, MissedCheckOptions, VerifySiteOptions } from "./verify/index.ts";
export { type VerifyMirrorOptions, verifyMirror, verifySite } from "./verify/index.ts";
