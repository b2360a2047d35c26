export { readCrawlConfiguration } from "./crawl-configuration.ts";
export { areIntervalsInOrder, type CrawlSettings, crawlSettings } from "./crawl-settings.ts";
export { crawlSite } from "./crawl-site.ts";
export type { CrawlSiteOptions, FollowedSite } from "./crawl-site-options.ts";
export { type ChangeStream, openChangeStream } from "./engine/discovery/change-stream.ts";
export type { PolitenessOptions } from "./engine/politeness/politeness-options.ts";
export { boundShare } from "./engine/revisit/sample-bounds.ts";
export { isHaltOver } from "./engine/visit/reading-visit.ts";
export { type ExchangeSettings, exchangeSettings } from "./exchange-settings.ts";
export { decideSite, tellFollower } from "./follow/decide-site.ts";
export type { SiteDecision } from "./follow/decision-inbox.ts";
export {
  type CompanionMeans,
  type FollowDecision,
  type FollowedVisit,
  type FollowSitesOptions,
  type FollowSummary,
  followSites,
} from "./follow/follow-sites.ts";
export type {
  FollowLook,
  FollowStatus,
  TroubledSite,
  VisitingSite,
  VisitWait,
  WaitingSite,
} from "./follow/follow-status.ts";
export { chooseFollowed, type ListedSite, listSites, withDecision } from "./follow/list-sites.ts";
export { maxStatusRows, type StatusLook } from "./follow/status-file.ts";
export { type HandedPage, type HandedRemoval, type Keep, keepings, type PageReceiver } from "./kept-site.ts";
export { LeasedList } from "./leased/leased-list.ts";
export {
  type LeasedCounts,
  type LeasedMeans,
  type LeasedSite,
  type LeasedVisit,
  type LeasedVisitor,
  restOfAddress,
} from "./leased/leased-visit.ts";
export { LeasedWeb } from "./leased/leased-web.ts";
export {
  type DailyBudget,
  type PlannerForecastOptions,
  type PlannerForecasts,
  type PlannerOutlook,
  readPlannerForecasts,
} from "./planner-forecasts.ts";
export { type CreatePolitenessOptions, createPoliteness, type Politeness } from "./politeness.ts";
export { type ReadChangesOptions, readChanges, type SiteChanges } from "./read-changes.ts";
export {
  type CrawlChange,
  type CrawlChanges,
  type CrawlCursor,
  type ReadCrawlChangesOptions,
  readCrawlChanges,
} from "./read-crawl-changes.ts";
export { omitRunSettings, type RunSetting } from "./run-settings.ts";
export { chooseSites, parseCrawlAddress, parseSiteAddress } from "./site-address.ts";
export { isFailedVisit, pagesOf, pollingRequestsOf } from "./visit-cost.ts";
export { crawlWeb } from "./web/crawl-web.ts";
export { readRanks } from "./web/priorities.ts";
export { readSeeds } from "./web/seeds.ts";
export { type VisitUnitOptions, visitUnit } from "./web/unit-visit.ts";
export { UnitWork, type UnitWorkOptions } from "./web/unit-work.ts";
export {
  type CrawlWebOptions,
  type HeldBackReason,
  type WebCounts,
  type WebOrder,
  type WebProgress,
  type WebScopeOptions,
  type WebSummary,
  webOrders,
} from "./web/web-options.ts";
export { readCrawlStatus, readWebStatus, type WebStatus } from "./web/web-status.ts";
