export { openChangeStream } from "./change-stream.ts";
export type { Codec, Gate, Timing } from "./ports.ts";
export { productToken } from "./robots-rules.ts";
export { judgeArchive, judgeBase, judgeIndex, judgeRobots, usualIndexPath } from "./served-metadata.ts";
export { agreesWith, judgeServedPage, planAlternative, type ServedPage } from "./served-page.ts";
export { visitSite } from "./visit-site.ts";
