export { openChangeStream } from "./change-stream.ts";
export { LinkScope, type ScopeOptions, type ScopeRefusal } from "./link-scope.ts";
export type { Codec, Gate, MediaTypes, OpenPackage, PackageDownload, Packages, Timing } from "./ports.ts";
export { planReading, type ReadingPlan } from "./reading-plan.ts";
export { productToken } from "./robots-rules.ts";
export { judgeArchive, judgeBase, judgeIndex, judgeRobots, usualIndexPath } from "./served-metadata.ts";
export { agreesWith, judgeServedPage, planAlternative, type ServedPage } from "./served-page.ts";
export { type TrapBounds, TrapGuard, type TrapRefusal, type TrapVerdict } from "./trap-guard.ts";
export { visitSite } from "./visit-site.ts";
