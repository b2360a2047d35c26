export { compileUrlFilter, type UrlFilter, type UrlPatterns } from "./url-filter.ts";
export { normaliseUrl } from "./url-normal.ts";
export {
  decodePathSegment,
  encodePathSegment,
  escapeBytes,
  findPlainPathEnd,
  isCanonicalPath,
  maxPathLength,
  type ServedForm,
  servedFormOf,
} from "./url-path.ts";
