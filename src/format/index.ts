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
export { parseFeedDate } from "./feed-date.ts";
export { type FeedKind, FeedReader } from "./feed-reader.ts";
export { formatHttpDate, parseHttpDate } from "./http-date.ts";
export { formatLocation, isListable } from "./location.ts";
export { type PageListKind, PageListReader } from "./page-list-reader.ts";
export {
  type Capability,
  formatSha256Hash,
  parseSha256Hash,
  type ResourceSyncEntry,
  type ResourceSyncHeader,
  type ResourceSyncLink,
  type ResourceSyncTimes,
  resourceSyncPath,
} from "./resource-sync.ts";
export { ResourceSyncReader } from "./resource-sync-reader.ts";
export { ResourceSyncWriter } from "./resource-sync-writer.ts";
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
export { SitemapWriter, sitemapEntryBytes, sitemapFrameBytes } from "./sitemap.ts";
export {
  maxReadCharacters,
  maxSitemapBytes,
  maxSitemapEntries,
  type SitemapEntry,
  type SitemapKind,
  type SitemapLimits,
} from "./sitemap-document.ts";
export { SitemapReader } from "./sitemap-reader.ts";
export { UrlListReader } from "./url-list-reader.ts";
export { decodePathSegment, encodePathSegment, isCanonicalPath, maxPathLength } from "./url-path.ts";
export { formatW3cDate, parseW3cDate } from "./w3c-date.ts";
