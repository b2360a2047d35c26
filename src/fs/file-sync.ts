import { execFile } from "node:child_process";
import { closeSync, constants, fsync, fsyncSync, openSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import { shownPath } from "./held-folder.ts";

/** At most this many syncs at once; Node's thread pool runs four by default. */
const parallelSyncs = 8;

/**
 * Some network file systems cannot sync a folder, and some folders may be written but not read: there a rename is as
 * durable as it gets.
 */
const unsyncable: readonly unknown[] = ["EINVAL", "EPERM", "EACCES", "EISDIR"];
const goneOrUnsyncable: readonly unknown[] = [...unsyncable, "ENOENT", "ENOTDIR"];

/** Makes what was written to an open file durable, without blocking the thread. */
export const syncDescriptor: (fd: number) => Promise<void> = promisify(fsync);

/** @throws the error, unless its code is harmless */
function judge(error: unknown, path: string | Buffer, harmless: readonly unknown[]): void {
  if (harmless.includes((error as NodeJS.ErrnoException).code)) return;
  const shown = shownPath(path.toString());
  throw wrapSystemError(error, `make ${shown} durable`, { path: shown });
}

async function syncPath(path: string | Buffer, harmless: readonly unknown[]): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, constants.O_RDONLY);
    await handle.sync();
  } catch (error) {
    judge(error, path, harmless);
  } finally {
    await handle?.close();
  }
}

/** Makes the names in a folder durable: what was created, renamed and removed there. */
export async function syncFolder(path: string): Promise<void> {
  await syncPath(path, unsyncable);
}

/** As {@link syncFolder}, and blocks. */
export function syncFolderNow(path: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY);
    fsyncSync(fd);
  } catch (error) {
    judge(error, path, unsyncable);
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
  // Latin-1 holds names that are not UTF-8.
  const files = new Set(paths.map((path) => Buffer.from(path).toString("latin1")));
  const folders = new Set([...files].map((name) => dirname(name)));
  await syncInParallel([...files], mayBeGone ? goneOrUnsyncable : []);
  await syncInParallel([...folders], mayBeGone ? goneOrUnsyncable : unsyncable);
}

async function syncInParallel(names: readonly string[], harmless: readonly unknown[]): Promise<void> {
  const runners = Array.from({ length: parallelSyncs }, async (_, first) => {
    for (let at = first; at < names.length; at += parallelSyncs)
      await syncPath(Buffer.from(names[at] ?? "", "latin1"), harmless);
  });
  await Promise.all(runners);
}

/**
 * Syncs a whole file system, with one call for all who ask while the one before is under way: many sites whose bodies
 * lie in one folder do not wait for each other.
 */
export class GroupSync {
  readonly #folder: string;
  #running: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;

  /** @param folder - any folder of the file system */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes everything durable that was written before the call. @returns whether the system can do that */
  run(): Promise<boolean> {
    if (this.#running === undefined) return this.#begin();
    // What is under way may have passed by what was written last.
    this.#next ??= this.#running.then(() => this.#begin());
    return this.#next;
  }

  #begin(): Promise<boolean> {
    this.#next = undefined;
    const run = new Promise<boolean>((resolve) => {
      execFile("sync", ["-f", this.#folder], (error) => resolve(error === null));
    });
    this.#running = run;
    return run.finally(() => {
      if (this.#running === run) this.#running = undefined;
    });
  }
}

/** Makes many files durable: with one `sync -f` where there is one, which costs less than a call a file; else one by one. */
export class DurableFolder {
  readonly #folder: string;
  readonly #sync: GroupSync;
  #isDirty = false;
  /** Paths written since the last flush; no longer collected once `sync -f` has worked. */
  #written: (string | Buffer)[] | undefined = [];

  /** @param sync - shared by all folders of a file system */
  constructor(folder: string, sync: GroupSync) {
    this.#folder = folder;
    this.#sync = sync;
  }

  /** Notes that a file was written, replaced or removed. */
  note(path: string | Buffer): void {
    this.#isDirty = true;
    this.#written?.push(path);
  }

  /** Makes everything that was noted until now durable. */
  async flush(): Promise<void> {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    const written = this.#written;
    if (written !== undefined) this.#written = [];
    if (await this.#sync.run()) this.#written = undefined;
    else if (written !== undefined) await syncFiles(written, { mayBeGone: true });
    else throw new TidemarkError("io", `Could not make ${this.#folder} durable.`, { hint: "Look at the disk." });
  }
}
