export { StoredMerge } from "./change-merge.ts";
export { DecisionInbox } from "./decision-inbox.ts";
export { type BodyTaker, HandedBodies, TakerFailure } from "./handed-bodies.ts";
export { type BodyFault, MirrorAudit } from "./mirror-audit.ts";

export { MirrorPlaces } from "./mirror-places.ts";
export { openMirroredPages } from "./mirrored-pages.ts";
export { PageJournal } from "./page-journal.ts";
export type { PlannedSite } from "./plan-list.ts";
export type { QueuedUrl, UrlQueueOptions } from "./queued-url.ts";
export { findStateFile, type KnownSite, type PastVisit, StateReader } from "./state-reader.ts";
export {
  isStoreHeld,
  type Keeping,
  openMemoryStore,
  openStore,
  type SiteStore,
  type SiteWarc,
  Store,
  type StoreOptions,
} from "./store.ts";
export { UrlQueue } from "./url-queue.ts";
export { type WaczOptions, writeWacz } from "./wacz-file.ts";
