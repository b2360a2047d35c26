/**
 * Why everything is to be looked at:
 * `start`, the first round; `rescan`, the daily repair; `overflow`, more happened than the kernel's event
 * queue holds; `watcher-failed`, some folders have no watch; `too-many`, so many folders changed that naming
 * them is worth nothing; `root-changed`, the document root was removed, replaced, mounted or unmounted.
 */
export type ScanReason = "start" | "rescan" | "overflow" | "watcher-failed" | "too-many" | "root-changed";

/** What the watcher asks the exporter to do next. */
export type WatchRound =
  | {
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

/** Which folders the next round looks at. Memory is bounded by the limit, whatever happens below the root. */
export class DirtyFolders {
  readonly #maxFolders: number;
  readonly #folders = new Set<string>();
  readonly #trees = new Set<string>();
  #isOverfull = false;

  /** @param maxFolders - beyond so many nothing is remembered but that there were too many */
  constructor(maxFolders: number) {
    this.#maxFolders = maxFolders;
  }

  get isEmpty(): boolean {
    return !this.#isOverfull && this.#folders.size === 0 && this.#trees.size === 0;
  }

  get isOverfull(): boolean {
    return this.#isOverfull;
  }

  /** Notes that a folder's entries changed. */
  markFolder(path: string): void {
    if (this.#isOverfull || this.#folders.has(path) || liesIn(this.#trees, path, true)) return;
    this.#folders.add(path);
    this.#checkLimit();
  }

  /** Notes that anything below a folder may have changed. */
  markTree(path: string): void {
    if (this.#isOverfull || liesIn(this.#trees, path, true)) return;
    this.#trees.add(path);
    this.#checkLimit();
  }

  /** Gives what was noted, sorted, without what a tree covers, and forgets it. */
  take(): { readonly folders: readonly string[]; readonly trees: readonly string[] } {
    const folders = [...this.#folders].filter((path) => !liesIn(this.#trees, path, true)).sort();
    const trees = [...this.#trees].filter((path) => !liesIn(this.#trees, path, false)).sort();
    this.clear();
    return { folders, trees };
  }

  clear(): void {
    this.#folders.clear();
    this.#trees.clear();
    this.#isOverfull = false;
  }

  #checkLimit(): void {
    if (this.#folders.size + this.#trees.size <= this.#maxFolders) return;
    this.clear();
    this.#isOverfull = true;
  }
}

function liesIn(trees: ReadonlySet<string>, path: string, orIsOne: boolean): boolean {
  if (trees.size === 0) return false;
  const end = orIsOne ? path.length : path.length - 1;
  for (let at = path.indexOf("/"); at !== -1 && at < end; at = path.indexOf("/", at + 1))
    if (trees.has(path.slice(0, at + 1))) return true;
  return false;
}
