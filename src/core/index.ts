export {
  type Change,
  type ChangeKind,
  changeKinds,
  composeChanges,
  type Deletion,
  type PageChange,
  pathOf,
} from "./change.ts";
export {
  type CrawlEvent,
  type CrawlSummary,
  type PassedOver,
  type SourceName,
  type SourceStateKey,
  sourceNames,
} from "./crawl-event.ts";
export type { Cursor } from "./cursor.ts";
export { type ErrorCode, errorCodes, TidemarkError, wrapSystemError } from "./error.ts";
export {
  type ExportEvent,
  type ExportSummary,
  type ProbeCounts,
  type WithholdRule,
  withholdRules,
} from "./export-event.ts";
export type {
  AnswerHead,
  BodySink,
  FetchedOutcome,
  FetchFailure,
  FetchOutcome,
  FetchRequest,
  FetchStop,
  Validators,
} from "./fetch-outcome.ts";
export type { Figure, FigureAxis, FigureMark } from "./figure.ts";
export { grow } from "./grow.ts";
export type { ExchangeSink, HttpExchange } from "./http-exchange.ts";
export type { IndexNowEvent, IndexNowSummary } from "./index-now-event.ts";
export { IndexedHeap } from "./indexed-heap.ts";
export { isMediaType, type MediaTypeFilter, parseMediaTypeFilter } from "./media-type.ts";
export { type MirrorEvent, type MirrorFindingKind, type MirrorSummary, mirrorFindingKinds } from "./mirror-event.ts";
export { omitUndefined } from "./omit-undefined.ts";
export { confirmValidators, isLasting, isSiteInTrouble, mayPassAtOnce, saysNoRobots } from "./outcome-verdict.ts";
export { type ContentHash, digestBytes, isDigest, type Page } from "./page.ts";
export { parseHttpUrl, parseUrl } from "./parse-url.ts";
export type {
  Bodies,
  BodyWriter,
  ChangeMerge,
  Codec,
  CrawlPorts,
  Intake,
  MediaTypes,
  OpenPackage,
  PackageDownload,
  Packages,
  PageDigest,
  ReadingPorts,
  Requests,
  SiteMemory,
  TargetChoice,
  Timing,
  WorkCounts,
} from "./ports.ts";
export type { PostOutcome, PostRequest } from "./post-outcome.ts";
export { createRandom, pickInteger, type Random } from "./random.ts";
export type {
  AcquireOptions,
  AcquireResult,
  HostHealth,
  Permit,
  RateLimiter,
  SiteFacts,
  WaitReason,
} from "./rate-limit.ts";
export { excerpt, ok, type Problem, problem, type Result, shortenPath } from "./result.ts";
export type { RobotsCopy, SiteClockState, SitePosition, SiteRecord } from "./site-record.ts";
export {
  type Clock,
  type EpochMs,
  type EpochSeconds,
  formatCompactTime,
  maxEpochSeconds,
  parseCompactTime,
} from "./time.ts";
export {
  type FoundTarget,
  type KeptInterval,
  type PageOrder,
  pageOrders,
  type SeenChange,
  type TargetSettlement,
  type TrackedUrl,
} from "./tracked-url.ts";
export { type Finding, type FindingKind, findingKinds, type VerifyEvent, type VerifySummary } from "./verify-event.ts";
export type { KnownPublications, LookBounds, VisitPlan } from "./visit-plan.ts";
export type {
  DeleteItem,
  DeletionReason,
  FetchItem,
  HeldBody,
  PageTrouble,
  Postponement,
  Settlement,
  WorkItem,
} from "./work-item.ts";
