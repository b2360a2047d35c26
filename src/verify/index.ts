export { checkForMissed, type MissedCheck, type MissedCheckOptions } from "./missed-check.ts";
export { type VerifyMirrorOptions, verifyMirror } from "./verify-mirror.ts";
export { type VerifySiteOptions, verifySite } from "./verify-site.ts";
