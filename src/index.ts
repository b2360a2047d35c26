/**
 * Tidemark as a library: what the commands do, typed and cancellable.
 *
 * @packageDocumentation
 */
export { type CrawlSiteOptions, crawlSite } from "./crawl-site.ts";
export { type ExportSiteOptions, exportSite } from "./export-site.ts";
export {
  type Change,
  type ChangeKind,
  type Clock,
  type CrawlEvent,
  type CrawlSummary,
  type Cursor,
  type Deletion,
  type EpochMs,
  type EpochSeconds,
  type ErrorCode,
  type ExportEvent,
  type ExportSummary,
  errorCodes,
  type Finding,
  type FindingKind,
  findingKinds,
  type Page,
  type PageChange,
  TidemarkError,
  type VerifyEvent,
  type VerifySummary,
  type WithholdRule,
  withholdRules,
} from "./model/index.ts";
export { type ReadChangesOptions, readChanges, type SiteChanges } from "./read-changes.ts";
export { type FolderServer, type ServedRequest, type ServeOptions, serveFolder } from "./serve/index.ts";
export type { UrlMapping } from "./site-urls.ts";
export { type VerifySiteOptions, verifySite } from "./verify-site.ts";
