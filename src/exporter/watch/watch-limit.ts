import { readFileSync } from "node:fs";
import type { ExportEvent } from "../../core/index.ts";

/** How many folders have a watch. */
export interface WatchCounts {
  readonly folders: number;
  readonly watched: number;
}

interface Limit {
  /** As `sysctl` names it. */
  readonly name: string;
  readonly count: number | undefined;
}

// In a container with users of its own the namespace has its own limit beside the machine's, and the lower one counts.
function readLimit(machine: string, namespace: string): Limit {
  const limits = [machine, namespace].map((name) => ({ name, count: readCount(name.replaceAll(".", "/")) }));
  const [first = { name: machine, count: undefined }, second] = limits;
  return second?.count !== undefined && (first.count === undefined || second.count < first.count) ? second : first;
}

function readCount(path: string): number | undefined {
  try {
    const count = Number(readFileSync(`/proc/sys/${path}`, "latin1"));
    return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
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
  const meanwhile = `Until then everything is scanned every ${Math.ceil(fallbackMs / 1000)} s.`;
  const missing = `${folders - watched} of ${folders} folders cannot be watched`;
  if (code === "ENOSPC") {
    const { name, count: limit } = readLimit("fs.inotify.max_user_watches", "user.max_inotify_watches");
    // The limit is the user's: what other programs of the same user hold is in it.
    const needed = (limit ?? watched) + folders - watched;
    return {
      event: "warning",
      code: "inotify-watches",
      message:
        `${missing}: ${name} is ${limit ?? "reached"} and ${needed} are needed. ` +
        `Run: sysctl ${name}=${withReserve(needed)} ` +
        `(and write that to a file in /etc/sysctl.d/). ${meanwhile}`,
    };
  }
  if (code === "EMFILE") {
    const { name, count: limit } = readLimit("fs.inotify.max_user_instances", "user.max_inotify_instances");
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
