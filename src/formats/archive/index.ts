export {
  archiveHeader,
  compareChangesByPath,
  maxArchiveBytes,
  parseArchive,
  parseChangeLine,
  writeChangeLine,
} from "./archive.ts";
export {
  type ArchiveEntry,
  type ArchiveIndex,
  type BaseList,
  formatArchiveIndex,
  formatBaseList,
  indexFileName,
  maxIndexBytes,
  parseArchiveIndex,
  parseBaseList,
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
