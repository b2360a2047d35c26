import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TempFolder } from "../../temp-folder.ts";

const memoryFolder = "/dev/shm";
const wantedBytes = 4 * 1024 ** 3;

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= wantedBytes;
  } catch {
    return false;
  }
}

/**
 * Makes a folder that vanishes with its scope, in memory where there is room: a replay writes and syncs hundreds of
 * thousands of files, and on a disk it would wait for whatever else is being written there. TMPDIR decides if it is set.
 */
export function makeRoomyFolder(): TempFolder {
  const parent = process.env.TMPDIR === undefined && hasRoom(memoryFolder) ? memoryFolder : tmpdir();
  const path = mkdtempSync(join(parent, "tidemark-replay-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}
