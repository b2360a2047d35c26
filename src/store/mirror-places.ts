import { isUtf8 } from "node:buffer";
import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileNamed, mirrorPathOf, standInFor } from "./mirror-path.ts";

const { platform } = process;
/** Names of files that are remembered, of the folders that were looked into last. */
const maxNames = 500_000;
const maxFolders = 50_000;
// What has neither letters nor bytes outside ASCII is the same in every case.
const foldable = /[A-Za-z\x80-\xff]/;

/**
 * Whether names that differ in nothing but case are one file in a site's folder. Told by the crawler's own folder beside
 * it, so that nothing need be written.
 */
function foldsCase(root: string): boolean {
  const within = dirname(root);
  // Numbers of inodes would not do: some file systems make them up at each look.
  return isThere(join(within, ".TIDEMARK")) && !readdirSync(within).includes(".TIDEMARK");
}

function isThere(file: string | Buffer): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A name that is too long, or below a file.
    return false;
  }
}

/**
 * Where the files of a site's pages are.
 *
 * Where the file system folds case, a name whose place is taken by another one stands as `~tidemark-` and a part of its
 * SHA-256 for as long as that file is there: so which of two twins has the name is what is on the disk, and nothing need
 * be remembered. This costs two or three looks a page, there only, and once for a folder a list of what is in it.
 */
export class MirrorPlaces {
  readonly #root: string;
  /** Whether names that differ in nothing but case are one file. */
  readonly isFolding: boolean;
  /** Whether names are those that Windows takes: what folds case is made for it, but on a Mac. */
  readonly #isWindows: boolean;
  /** Folders that are there, by the names that they should have. */
  readonly #folders: Map<string, string> = new Map();
  /** What is in folders, by their true names. */
  readonly #listings: Map<string, Set<string>> = new Map();
  #listedNames = 0;

  /** @param root - the site's folder, beside the crawler's own */
  constructor(root: string) {
    this.#root = root;
    this.isFolding = foldsCase(root);
    this.#isWindows = platform === "win32" || (this.isFolding && platform !== "darwin");
  }

  /** Names of a page's file, joined by `/`, one character a byte; it may be there or not. */
  namesOf(path: string): string {
    const names = mirrorPathOf(path, this.#isWindows);
    if (!this.isFolding) return names;
    const slash = names.lastIndexOf("/");
    const within = slash === -1 ? "" : this.#findFolder(names.slice(0, slash));
    return this.#find(within, names.slice(slash + 1)).names;
  }

  /** The file of a page. */
  fileOf(path: string): string | Buffer {
    return fileNamed(this.#root, this.namesOf(path));
  }

  /** Notes that a file was made, with the folders that it needs. */
  noteMade(names: string): void {
    if (!this.isFolding) return;
    for (let slash = names.indexOf("/"); slash !== -1; slash = names.indexOf("/", slash + 1))
      this.#noteEntry(names.slice(0, slash));
    this.#noteEntry(names);
  }

  /** Notes that a file or an empty folder was removed. */
  noteRemoved(names: string): void {
    if (!this.isFolding) return;
    const slash = names.lastIndexOf("/");
    this.#listings.get(names.slice(0, Math.max(0, slash)))?.delete(names.slice(slash + 1));
    this.#listings.delete(names);
    this.#folders.clear();
  }

  #noteEntry(names: string): void {
    const slash = names.lastIndexOf("/");
    this.#listings.get(names.slice(0, Math.max(0, slash)))?.add(names.slice(slash + 1));
  }

  #findFolder(wanted: string): string {
    const known = this.#folders.get(wanted);
    if (known !== undefined) return known;
    const slash = wanted.lastIndexOf("/");
    const within = slash === -1 ? "" : this.#findFolder(wanted.slice(0, slash));
    const { names, isFound } = this.#find(within, wanted.slice(slash + 1));
    if (!isFound) return names;
    if (this.#folders.size >= maxFolders) this.#folders.clear();
    this.#folders.set(wanted, names);
    return names;
  }

  #find(within: string, name: string): { readonly names: string; readonly isFound: boolean } {
    const prefix = within === "" ? "" : `${within}/`;
    const own = prefix + name;
    if (!foldable.test(name)) return { names: own, isFound: isThere(fileNamed(this.#root, own)) };
    const other = prefix + standInFor(`twin ${name}`);
    // Where names are folded they are texts.
    if (!isUtf8(Buffer.from(name, "latin1"))) return { names: other, isFound: isThere(fileNamed(this.#root, other)) };
    if (isThere(fileNamed(this.#root, other))) return { names: other, isFound: true };
    if (!isThere(fileNamed(this.#root, own))) return { names: own, isFound: false };
    return this.#list(within).has(name) ? { names: own, isFound: true } : { names: other, isFound: false };
  }

  #list(within: string): ReadonlySet<string> {
    const known = this.#listings.get(within);
    if (known !== undefined) return known;
    const found = readdirSync(fileNamed(this.#root, within), { encoding: "buffer" });
    const names = new Set(found.map((name) => name.toString("latin1")));
    this.#listedNames += names.size;
    if (this.#listedNames > maxNames) {
      this.#listings.clear();
      this.#listedNames = names.size;
    }
    this.#listings.set(within, names);
    return names;
  }
}
