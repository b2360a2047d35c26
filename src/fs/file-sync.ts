import { closeSync, constants, fsync, fsyncSync, openSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { wrapSystemError } from "../core/index.ts";
import { shownPath } from "./held-folder.ts";

/** At most this many syncs at once; Node's thread pool runs four by default. */
const parallelSyncs = 8;

// Some network file systems cannot sync a folder, and some folders may be written but not read: there a rename is as
// durable as it gets.
const unsyncable: ReadonlySet<unknown> = new Set(["EINVAL", "EPERM", "EACCES", "EISDIR"]);
const gone: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR"]);

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;

/** Makes what was written to an open file durable, without blocking the thread. */
export const syncDescriptor: (fd: number) => Promise<void> = promisify(fsync);

function cannotSync(error: unknown, path: string | Buffer): Error {
  const shown = shownPath(path.toString());
  return wrapSystemError(error, `make ${shown} durable`, { path: shown });
}

async function syncPath(path: string | Buffer, isHarmless: (code: unknown) => boolean): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, constants.O_RDONLY);
    await handle.sync();
  } catch (error) {
    if (!isHarmless(codeOf(error))) throw cannotSync(error, path);
  } finally {
    await handle?.close();
  }
}

/** Makes the names in a folder durable: what was created, renamed and removed there. */
export async function syncFolder(path: string): Promise<void> {
  await syncPath(path, (code) => unsyncable.has(code));
}

/** As {@link syncFolder}, and blocks. */
export function syncFolderNow(path: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY);
    fsyncSync(fd);
  } catch (error) {
    if (!unsyncable.has(codeOf(error))) throw cannotSync(error, path);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Makes files durable, and their names in their folders.
 *
 * @param mayBeGone - whether files may have been removed meanwhile. Default: that is an error
 */
export async function syncFiles(
  paths: readonly (string | Buffer)[],
  { mayBeGone = false }: { readonly mayBeGone?: boolean } = {},
): Promise<void> {
  const names = paths.map((path) => (typeof path === "string" ? Buffer.from(path) : path).toString("latin1"));
  const files = [...new Set(names)];
  const isHarmless = (code: unknown): boolean => mayBeGone && (gone.has(code) || unsyncable.has(code));
  await inParallel(files, (path) => syncPath(path, isHarmless));
  const folders = [...new Set(files.map((name) => dirname(name)))];
  await inParallel(folders, (path) => syncPath(path, (code) => unsyncable.has(code) || (mayBeGone && gone.has(code))));
}

async function inParallel(names: readonly string[], sync: (path: Buffer) => Promise<void>): Promise<void> {
  const runners = Array.from({ length: parallelSyncs }, async (_, first) => {
    for (let at = first; at < names.length; at += parallelSyncs) await sync(Buffer.from(names[at] ?? "", "latin1"));
  });
  await Promise.all(runners);
}
