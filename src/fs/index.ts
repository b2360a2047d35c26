export { BodyFile } from "./body-file.ts";
export { readAtMost } from "./bounded-file.ts";
export { ByteText } from "./byte-text.ts";
export {
  adoptFile,
  adoptFiles,
  createDurably,
  makeFolder,
  placeFile,
  removeTemporaries,
  renameDurably,
  renameSynced,
  temporaryName,
  writeDurably,
  writeWhole,
} from "./durable-file.ts";
export { DurableFolder } from "./durable-folder.ts";
export { syncFiles, syncFolder } from "./file-sync.ts";
export { GroupSync } from "./group-sync.ts";
export { HeldFolder, shownPath } from "./held-folder.ts";
export { makeMissingFolder } from "./missing-folder.ts";
export { RecordSort, type SortedRecord } from "./record-sort.ts";
export { readSideFile, sideFileIn, writeSideFile } from "./side-file.ts";
export { findLockHolder, type LockHolder, SiteLock } from "./site-lock.ts";
export { SpillFile } from "./spill-file.ts";
export { writeTextFile } from "./text-file.ts";
export { WatchedFiles } from "./watched-files.ts";
