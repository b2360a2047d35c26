export { checkForMissed, type MissedCheck, type MissedCheckOptions } from "./missed-check.ts";
export type { VerifySiteOptions } from "./site-verification.ts";
export { type VerifyMirrorOptions, verifyMirror } from "./verify-mirror.ts";
export { verifySite } from "./verify-site.ts";
