export {
  archiveHeader,
  compareChangesByPath,
  type LineSink,
  maxArchiveBytes,
  maxArchiveChanges,
  parseArchive,
  parseChangeLine,
  writeChangeLine,
} from "./archive.ts";
export { intervalKey, planChain } from "./archive-chain.ts";
export {
  type ArchiveEntry,
  type ArchiveIndex,
  type BaseList,
  formatArchiveIndex,
  formatBaseList,
  formatEntryFields,
  indexFileName,
  maxIndexBytes,
  parseArchiveIndex,
  parseBaseList,
  parseSections,
  publishedFolder,
} from "./archive-index.ts";
export {
  type ArchiveName,
  baseGroup,
  escapeArchiveName,
  formatArchiveName,
  groupOfMediaType,
  mediaTypeOfGroup,
  otherGroup,
  parseArchiveName,
} from "./archive-name.ts";
