export { unpackArchive } from "./content-coding.ts";
export { OriginCookies, readCookies } from "./cookie-jar.ts";
export { createFetcher, type Fetcher, type FetcherOptions } from "./fetcher.ts";
export { keyDirectoryPath, makeIdentity, type NewIdentity, RequestSigner, readIdentity } from "./identity.ts";
export { createDigest, namedTypes, nodeCodec, parseTypes, realTiming } from "./node-adapters.ts";
export { isOverloaded, PoliteRequests } from "./polite-requests.ts";
export { postJson } from "./post-json.ts";
export { readProxy } from "./proxy.ts";
export { readSiteFields, type SiteFields } from "./site-fields.ts";
