export { PageListReader } from "./page-list-reader.ts";
export { formatLocation, isListable, SitemapWriter, sitemapEntryBytes, sitemapFrameBytes } from "./sitemap.ts";
export {
  escapeXml,
  maxReadCharacters,
  maxSitemapBytes,
  maxSitemapEntries,
  SitemapDocument,
  type SitemapEntry,
  type SitemapKind,
  type SitemapLimits,
  sitemapNamespace,
} from "./sitemap-document.ts";
export { SitemapReader } from "./sitemap-reader.ts";
