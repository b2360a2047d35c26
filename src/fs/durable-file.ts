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
  statSync,
  writeSync,
} from "node:fs";
import { lchown, link, lstat, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import { syncDescriptor, syncFolder, syncFolderNow } from "./file-sync.ts";
import { shownPath } from "./held-folder.ts";
import { makeMissingFolder } from "./missing-folder.ts";

const temporaryForm = /^\.tidemark-[0-9]+-[0-9]+\.tmp$/;

/**
 * A name in the same folder that no server shows, no scan publishes, and {@link removeTemporaries} finds. It is random:
 * in a container each process may have the number of the one that was killed.
 */
export function temporaryName(path: string): string {
  return join(dirname(path), `.tidemark-${process.pid}-${randomInt(2 ** 47)}.tmp`);
}

/** Whom a file belongs to. */
interface Owner {
  readonly uid: number;
  readonly gid: number;
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
}

/** Writes all of a piece, at the file's position; a single call may write less. Blocks. */
export function writeWhole(fd: number, piece: Uint8Array): void {
  for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at, piece.length - at);
}

/**
 * Writes a file so that at any instant, also after a power cut, its name holds the old bytes or the
 * new ones: a temporary name in the same folder, fsync, rename, fsync of the folder.
 *
 * Only fsync waits for a disk and leaves the thread; the calls around it are done at once.
 */
export async function writeDurably(
  path: string,
  content: Uint8Array | string,
  options: DurableOptions = {},
): Promise<void> {
  const temporary = temporaryName(path);
  try {
    const fd = fill(temporary, content, options);
    await syncDescriptor(fd).finally(() => closeSync(fd));
    renameSync(temporary, path);
  } catch (error) {
    removeQuietly(temporary);
    throw cannotWrite(error, path, options.what);
  }
  await syncFolder(dirname(path));
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
    const fd = fill(temporary, content, options);
    await syncDescriptor(fd).finally(() => closeSync(fd));
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
 * Gives a file that was written piece by piece under a temporary name of its folder its own name: fsync, rename, fsync of the
 * folder. Where that fails the temporary file is left to the caller.
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
  renameSync(temporary, path);
  syncFolderNow(dirname(path));
}

/**
 * Writes a file whole or not at all, as far as processes that are killed can tell, and leaves it to
 * `syncFiles` to make it last through a power cut. For many files that nothing names yet: a sync
 * between two renames commits the file system's journal each time.
 */
export function placeFile(path: string, content: Uint8Array | string, options: DurableOptions = {}): void {
  const temporary = temporaryName(path);
  try {
    closeSync(fill(temporary, content, options));
    renameSync(temporary, path);
  } catch (error) {
    removeQuietly(temporary);
    throw cannotWrite(error, path);
  }
}

function fill(temporary: string, content: Uint8Array | string, options: DurableOptions): number {
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

/** Gives a file that root makes to the owner of its folder, so that the next run may be that user's. */
export function adoptFile(fd: number, folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  if (uid !== 0 || gid !== 0) fchownSync(fd, uid, gid);
}

/** Does the same for all files of a folder: what others than we wrote there. */
export async function adoptFiles(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const status = await lstat(path).catch(() => undefined);
    if (status !== undefined && (status.uid !== uid || status.gid !== gid)) await lchown(path, uid, gid);
  }
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

/**
 * Makes a folder, and those above it, with a mode whatever the umask takes away.
 *
 * @param owner - whom it is to belong to if root makes it, not those above it; default root
 * @returns those that were made, the uppermost first
 */
export async function makeFolder(path: string, mode: number, owner?: Owner): Promise<string[]> {
  try {
    const made = makeMissingFolder(path, mode);
    for (const folder of made) {
      const handle = await open(folder, constants.O_RDONLY);
      try {
        await handle.chmod(mode);
        if (folder === path && owner !== undefined && process.getuid?.() === 0)
          await handle.chown(owner.uid, owner.gid);
      } finally {
        await handle.close();
      }
    }
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

/** Removes what a run that was killed left half-written in a folder. Only who holds the lock may call it. */
export async function removeTemporaries(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (temporaryForm.test(name)) await rm(join(folder, name), { force: true });
  }
}
