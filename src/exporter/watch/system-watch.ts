import { readFileSync, watch } from "node:fs";
import type { ExportEvent } from "../../core/index.ts";
import { type Location, toNodePath } from "../walk/folder-listing.ts";

export interface WatchListener {
  /**
   * An entry changed, or the folder itself did, which then appears under its own name.
   *
   * @param kind - `rename` if the entry came or went, `change` if its content, mode or times changed
   * @param name - one character a byte; undefined if the system does not say
   */
  readonly onEntry: (kind: "rename" | "change", name: string | undefined) => void;
  /** The watch ended by itself. */
  readonly onFailure: (error: NodeJS.ErrnoException) => void;
}

/** Begins to watch one folder, not what is below its subfolders; returns what ends the watch. Throws what the system throws. */
export type WatchFolder = (location: Location, listener: WatchListener) => () => void;

/** Watches with `fs.watch`: on Linux one inotify watch a folder, however many files are in it. */
export const watchFolder: WatchFolder = (location, { onEntry, onFailure }) => {
  // "latin1" gives a name's bytes unharmed.
  const watcher = watch(toNodePath(location), { encoding: "latin1" }, (kind, name) => onEntry(kind, name ?? undefined));
  watcher.on("error", onFailure);
  return () => watcher.close();
};

/** What `fs.inotify.max_queued_events` is where nobody set it, inotify(7). */
const usualQueueSize = 16_384;
/** Identical events in a row are one in the queue, and a watch that has just ended takes its events along. */
const fullShare = 0.9;

/**
 * Notices that the kernel's event queue may have overflowed. inotify says so (IN_Q_OVERFLOW, inotify(7)), yet
 * libuv drops that event as one of no watch: of 20,000 writes while the loop was busy 16,384 events came,
 * then none, and no error. But the queue is emptied in one turn of the event loop: if a turn has about as many events as
 * the queue holds, some may be missing after it.
 *
 * All watches of a thread share one queue, so there is one gauge a thread.
 */
export class QueueGauge {
  readonly #fullAt: number;
  readonly #listeners = new Set<() => void>();
  #eventsThisTurn = 0;

  /** @param queueSize - events that the queue holds; default what the kernel says */
  constructor(queueSize: number = readCount("fs/inotify/max_queued_events") || usualQueueSize) {
    this.#fullAt = Math.max(1, Math.floor(queueSize * fullShare));
  }

  /** Counts an event, before anything is known of it. */
  count(): void {
    if (this.#eventsThisTurn++ > 0) return;
    setImmediate(() => {
      const isFull = this.#eventsThisTurn >= this.#fullAt;
      this.#eventsThisTurn = 0;
      if (isFull) for (const listener of this.#listeners) listener();
    });
  }

  /** Calls when events may be missing; returns what ends it. */
  onFull(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The gauge of this thread's queue. */
export const threadQueue: QueueGauge = new QueueGauge();

/** How many folders have a watch. */
export interface WatchCounts {
  readonly folders: number;
  readonly watched: number;
}

/**
 * The limit that counts, as `sysctl` names it: in a container with users of its own the namespace has its own limit beside
 * the machine's, and the lower one counts.
 */
function readLimit(machine: string, namespace: string): { readonly name: string; readonly limit: number | undefined } {
  const [first, second] = [machine, namespace].map((name) => readCount(name.replaceAll(".", "/")));
  const isSecond = second !== undefined && (first === undefined || second < first);
  return isSecond ? { name: namespace, limit: second } : { name: machine, limit: first };
}

function readCount(path: string): number | undefined {
  try {
    const count = Number(readFileSync(`/proc/sys/${path}`, "latin1"));
    return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Says why folders have no watch and what to do about it.
 *
 * @param code - the system's: on Linux ENOSPC is `max_user_watches`, EMFILE `max_user_instances`, inotify_add_watch(2),
 *   inotify_init(2)
 * @param fallbackMs - how often everything is looked at meanwhile
 */
export function describeWatchFailure(
  { code = "unknown", message }: NodeJS.ErrnoException,
  { folders, watched }: WatchCounts,
  fallbackMs: number,
): ExportEvent {
  const meanwhile = `Until then everything is scanned every ${Math.ceil(fallbackMs / 1000)} s.`;
  const missing = `${folders - watched} of ${folders} folders cannot be watched`;
  if (code === "ENOSPC") {
    const { name, limit } = readLimit("fs.inotify.max_user_watches", "user.max_inotify_watches");
    // The limit is the user's: what other programs of the same user hold is in it.
    const needed = (limit ?? watched) + folders - watched;
    // A tenth more for folders to come, in whole 1024s.
    const proposed = Math.ceil((needed * 1.1) / 1024) * 1024;
    return {
      event: "warning",
      code: "inotify-watches",
      message:
        `${missing}: ${name} is ${limit ?? "reached"} and ${needed} are needed. ` +
        `Run: sysctl ${name}=${proposed} ` +
        `(and write that to a file in /etc/sysctl.d/). ${meanwhile}`,
    };
  }
  if (code === "EMFILE") {
    const { name, limit } = readLimit("fs.inotify.max_user_instances", "user.max_inotify_instances");
    return {
      event: "warning",
      code: "inotify-instances",
      message:
        `${missing}: ${name} is ${limit ?? "reached"} and one more is needed ` +
        `(or the process may open no more files: ulimit -n). ` +
        `Run: sysctl ${name}=${Math.max(256, (limit ?? 0) * 2)}. ${meanwhile}`,
    };
  }
  return { event: "warning", code: "watch-failed", message: `${missing}: ${message}. ${meanwhile}` };
}
