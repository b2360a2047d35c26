import { chmodSync, chownSync, fchownSync, mkdirSync, statSync } from "node:fs";
import { lchown, lstat, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { TidemarkError, wrapSystemError } from "../core/index.ts";

/** Whom a file belongs to. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Makes a folder that may be missing, and those above it. Node's own recursive `mkdir` never returns where a folder
 * exists but nothing can be made in it: in /proc, and in folders that are mounted on access.
 *
 * @param mode - permission bits less the umask; default 0777
 * @returns those that were made, the uppermost first
 * @throws what the file system says
 */
export function makeMissingFolder(path: string, mode?: number): string[] {
  return make(path, mode, false);
}

function make(path: string, mode: number | undefined, isAboveThere: boolean): string[] {
  try {
    mkdirSync(path, mode);
    return [path];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && !isAboveThere && dirname(path) !== path)
      return [...make(dirname(path), mode, false), ...make(path, mode, true)];
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

/**
 * Makes a folder, and those above it, with exactly this mode, whatever the umask.
 *
 * @param owner - the folder's owner if root makes it; those above it stay root's. Default: root
 * @returns those that were made, the uppermost first
 */
export function makeFolder(path: string, mode: number, owner?: Owner): string[] {
  try {
    const made = makeMissingFolder(path, mode);
    for (const folder of made) chmodSync(folder, mode);
    if (owner !== undefined && made.includes(path) && process.getuid?.() === 0) chownSync(path, owner.uid, owner.gid);
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      throw new TidemarkError("not-a-folder", `${path} has to be a folder, but it is a file.`, {
        hint: "Move the file away.",
        details: { path },
        cause: error,
      });
    }
    throw wrapSystemError(error, `make the folder ${path}`, { path });
  }
}

/**
 * Gives a file that root made to the owner of a folder, so that the next run may be that user's.
 *
 * @param file - a descriptor or a path
 */
export function adoptFile(file: number | string, folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  if (uid === 0 && gid === 0) return;
  if (typeof file === "number") fchownSync(file, uid, gid);
  else chownSync(file, uid, gid);
}

/** Does the same for all files in a folder, also those that a library wrote there. */
export async function adoptFiles(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const status = await lstat(path).catch(() => undefined);
    if (status !== undefined && (status.uid !== uid || status.gid !== gid)) await lchown(path, uid, gid);
  }
}
