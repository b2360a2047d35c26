export {
  archiveHeader,
  compareChangesByPath,
  type LineSink,
  maxArchiveBytes,
  parseArchive,
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
  formatArchiveName,
  groupOfMediaType,
  mediaTypeOfGroup,
  otherGroup,
  parseArchiveName,
} from "./archive-name.ts";
export { type CdxjEntry, formatCdxjLine, parseCdxjLine } from "./cdxj.ts";
export { formatHttpDate, parseHttpDate } from "./http-date.ts";
export {
  decodeHttpHead,
  describeRepresentation,
  encodeHttpHead,
  fieldOf,
  type HttpHead,
  headOfRecordedBody,
  maxHttpHeadBytes,
  statusOf,
} from "./http-head.ts";
export { formatLocation, isListable } from "./location.ts";
export { packageEntryName } from "./package-path.ts";
export { type PageListKind, PageListReader } from "./page-list-reader.ts";
export {
  type Capability,
  formatSha256Hash,
  parseHashes,
  parseSha256Hash,
  type ResourceSyncEntry,
  type ResourceSyncHeader,
  type ResourceSyncLink,
  type ResourceSyncTimes,
  resourceSyncPath,
} from "./resource-sync.ts";
export { ResourceSyncReader } from "./resource-sync-reader.ts";
export { ResourceSyncWriter } from "./resource-sync-writer.ts";
export { parseRobots, type Robots, robotsAllow, robotsCrawlDelaySeconds, robotsSitemaps } from "./robots.ts";
export { ownProductToken, type RobotsAgent, robotsAgentOf } from "./robots-agent.ts";
export { formatRobotsBlock, type RobotsBlock, replaceRobotsBlock } from "./robots-block.ts";
export { isNoindexField, maxMetaBytes, saysNoindex } from "./robots-meta.ts";
export { maxRobotsBytes } from "./robots-text.ts";
export { type Inclusion, parseInclude } from "./server-side-includes.ts";
export { SitemapWriter, sitemapEntryBytes, sitemapFrameBytes } from "./sitemap.ts";
export {
  maxSitemapBytes,
  maxSitemapEntries,
  type SitemapEntry,
  type SitemapKind,
  type SitemapLimits,
} from "./sitemap-document.ts";
export { SitemapReader } from "./sitemap-reader.ts";

export { normaliseUrl } from "./url-normal.ts";
export { decodePathSegment, encodePathSegment, isCanonicalPath, maxPathLength } from "./url-path.ts";
export { formatW3cDate, parseW3cDate } from "./w3c-date.ts";
export { WarcDecoder, type WarcSink } from "./warc-decoder.ts";
export {
  formatBase32,
  formatRecordId,
  formatWarcFields,
  formatWarcHead,
  maxWarcHeadBytes,
  revisitProfiles,
  type WarcHead,
  warcRecordEnd,
} from "./warc-record.ts";
