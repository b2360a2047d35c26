export { DigestPool, type DigestPoolOptions } from "./digest-pool.ts";
export type { FileDigest } from "./file-digest.ts";
export { compileGlobs, type GlobFilter } from "./glob-filter.ts";
export { mediaTypeOfName } from "./media-types.ts";
export { findReaderIdentity, type ReaderIdentity } from "./reader-identity.ts";
export type { ScanBatch, ScanGap, ScannedFile } from "./scanned-file.ts";
export { Walk, type WalkOptions } from "./walk.ts";
