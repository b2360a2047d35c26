export { PageListReader } from "./page-list-reader.ts";
export {
  escapeXml,
  formatLocation,
  isListable,
  maxReadCharacters,
  maxSitemapBytes,
  maxSitemapEntries,
  type SitemapKind,
  SitemapWriter,
  sitemapEntryBytes,
  sitemapFrameBytes,
  sitemapNamespace,
} from "./sitemap.ts";
export { SitemapDocument, type SitemapEntry, type SitemapLimits } from "./sitemap-document.ts";
export { SitemapReader } from "./sitemap-reader.ts";
