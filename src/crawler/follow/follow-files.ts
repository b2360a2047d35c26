import { rmSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { type Clock, type EpochMs, TidemarkError } from "../../core/index.ts";
import { readSideFile, sideFileIn, writeSideFile } from "../../fs/index.ts";
import { isStoreHeld } from "../../storage/index.ts";
import { type FollowStatus, parseFollowStatus } from "./follow-status.ts";

const statusName = "follow.json";
/** Far more than {@link maxStatusRows} rows of each list need. */
const maxStatusBytes = 1024 * 1024;
/** A running follower writes its status every second. */
const freshMs = 5000;

/** The last status of a follower. */
export interface FollowLook {
  readonly status: FollowStatus;
  /** Age of the status in milliseconds. */
  readonly ageMs: number;
  /** Whether it wrote no status for some seconds although its process is alive. */
  readonly isBusy: boolean;
}

export function writeFollowStatus(into: string, status: FollowStatus): void {
  writeSideFile(sideFileIn(resolve(into), statusName), `${JSON.stringify(status)}\n`);
}

export function removeFollowStatus(into: string): void {
  rmSync(sideFileIn(resolve(into), statusName), { force: true });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === "EPERM";
  }
}

/** No follower is running; the details say since when, if known. */
function nobodyFollows(into: string, died: FollowStatus | undefined): TidemarkError {
  const details = died === undefined ? { into } : { into, pid: died.pid, host: died.host, diedMs: died.writtenMs };
  const fate =
    died === undefined
      ? ""
      : ` Process ${died.pid} on ${died.host} did so until ${formatTime(died.writtenMs)} and ended without saying so.`;
  return new TidemarkError("not-found", `Nobody follows sites into ${into}.${fate}`, {
    hint: "Start `tidemark crawl --sites FILE --forever --into DIR`, or name the folder that it was given.",
    details,
  });
}

function formatTime(ms: EpochMs): string {
  return new Date(ms).toISOString();
}

/**
 * Reads the status of the follower of a mirror folder. A dead follower is distinguished from a busy one by its process
 * and by the lock it holds.
 *
 * @throws TidemarkError `not-found` if no follower is running; `state-corrupt` if the file is not a follower's status;
 * `no-permission`, `io`
 */
export function readFollowStatus(folder: string, now: Clock): FollowLook {
  const into = resolve(folder);
  const file = sideFileIn(into, statusName);
  const read = readSideFile(file, maxStatusBytes);
  if (read === "missing") throw nobodyFollows(into, undefined);
  const status = typeof read === "string" ? undefined : parseFollowStatus(read.text);
  if (status === undefined)
    throw new TidemarkError("state-corrupt", `${file} is not what a follower of this version writes.`, {
      hint: "Remove it: a follower that is at work writes it anew within a second, and nothing else is lost.",
      details: { file },
    });
  const ageMs = now() - status.writtenMs;
  const isFresh = Math.abs(ageMs) < freshMs;
  const isHere = status.host === hostname();
  // Another process may have reused the number of a dead one, and the folder may be read from another machine.
  if (isFresh && (!isHere || isRunning(status.pid))) return { status, ageMs, isBusy: false };
  const isHeld = isStoreHeld(into) ?? (isHere ? isRunning(status.pid) : isFresh);
  if (!isHeld) throw nobodyFollows(into, status);
  return { status, ageMs, isBusy: !isFresh };
}
