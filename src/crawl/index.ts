export { openChangeStream } from "./change-stream.ts";
export { SiteFollower } from "./follow-sites.ts";
export type { ScopeOptions, ScopeRefusal } from "./link-scope.ts";
export { readHistory, readPrior } from "./poll-planning.ts";
export type { Codec, MediaTypes, OpenPackage, PackageDownload, Packages, Requests, Timing } from "./ports.ts";
export { planReading, type ReadingPlan } from "./reading-plan.ts";
export { judgeArchive, judgeBase, judgeIndex, judgeRobots, usualIndexPath } from "./served-metadata.ts";
export {
  agreesWith,
  isOtherBytes,
  judgeServedAgain,
  judgeServedPage,
  planAlternative,
  type ServedPage,
} from "./served-page.ts";
export type { TrapBounds, TrapRefusal, TrapVerdict } from "./trap-guard.ts";
export type { VisitEnd } from "./visit-plan.ts";
export { type VisitResult, visitSite } from "./visit-site.ts";
