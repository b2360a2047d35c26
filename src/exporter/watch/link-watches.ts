import { basename } from "node:path/posix";
import { isInside } from "../walk/folder-listing.ts";
import type { WatchFolder } from "./folder-watch.ts";
import type { QueueGauge } from "./queue-gauge.ts";
import { mayBeLinked, mayBePage, type WatchRules } from "./watch-rules.ts";
import { type FoundEntry, type FoundLink, folderOf, placeIn, type WatchedFolder } from "./watched-folder.ts";

/** What the watches of links need to know. */
export interface LinkWatchesOptions {
  readonly rules: WatchRules;
  readonly watchFolder: WatchFolder;
  readonly gauge: QueueGauge;
  /** A file changed to which a link in this folder leads. */
  readonly onTarget: (folder: WatchedFolder) => void;
  readonly onFailure: (error: NodeJS.ErrnoException) => void;
}

/** Links that are looked at before each round; beyond, only a scan sees that one leads elsewhere. */
const maxLinks = 10_000;

/** The links below a root: where each leads, and for those to files a watch of the folder that the file is in. */
export class LinkWatches {
  readonly #options: LinkWatchesOptions;
  readonly #links = new Set<FoundLink>();
  /** The root without links, one character a byte. */
  rootRealPath = "";

  constructor(options: LinkWatchesOptions) {
    this.#options = options;
  }

  /** All that are known, as of now. */
  all(): readonly FoundLink[] {
    return [...this.#links];
  }

  note(folder: WatchedFolder, name: string, entry: FoundEntry | undefined): void {
    if (this.#links.size >= maxLinks) return;
    const link = { folder, name, target: targetOf(entry), stop: this.#watchTarget(folder, name, entry) };
    folder.links.set(name, link);
    this.#links.add(link);
  }

  /** Gives where it led, or undefined if none was known. */
  forget(folder: WatchedFolder, name: string): string | undefined {
    const link = folder.links.get(name);
    if (link === undefined) return undefined;
    link.stop?.();
    folder.links.delete(name);
    this.#links.delete(link);
    return link.target;
  }

  // Never a file's own watch: who writes a new file and renames it leaves that behind.
  #watchTarget(folder: WatchedFolder, name: string, entry: FoundEntry | undefined): (() => void) | undefined {
    const { rules, watchFolder, gauge, onTarget, onFailure } = this.#options;
    if (entry?.kind !== "file" || entry.realPath === undefined) return undefined;
    if (!isInside(entry.realPath, this.rootRealPath)) return undefined;
    if (!mayBePage(rules, placeIn(folder, name, false))) return undefined;
    if (!mayBeLinked(rules, this.rootRealPath, entry.realPath, false)) return undefined;
    const targetName = basename(entry.realPath);
    try {
      return watchFolder(folderOf(entry.realPath), {
        onEntry: (_, changed) => {
          gauge.count();
          if (!folder.isClosed && (changed === undefined || changed === targetName)) onTarget(folder);
        },
        onFailure,
      });
    } catch (error) {
      onFailure(error as NodeJS.ErrnoException);
      return undefined;
    }
  }
}

/** What a link leads to, to be compared; the empty string for nothing. */
export function targetOf(entry: FoundEntry | undefined): string {
  return entry === undefined ? "" : `${entry.realPath} ${entry.identity}`;
}
