export { StoredMerge } from "./change-merge.ts";
export { mirrorFolderOf, mirrorPathOf } from "./mirror-path.ts";
export { type Keeping, openStore, type SiteStore, type SiteWarc, Store, type StoreOptions } from "./store.ts";
export { type WaczOptions, writeWacz } from "./wacz-file.ts";
