export {
  type Change,
  type ChangeKind,
  type Cursor,
  changeKinds,
  composeChanges,
  type Deletion,
  type PageChange,
  pathOf,
} from "./change.ts";
export type { AnsweredClaim, ClaimKind, ClaimStore, PeerClaim, StoredTrust } from "./claim-store.ts";
export {
  type CrawlEvent,
  type CrawlSummary,
  type PassedOver,
  type SourceName,
  type SourceStateKey,
  sourceNames,
} from "./crawl-event.ts";
export { type ErrorCode, errorCodes, firstErrorOf, isSystemError, TidemarkError, wrapSystemError } from "./error.ts";
export {
  type ExportEvent,
  type ExportSummary,
  type PreviousCounts,
  type ProbeCounts,
  type WithholdRule,
  withholdRules,
} from "./export-event.ts";
export type {
  AnswerHead,
  BodySink,
  ExchangeSink,
  FetchedOutcome,
  FetchFailure,
  FetchOutcome,
  FetchRequest,
  FetchStop,
  HttpExchange,
  PostOutcome,
  PostRequest,
  UsageFields,
  Validators,
} from "./fetch-outcome.ts";
export type { IndexNowEvent, IndexNowSummary } from "./index-now-event.ts";
export { grow, IndexedHeap } from "./indexed-heap.ts";
export type { Figure, FigureAxis, FigureMark, FigurePoint } from "./lab-result.ts";
export { omitUndefined } from "./omit-undefined.ts";
export { confirmValidators, isLasting, isSiteInTrouble, mayPassAtOnce, saysNoRobots } from "./outcome-verdict.ts";
export {
  type ContentHash,
  digestBytes,
  isDigest,
  isMediaType,
  type MediaTypeFilter,
  type Page,
  type PageFilter,
  parseMediaTypeFilter,
} from "./page.ts";
export { parseHttpUrl, parseUrl } from "./parse-url.ts";
export {
  type MovedUrls,
  type PeerSite,
  type PeerStore,
  type ToldEvents,
  type ToldUrl,
  type ToldUrlState,
  toldStandings,
} from "./peer-store.ts";
export type {
  Bodies,
  BodyWriter,
  CandidateChoice,
  ChangeMerge,
  Codec,
  CrawlPorts,
  Intake,
  MediaTypes,
  OpenPackage,
  PackageDownload,
  PackageRead,
  Packages,
  PageDigest,
  ReadingPorts,
  Requests,
  SiteMemory,
  Timing,
  UrlChoice,
  UrlCounts,
  UrlList,
} from "./ports.ts";
export { createRandom, pickInteger, type Random } from "./random.ts";
export type {
  AcquireOptions,
  AcquireResult,
  HostHealth,
  Permit,
  RateLimiter,
  RequestEnd,
  SiteFacts,
  WaitReason,
} from "./rate-limit.ts";
export { excerpt, hideLogins, ok, type Problem, problem, type Result, shortenPath } from "./result.ts";
export { isSharing, rhoOfMode, type SharingMode, sharingModes } from "./sharing-mode.ts";
export type {
  KnownPublications,
  LookBounds,
  RobotsCopy,
  SiteClockState,
  SitePosition,
  SiteRecord,
  VisitPlan,
} from "./site-record.ts";
export {
  type Clock,
  type EpochMs,
  type EpochSeconds,
  formatCompactTime,
  maxEpochSeconds,
  maxTimerMs,
  parseCompactTime,
} from "./time.ts";
export {
  type DeletionReason,
  type FoundUrl,
  type HeldBody,
  type KeptInterval,
  type PageOrder,
  type PageTrouble,
  type PollCandidate,
  type Postponement,
  pageOrders,
  type SeenChange,
  type Settlement,
  type TrackedUrl,
} from "./tracked-url.ts";
export {
  combineUsage,
  findDisallowedUse,
  formatUsage,
  noUsage,
  type PageUsage,
  type Usage,
  type UsagePreferences,
  usages,
} from "./usage.ts";
export {
  type Finding,
  type FindingKind,
  findingKinds,
  type MirrorEvent,
  type MirrorFindingKind,
  type MirrorSummary,
  mirrorFindingKinds,
  type VerifyEvent,
  type VerifySummary,
} from "./verify-event.ts";
