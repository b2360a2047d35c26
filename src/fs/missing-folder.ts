import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder that may be missing, and those above it. `mkdir` of Node does so for ever where a file system says of a
 * folder that is there that nothing can be in it because it is not: /proc, or folders that are mounted as they are asked for.
 *
 * @param mode - permission bits less the umask; default 0777
 * @returns those that were made, the uppermost first
 * @throws what the file system says
 */
export function makeMissingFolder(path: string, mode?: number): string[] {
  const made = tryToMake(path, mode);
  if (made !== undefined) return made;
  const above = makeMissingFolder(dirname(path), mode);
  const last = tryToMake(path, mode);
  if (last === undefined) mkdirSync(path, mode);
  return [...above, ...(last ?? [path])];
}

/** @returns the folder if it was made; undefined if what is above it is not there. */
function tryToMake(path: string, mode: number | undefined): string[] | undefined {
  try {
    mkdirSync(path, mode);
    return [path];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && dirname(path) !== path) return undefined;
    if (!isFolder(path)) throw error;
    return [];
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
