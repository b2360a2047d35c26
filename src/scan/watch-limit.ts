import { readFileSync } from "node:fs";
import type { ExportEvent } from "../model/index.ts";

/** How many folders have a watch. */
export interface WatchCounts {
  readonly folders: number;
  readonly watched: number;
}

function readLimit(name: string): number | undefined {
  try {
    const limit = Number(readFileSync(`/proc/sys/fs/inotify/${name}`, "latin1"));
    return Number.isSafeInteger(limit) && limit >= 0 ? limit : undefined;
  } catch {
    return undefined;
  }
}

/** A number to set: what is needed, a tenth more for folders to come, in whole 1024s. */
function withReserve(count: number): number {
  return Math.ceil((count * 1.1) / 1024) * 1024;
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
  const meanwhile = `Until then everything is looked at every ${Math.ceil(fallbackMs / 1000)} s.`;
  const missing = `${folders - watched} of ${folders} folders cannot be watched`;
  if (code === "ENOSPC") {
    const limit = readLimit("max_user_watches");
    // The limit is the user's: what other programs of the same user hold is in it.
    const needed = (limit ?? watched) + folders - watched;
    return {
      event: "warning",
      code: "inotify-watches",
      message:
        `${missing}: fs.inotify.max_user_watches is ${limit ?? "reached"} and ${needed} are needed. ` +
        `Run: sysctl fs.inotify.max_user_watches=${withReserve(needed)} ` +
        `(and write that to a file in /etc/sysctl.d/). ${meanwhile}`,
    };
  }
  if (code === "EMFILE") {
    const limit = readLimit("max_user_instances");
    return {
      event: "warning",
      code: "inotify-instances",
      message:
        `${missing}: fs.inotify.max_user_instances is ${limit ?? "reached"} and one more is needed ` +
        `(or the process may open no more files: ulimit -n). ` +
        `Run: sysctl fs.inotify.max_user_instances=${Math.max(256, (limit ?? 0) * 2)}. ${meanwhile}`,
    };
  }
  return { event: "warning", code: "watch-failed", message: `${missing}: ${message}. ${meanwhile}` };
}
