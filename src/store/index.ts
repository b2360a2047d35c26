export { StoredMerge } from "./change-merge.ts";
export { mirrorFolderOf, mirrorPathOf } from "./mirror-path.ts";
export { openStore, type SiteStore, Store, type StoreOptions } from "./store.ts";
