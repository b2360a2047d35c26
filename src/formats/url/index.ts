export { normaliseUrl } from "./url-normal.ts";
export { decodePathSegment, encodePathSegment, isCanonicalPath, maxPathLength } from "./url-path.ts";
