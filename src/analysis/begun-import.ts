import { accessSync, constants, lstatSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import { makeMissingFolder, removeTemporaries, SiteLock, writeDurably } from "../fs/index.ts";
import { anchorsFileOf, linksFileOf, namesFileOf, ownFilesOf, previousFolderOf, visitsFileOf } from "./graph-folder.ts";

/** Made before all other files of an import, and removed after all of them: what stands beside it is that import's. */
const markerOf = (folder: string): string => join(folder, ".tidemark-import");
const markerText =
  "An import of a graph into this folder has begun and has not ended. The next one replaces the files of the graph.\n";

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/**
 * Makes a graph in a folder. If that fails, what was written is removed; if it is killed, the next import does that.
 *
 * @param into - made if it is missing
 * @param inputs - files and folders that must be readable
 * @param write - writes the graph's files, last the one that it is given
 * @throws TidemarkError `bad-option` if there is a graph already, or a file that no import that was killed left; `locked` while another
 *   import makes one in the folder; `not-found`, `no-permission`, `disk-full`, and what `write` throws
 */
export async function importInto<T>(
  into: string,
  inputs: readonly string[],
  write: (target: string) => Promise<T>,
): Promise<T> {
  for (const input of inputs) checkReadable(input);
  await using _lock = await lockGraph(into);
  await begin(into);
  let made: T;
  try {
    made = await write(linksFileOf(into));
  } catch (error) {
    // What cannot be removed now stays marked, and is removed by the next import.
    await removeGraph(into)
      .then(() => rmSync(markerOf(into), { force: true }))
      .catch(() => undefined);
    throw error;
  }
  rmSync(markerOf(into), { force: true });
  return made;
}

/** A pipe is not opened to see whether it can be read: its writer would lose its reader. */
function checkReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw wrapSystemError(error, `read ${file}`, { file });
  }
}

/** The right to make a graph in a folder, which is made if it is missing. @returns undefined on a file system without links */
async function lockGraph(into: string): Promise<AsyncDisposable | undefined> {
  try {
    makeMissingFolder(into);
    return await SiteLock.takePublishing(into, new Date());
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw wrapSystemError(error, `make ${into}`, { folder: into });
    if (error.code !== "locked") throw error;
    const { hint = "Wait for it.", details } = error;
    throw new TidemarkError("locked", `Another import into ${into} is running.`, { hint, details, cause: error });
  }
}

async function begin(into: string): Promise<void> {
  try {
    if (isThere(linksFileOf(into)))
      throw new TidemarkError("bad-option", `There is a graph already in ${into}.`, {
        hint: "Name another folder, or remove this one.",
        details: { folder: into },
      });
    if (isThere(markerOf(into))) await removeGraph(into);
    else {
      const others = [namesFileOf(into), anchorsFileOf(into), visitsFileOf(into), previousFolderOf(into)];
      const other = others.find(isThere);
      if (other !== undefined)
        throw new TidemarkError("bad-option", `${other} is there already, and a graph would replace it.`, {
          hint: "Name another folder, or move it away.",
          details: { folder: into, path: other },
        });
      await writeDurably(markerOf(into), markerText, { mode: "user" });
    }
    await removeTemporaries(into);
  } catch (error) {
    throw wrapSystemError(error, `make a graph in ${into}`, { folder: into });
  }
}

/** Removes the files that an import writes, and nothing else. */
async function removeGraph(into: string): Promise<void> {
  for (const file of ownFilesOf(into)) rmSync(file, { force: true });
  const previous = previousFolderOf(into);
  await removeTemporaries(previous);
  try {
    rmdirSync(previous);
  } catch (error) {
    // It is not there, or holds files of others.
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
