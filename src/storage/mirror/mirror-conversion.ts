import { execFileSync } from "node:child_process";
import { closeSync, type Dirent, fsyncSync, lstatSync, openSync, readdirSync, renameSync } from "node:fs";
import { fileNamed, indexFolder, indexName, standInOf } from "./mirror-path.ts";

/** What earlier versions called the file of a path that ends with a slash. */
const earlierIndexName = "~tidemark-index";

function* listFolders(
  root: string,
): Generator<{ readonly within: string; readonly entries: readonly Dirent<Buffer>[] }> {
  for (const folders = [""]; ; ) {
    const within = folders.pop();
    if (within === undefined) return;
    const entries = readdirSync(fileNamed(root, within), { encoding: "buffer", withFileTypes: true });
    yield { within, entries };
    for (const entry of entries)
      if (entry.isDirectory()) {
        const name = entry.name.toString("latin1");
        folders.push(`${within}${name === indexName ? indexFolder : name}/`);
      }
  }
}

function isThere(file: string | Buffer): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function makeDurable(root: string): void {
  try {
    execFileSync("sync", ["-f", root], { stdio: "ignore" });
  } catch {
    for (const { within } of listFolders(root)) {
      const fd = openSync(fileNamed(root, within), "r");
      try {
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
    }
  }
}

/**
 * Gives the files of a mirror that an earlier version made their names of today. May be stopped at any moment and run
 * again; done and durable when it returns. Memory is that of the largest folder's list.
 *
 * @param root - the site's folder; it need not be there
 * @returns how many files were renamed
 */
export function convertMirror(root: string): number {
  if (!isThere(root)) return 0;
  let renamed = 0;
  for (const { within, entries } of listFolders(root)) {
    const nameOf = (entry: Dirent<Buffer>): string => within + entry.name.toString("latin1");
    const rename = (from: string, to: string): void => renameSync(fileNamed(root, from), fileNamed(root, to));
    const index = within + indexName;
    const found = entries.find((entry) => nameOf(entry) === index);
    if (found?.isDirectory() === true) {
      rename(index, within + indexFolder);
      renamed++;
    }
    for (const entry of entries) {
      if (nameOf(entry) !== within + earlierIndexName || !entry.isFile()) continue;
      // That of `/a/index.html`.
      const isTaken = found !== undefined && !found.isDirectory();
      rename(nameOf(entry), isTaken ? standInOf(index, true) : index);
      renamed++;
    }
  }
  // Also after a run that was killed before this.
  makeDurable(root);
  return renamed;
}
