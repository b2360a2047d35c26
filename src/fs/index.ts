export { ByteText } from "./byte-text.ts";
export {
  createDurably,
  placeFile,
  removeTemporaries,
  renameDurably,
  renameSynced,
  temporaryName,
  writeDurably,
  writeWhole,
} from "./durable-file.ts";
export { DurableFolder, GroupSync, syncFiles, syncFolder } from "./file-sync.ts";
export { adoptFile, adoptFiles, makeFolder, makeMissingFolder } from "./folder.ts";
export { HeldFolder, shownPath } from "./held-folder.ts";
export { RecordSort, type SortedRecord } from "./record-sort.ts";
export { findLockHolder, type LockHolder, SiteLock } from "./site-lock.ts";
export { readAt, readAtMost, readSideFile, sideFileIn, writeSideFile, writeTextFile } from "./small-file.ts";
export { BodyFile, SpillFile } from "./spill-file.ts";
export { WatchedFiles } from "./watched-files.ts";
