/**
 * Why everything is to be looked at:
 * `start`, the first round; `rescan`, the daily repair; `overflow`, more happened than the kernel's event
 * queue holds; `watcher-failed`, some folders have no watch; `too-many`, so many folders changed that naming
 * them is worth nothing; `root-changed`, the document root was removed, replaced, mounted or unmounted.
 */
const scanReasons = ["start", "rescan", "overflow", "watcher-failed", "too-many", "root-changed"] as const;

/** One of {@link scanReasons}. */
export type ScanReason = (typeof scanReasons)[number];

/** What the watcher asks the exporter to do next. */
export type WatchRound =
  | {
      /** Look at everything. */
      readonly kind: "scan";
      readonly reason: ScanReason;
    }
  | {
      /** Look at some folders. All paths are encoded, begin and end with `/`, are sorted, and none lies in a tree. */
      readonly kind: "folders";
      /** Of these folders, look at the entries. One that is not there any more is gone with all below it. */
      readonly folders: readonly string[];
      /**
       * Of these folders, look at all that is below, also in folders of old names: they are new, gone, or other
       * folders than before under the same name. What is not a folder any more is gone with all below it.
       */
      readonly trees: readonly string[];
    };
