export {
  type Capability,
  formatSha256Hash,
  packageEntryName,
  parseHashes,
  parseSha256Hash,
  type ResourceSyncEntry,
  type ResourceSyncHeader,
  type ResourceSyncLink,
  resourceSyncPath,
} from "./resource-sync.ts";
export { ResourceSyncReader } from "./resource-sync-reader.ts";
export { ResourceSyncWriter } from "./resource-sync-writer.ts";
