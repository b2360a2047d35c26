import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder that may be missing, and those above it. `mkdir` of Node does so for ever where a file system says of a
 * folder that is there that nothing can be in it because it is not: /proc, or folders that are mounted as they are asked for.
 *
 * @throws what the file system says
 */
export function makeMissingFolder(path: string): void {
  if (tryToMake(path)) return;
  makeMissingFolder(dirname(path));
  if (!tryToMake(path)) mkdirSync(path);
}

/** @returns whether it is there now; false if what is above it is not. */
function tryToMake(path: string): boolean {
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && dirname(path) !== path) return false;
    if (!isFolder(path)) throw error;
  }
  return true;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
