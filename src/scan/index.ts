export { bytesPerTurn, type FileDigest, FileDigester } from "./file-digest.ts";
export { compileGlobs, type GlobFilter } from "./glob-filter.ts";
export { mediaTypeOfName } from "./media-types.ts";
export { findReaderIdentity, type ReaderIdentity } from "./reader-identity.ts";
export type { ScanBatch, ScanGap, ScannedFile } from "./scanned-file.ts";
export type { ServedNameRules } from "./served-names.ts";
export { type RootWalk, type SiteRoot, SiteWalk } from "./site-walk.ts";
export { Walk, type WalkOptions } from "./walk.ts";
