import { randomInt } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  futimesSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { link, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { wrapSystemError } from "../core/index.ts";
import { syncDescriptor, syncFolder, syncFolderNow } from "./file-sync.ts";
import { adoptFile, type Owner } from "./folder.ts";
import { shownPath } from "./held-folder.ts";

const temporaryForm = /^\.tidemark-[0-9]+-[0-9]+\.tmp$/;

/**
 * A name in the same folder that no server shows, no scan publishes, and {@link removeTemporaries} finds. It is random,
 * because in a container each process may have the number of the one that was killed.
 */
export function temporaryName(path: string): string {
  return join(dirname(path), `.tidemark-${process.pid}-${randomInt(2 ** 47)}.tmp`);
}

/** How a file is to appear. */
export interface DurableOptions {
  /** What the file is, for an error: `the cursor`. Default: only its path is told. */
  readonly what?: string;
  /**
   * Permission bits; default 0644, whatever the umask: the web server must read it. With `user`, 0644 less the umask, and the
   * file belongs to who writes it, as that of any program.
   */
  readonly mode?: number | "user";
  /** Whom it is to belong to, where we may give it away; default ourselves, or if we are root the owner of its folder. */
  readonly owner?: Owner;
  /** Modification time in seconds since 1970; default now. */
  readonly mtimeSeconds?: number;
  /** Asked right before the file gets its name; if it says no, nothing is written. Only of {@link writeDurably}. */
  readonly mayReplace?: () => boolean;
}

/** Writes all of a piece, at the file's position; a single call may write less. Blocks. */
export function writeWhole(fd: number, piece: Uint8Array): void {
  for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at, piece.length - at);
}

/**
 * Writes a file so that at any instant, also after a power cut, its name holds the old bytes or the new ones: a
 * temporary name in the same folder, fsync, rename, fsync of the folder. Only fsync waits for a disk and leaves the
 * thread.
 *
 * @returns false if `mayReplace` said no
 */
export async function writeDurably(
  path: string,
  content: Uint8Array | string,
  options: DurableOptions = {},
): Promise<boolean> {
  const temporary = temporaryName(path);
  try {
    await fillDurably(temporary, content, options);
    if (options.mayReplace?.() === false) {
      removeQuietly(temporary);
      return false;
    }
    renameSync(temporary, path);
  } catch (error) {
    removeQuietly(temporary);
    throw cannotWrite(error, path, options.what);
  }
  await syncFolder(dirname(path));
  return true;
}

/**
 * Makes a file that is not there yet, whole and durable at once; whatever has the name already is left alone.
 *
 * @returns false if something has the name
 */
export async function createDurably(
  path: string,
  content: Uint8Array | string,
  options: DurableOptions = {},
): Promise<boolean> {
  const temporary = temporaryName(path);
  try {
    await fillDurably(temporary, content, options);
    // A link, unlike a rename, does not replace what another process put there meanwhile.
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw cannotWrite(error, path);
  } finally {
    removeQuietly(temporary);
  }
  await syncFolder(dirname(path));
  return true;
}

/**
 * Gives a file that was written piece by piece under a {@link temporaryName} its own name: fsync, rename, fsync of the
 * folder. If that fails, the temporary file is left to the caller.
 *
 * @param mode - permission bits to give it, and if we are root the owner of its folder. Default: it stays as it is
 */
export async function renameDurably(temporary: string, path: string, mode?: number): Promise<void> {
  try {
    const handle = await open(temporary, constants.O_RDWR | constants.O_NOFOLLOW);
    try {
      if (mode !== undefined) {
        adoptFile(handle.fd, dirname(temporary));
        await handle.chmod(mode);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    throw cannotWrite(error, path);
  }
  await syncFolder(dirname(path));
}

/** Gives a file whose content is durable already its own name, durably. Blocks. */
export function renameSynced(temporary: string, path: string): void {
  try {
    renameSync(temporary, path);
  } catch (error) {
    throw cannotWrite(error, path);
  }
  syncFolderNow(dirname(path));
}

/**
 * Writes a file whole or not at all, even if the process is killed; `syncFiles` makes it last through a power cut. For
 * many files that nothing names yet: a sync between two renames commits the file system's journal each time.
 */
export function placeFile(path: string, content: Uint8Array | string, options: DurableOptions = {}): void {
  const temporary = temporaryName(path);
  try {
    closeSync(fillFile(temporary, content, options));
    renameSync(temporary, path);
  } catch (error) {
    removeQuietly(temporary);
    throw cannotWrite(error, path);
  }
}

async function fillDurably(temporary: string, content: Uint8Array | string, options: DurableOptions): Promise<void> {
  const fd = fillFile(temporary, content, options);
  await syncDescriptor(fd).finally(() => closeSync(fd));
}

/** Makes and fills a temporary file. @returns its descriptor. @throws what the file system says */
export function fillFile(temporary: string, content: Uint8Array | string, options: DurableOptions): number {
  const { mode = 0o644, owner, mtimeSeconds } = options;
  const fd = openSync(temporary, "wx", mode === "user" ? 0o644 : 0o600);
  try {
    writeWhole(fd, typeof content === "string" ? Buffer.from(content) : content);
    if (mode !== "user") {
      if (owner === undefined) adoptFile(fd, dirname(temporary));
      else giveAway(fd, owner);
      fchmodSync(fd, mode);
    }
    if (mtimeSeconds !== undefined) futimesSync(fd, mtimeSeconds, mtimeSeconds);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function cannotWrite(error: unknown, path: string, what = ""): Error {
  const shown = shownPath(path);
  return wrapSystemError(error, `write ${what === "" ? shown : `${what} ${shown}`}`, { path: shown });
}

// What cannot be removed is removed by the next run; the error that led here is the one to tell.
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}

// Only root may give a file to anybody; others keep it, in a group of theirs.
function giveAway(fd: number, owner: Owner): void {
  for (const uid of [owner.uid, -1]) {
    try {
      fchownSync(fd, uid, owner.gid);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
    }
  }
}

/** Removes what a run that was killed left half-written in a folder. Only who holds the lock may call it. */
export async function removeTemporaries(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (temporaryForm.test(name)) await rm(join(folder, name), { force: true });
  }
}
