import { constants } from "node:fs";
import { copyFile, lstat, open, readdir, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { wrapSystemError } from "../../core/index.ts";
import { makeMissingFolder, renameDurably, syncFolder, temporaryName } from "../../fs/index.ts";
import {
  checkObjectName,
  checkObjectPrefix,
  checkObjectSize,
  isObjectName,
  type ListedObject,
  type ObjectContent,
  type ObjectStore,
} from "./object-store.ts";

const pieceBytes = 1024 * 1024;
const maxKnownFolders = 50_000;
/** Longer than any object takes to be written, also if clocks of machines differ by hours. */
const temporaryAgeMs = 2 * 86_400_000;
const missing: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR"]);

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;

/**
 * Objects as files in a folder that several machines may share. An object is written under a temporary name, synced and
 * renamed; two who write the same name at once write the same bytes.
 */
export class FolderObjects implements ObjectStore {
  readonly address: string;
  readonly #root: string;
  /** No object has a part that begins with a dot. */
  readonly #temporary: string;
  /** Folders that are there, and durable. */
  readonly #known = new Set<string>();
  #opened: Promise<void> | undefined;

  /** @param folder - made with the first object */
  constructor(folder: string) {
    this.#root = resolve(folder);
    this.#temporary = join(this.#root, ".tmp");
    this.address = this.#root;
  }

  async put(name: string, content: ObjectContent): Promise<boolean> {
    const path = this.#pathOf(name);
    const isFile = !(content instanceof Uint8Array);
    checkObjectSize(name, isFile ? content.sizeBytes : content.length);
    return await this.#attempt(`write ${path}`, async () => {
      if ((await this.#sizeOf(path)) !== undefined) return false;
      this.#opened ??= this.#open();
      await this.#opened;
      await this.#makeFolder(dirname(path));
      const temporary = join(this.#temporary, basename(temporaryName(path)));
      try {
        if (isFile) await copyFile(content.file, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        else await writeFile(temporary, content, { flag: "wx", mode: 0o644 });
        await renameDurably(temporary, path, 0o644);
      } catch (error) {
        await unlink(temporary).catch(() => undefined);
        throw error;
      }
      return true;
    });
  }

  async get(
    name: string,
    maxBytes: number,
    take: (piece: Uint8Array) => void | Promise<void>,
  ): Promise<number | undefined> {
    const path = this.#pathOf(name);
    return await this.#attempt(`read ${path}`, async () => {
      const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(orMissing);
      if (handle === undefined) return undefined;
      try {
        const status = await handle.stat();
        if (!status.isFile() || status.size > maxBytes) return undefined;
        const piece = Buffer.allocUnsafe(Math.min(pieceBytes, status.size + 1));
        let sizeBytes = 0;
        for (;;) {
          const { bytesRead } = await handle.read(piece, 0, piece.length);
          if (bytesRead === 0) return sizeBytes;
          sizeBytes += bytesRead;
          if (sizeBytes > maxBytes) return undefined;
          await take(piece.subarray(0, bytesRead));
        }
      } finally {
        await handle.close();
      }
    });
  }

  async has(name: string): Promise<boolean> {
    const path = this.#pathOf(name);
    return await this.#attempt(`read ${path}`, async () => (await this.#sizeOf(path)) !== undefined);
  }

  async *list(prefix: string): AsyncGenerator<ListedObject, void, void> {
    checkObjectPrefix(prefix);
    const folder = join(this.#root, prefix);
    const entries = await this.#attempt(`read ${folder}`, () => readEntries(folder).catch(orMissing));
    for (const { name, isFolder } of entries ?? []) {
      if (!isObjectName(isFolder ? name.slice(0, -1) : name)) continue;
      if (isFolder) yield* this.list(`${prefix}${name}`);
      else {
        const sizeBytes = await this.#attempt(`read ${folder}`, () => this.#sizeOf(join(folder, name)));
        if (sizeBytes !== undefined) yield { name: `${prefix}${name}`, sizeBytes };
      }
    }
  }

  /** Folders stay: another machine may be about to write into one. */
  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const path = this.#pathOf(name);
      await this.#attempt(`remove ${path}`, async () => {
        await unlink(path).catch(orMissing);
      });
    }
  }

  #pathOf(name: string): string {
    checkObjectName(name);
    return join(this.#root, name);
  }

  async #sizeOf(path: string): Promise<number | undefined> {
    const status = await lstat(path).catch(orMissing);
    return status?.isFile() === true ? status.size : undefined;
  }

  /** Makes the folder of temporary files, and removes from it what workers left that were killed. */
  async #open(): Promise<void> {
    await this.#makeFolder(this.#temporary);
    for (const name of await readdir(this.#temporary)) {
      const path = join(this.#temporary, name);
      const status = await lstat(path).catch(orMissing);
      if (status !== undefined && status.mtimeMs < Date.now() - temporaryAgeMs) await unlink(path).catch(orMissing);
    }
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.#known.has(folder)) return;
    for (const made of makeMissingFolder(folder)) await syncFolder(dirname(made));
    if (this.#known.size >= maxKnownFolders) this.#known.clear();
    this.#known.add(folder);
  }

  async #attempt<T>(doing: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      // What was made may have been removed by hand.
      this.#known.clear();
      this.#opened = undefined;
      throw wrapSystemError(error, doing, { objects: this.address });
    }
  }
}

interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** In the order of the whole names that lie below them: a folder by its name with `/`. */
async function readEntries(folder: string): Promise<Entry[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .map((entry) => ({ name: entry.isDirectory() ? `${entry.name}/` : entry.name, isFolder: entry.isDirectory() }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function orMissing(error: unknown): undefined {
  if (!missing.has(codeOf(error))) throw error;
  return undefined;
}
