import { watch } from "node:fs";
import { type Location, toNodePath } from "../walk/folder-listing.ts";

/** What a watch tells. */
export interface WatchListener {
  /**
   * An entry changed, or the folder itself did, which then stands there under its own name.
   *
   * @param kind - `rename` if the entry came or went, `change` if its content, mode or times moved
   * @param name - one character a byte; undefined if the system does not say
   */
  readonly onEntry: (kind: "rename" | "change", name: string | undefined) => void;
  /** The watch has ended by itself. */
  readonly onFailure: (error: NodeJS.ErrnoException) => void;
}

/** Begins to watch one folder, not what is below its subfolders; gives what ends it. Throws what the system throws. */
export type WatchFolder = (location: Location, listener: WatchListener) => () => void;

/** Watches with `fs.watch`: on Linux one inotify watch a folder, however many files are in it. */
export const watchFolder: WatchFolder = (location, { onEntry, onFailure }) => {
  // "latin1" hands out a name's bytes unharmed.
  const watcher = watch(toNodePath(location), { encoding: "latin1" }, (kind, name) => onEntry(kind, name ?? undefined));
  watcher.on("error", onFailure);
  return () => watcher.close();
};
