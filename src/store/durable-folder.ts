import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { TidemarkError, wrapSystemError } from "../model/index.ts";
import { GroupSync } from "./group-sync.ts";

const parallelSyncs = 8;

// A path that is gone again needs nothing; some file systems cannot sync a folder.
const harmless: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "EISDIR", "EPERM", "EINVAL", "EACCES"]);

function isHarmless(error: unknown): boolean {
  return harmless.has((error as NodeJS.ErrnoException).code);
}

async function syncPath(path: Buffer): Promise<void> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, "r");
    await file.sync();
  } catch (error) {
    if (!isHarmless(error)) throw wrapSystemError(error, `make ${path.toString()} durable`);
  } finally {
    await file?.close();
  }
}

/** Makes files durable one by one, and the folders that they are in. */
export async function syncFiles(paths: readonly (string | Buffer)[]): Promise<void> {
  const names = paths.map((path) => (typeof path === "string" ? Buffer.from(path) : path).toString("latin1"));
  const all = [...new Set([...names, ...names.map((name) => dirname(name))])];
  const runners = Array.from({ length: parallelSyncs }, async (_, first) => {
    for (let at = first; at < all.length; at += parallelSyncs) await syncPath(Buffer.from(all[at] ?? "", "latin1"));
  });
  await Promise.all(runners);
}

/**
 * Makes files durable many at a time: the whole file system with one call where there is a `sync -f`,
 * which costs less than a call a file; else file by file.
 */
export class DurableFolder {
  readonly #folder: string;
  readonly #sync: GroupSync;
  #isDirty = false;
  /** Paths written since the last flush; not kept any more once `sync -f` has worked. */
  #written: (string | Buffer)[] | undefined = [];

  /** @param sync - shared by all folders of a file system. Default: one of its own */
  constructor(folder: string, sync: GroupSync = new GroupSync(folder)) {
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
    else if (written !== undefined) await syncFiles(written);
    else throw new TidemarkError("io", `Could not make ${this.#folder} durable.`, { hint: "Look at the disk." });
  }
}
