import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsync,
  futimesSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { lchown, link, lstat, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { TidemarkError, wrapSystemError } from "../model/index.ts";
import { shownPath } from "./held-folder.ts";

const temporaryForm = /^\.tidemark-[0-9]+-[0-9]+\.tmp$/;
let serial = 0;

/** A name in the same folder that no server shows, no scan publishes, and {@link removeTemporaries} finds. */
export function temporaryName(path: string): string {
  serial += 1;
  return join(dirname(path), `.tidemark-${process.pid}-${serial}.tmp`);
}

/** How a file is to appear. */
export interface DurableOptions {
  /** Permission bits; default 0644, whatever the umask: the web server must read it. */
  readonly mode?: number;
  /** Whom it is to belong to, where we may give it away; default ourselves, or if we are root the owner of its folder. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** Modification time in seconds since 1970; default now. */
  readonly mtimeSeconds?: number;
}

const syncFile = promisify(fsync);

/**
 * Writes a file so that at any instant, also after a power cut, its name holds the old bytes or the
 * new ones: a temporary name in the same folder, fsync, rename.
 *
 * Only fsync waits for a disk and leaves the thread; the calls around it are done at once.
 */
export async function writeDurably(path: string, content: Uint8Array, options: DurableOptions = {}): Promise<void> {
  const temporary = temporaryName(path);
  let fd: number | undefined;
  try {
    fd = fill(temporary, content, options);
    await syncFile(fd);
    closeSync(fd);
    fd = undefined;
    renameSync(temporary, path);
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    removeQuietly(temporary);
    throw cannotWrite(error, path);
  }
}

/**
 * Makes a file that is not there yet, whole and durable at once; whatever has the name already is left alone.
 *
 * @returns false if something has the name
 */
export async function createDurably(path: string, content: Uint8Array): Promise<boolean> {
  const temporary = temporaryName(path);
  try {
    const fd = fill(temporary, content, {});
    await syncFile(fd).finally(() => closeSync(fd));
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
 * Writes a file whole or not at all, as far as processes that are killed can tell, and leaves it to
 * {@link syncFiles} to make it last through a power cut. For many files that nothing names yet: a sync
 * between two renames commits the file system's journal each time.
 */
export function placeFile(path: string, content: Uint8Array, options: DurableOptions = {}): void {
  const temporary = temporaryName(path);
  try {
    closeSync(fill(temporary, content, options));
    renameSync(temporary, path);
  } catch (error) {
    removeQuietly(temporary);
    throw cannotWrite(error, path);
  }
}

/** Makes files that were placed durable, and their names in the folder. */
export async function syncFiles(folder: string, names: readonly string[]): Promise<void> {
  let next = 0;
  const syncSome = async (): Promise<void> => {
    for (let name = names[next++]; name !== undefined; name = names[next++]) {
      const path = join(folder, name);
      try {
        const handle = await open(path, constants.O_RDONLY);
        await handle.sync().finally(() => handle.close());
      } catch (error) {
        throw wrapSystemError(error, `make ${shownPath(path)} durable`, { path: shownPath(path) });
      }
    }
  };
  await Promise.all(Array.from({ length: syncsAtOnce }, syncSome));
  await syncFolder(folder);
}

/** As many as Node's thread pool has threads. */
const syncsAtOnce = 4;

function fill(temporary: string, content: Uint8Array, options: DurableOptions): number {
  const fd = openSync(temporary, "wx", 0o600);
  try {
    for (let at = 0; at < content.length; ) at += writeSync(fd, content, at);
    if (options.owner === undefined) adoptFile(fd, dirname(temporary));
    else giveAway(fd, options.owner);
    fchmodSync(fd, options.mode ?? 0o644);
    if (options.mtimeSeconds !== undefined) futimesSync(fd, options.mtimeSeconds, options.mtimeSeconds);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function cannotWrite(error: unknown, path: string): Error {
  const shown = shownPath(path);
  return wrapSystemError(error, `write ${shown}`, { path: shown });
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
function giveAway(fd: number, owner: { readonly uid: number; readonly gid: number }): void {
  for (const uid of [owner.uid, -1]) {
    try {
      fchownSync(fd, uid, owner.gid);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
    }
  }
}

/** Makes renames in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const handle = await open(path, constants.O_RDONLY);
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    // Some network file systems cannot sync a folder; there the rename is as durable as it gets.
    if ((error as NodeJS.ErrnoException).code !== "EINVAL")
      throw wrapSystemError(error, `make ${shownPath(path)} durable`, { path: shownPath(path) });
  }
}

/**
 * Makes a folder that may be missing, and those above it. `mkdir` of Node does so for ever where a file system says of a
 * folder that is there that nothing can be in it because it is not: /proc, or folders that are mounted as they are asked for.
 *
 * @returns those that were made, the uppermost first
 * @throws what the file system says
 */
export async function makeMissingFolder(path: string, mode?: number): Promise<string[]> {
  const made = await tryToMake(path, mode);
  if (made !== undefined) return made;
  const above = await makeMissingFolder(dirname(path), mode);
  const last = await tryToMake(path, mode);
  if (last === undefined) await mkdir(path);
  return [...above, ...(last ?? [path])];
}

/** @returns the folder if it was made; undefined if what is above it is not there. */
async function tryToMake(path: string, mode: number | undefined): Promise<string[] | undefined> {
  try {
    await mkdir(path, mode);
    return [path];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && dirname(path) !== path) return undefined;
    if ((await stat(path).catch(() => undefined))?.isDirectory() !== true) throw error;
    return [];
  }
}

/**
 * Makes a folder, and those above it, with a mode whatever the umask takes away.
 *
 * @param owner - whom it is to belong to if root makes it, not those above it; default root
 * @returns those that were made, the uppermost first
 */
export async function makeFolder(
  path: string,
  mode: number,
  owner?: { readonly uid: number; readonly gid: number },
): Promise<string[]> {
  try {
    const made = await makeMissingFolder(path, mode);
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
      throw new TidemarkError("not-a-folder", `${path} is wanted as a folder, and a file is there.`, {
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
