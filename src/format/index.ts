export {
  archiveHeader,
  compareChangesByPath,
  formatArchive,
  formatChangeLine,
  type LineSink,
  maxArchiveBytes,
  maxArchiveChanges,
  parseArchive,
  parseChangeLine,
  writeChangeLine,
} from "./archive.ts";
export {
  type ArchiveEntry,
  type ArchiveIndex,
  type BaseList,
  baseListHeader,
  formatArchiveIndex,
  formatBaseList,
  indexFileName,
  indexHeader,
  maxIndexBytes,
  maxIndexKeys,
  parseArchiveIndex,
  parseBaseList,
  publishedFolder,
} from "./archive-index.ts";
export {
  type ArchiveName,
  baseGroup,
  formatArchiveName,
  groupOfMediaType,
  mediaTypeOfGroup,
  otherGroup,
  parseArchiveName,
} from "./archive-name.ts";
export { formatHttpDate, parseHttpDate } from "./http-date.ts";
export {
  maxCrawlDelaySeconds,
  maxRobotsBytes,
  parseRobots,
  type Robots,
  robotsAllow,
  robotsCrawlDelaySeconds,
} from "./robots.ts";
export {
  blockEnd,
  blockStart,
  formatRobotsBlock,
  maxBlockBytes,
  type RobotsBlock,
  replaceRobotsBlock,
} from "./robots-block.ts";
export { isNoindexField, maxMetaBytes, saysNoindex } from "./robots-meta.ts";
export { decodePathSegment, encodePathSegment, isCanonicalPath, maxPathLength } from "./url-path.ts";
