import { isUtf8 } from "node:buffer";
import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileNamed, indexName, isIndexPath, mirrorPathOf, sharersOf, standInFor, standInOf } from "./mirror-path.ts";

const { platform } = process;
/** Names of files that are remembered, of the folders that were looked into last. */
const maxNames = 500_000;
const maxFolders = 50_000;
/** Far more than pages are written before they are known as held. */
const maxOwners = 25_000;
// What has neither letters nor bytes outside ASCII is the same in every case.
const foldable = /[A-Za-z\x80-\xff]/;

function isIndexNames(names: string): boolean {
  return names === indexName || names.endsWith(`/${indexName}`);
}

/**
 * Whether names that differ in nothing but case are one file in a site's folder. Told by the crawler's own folder beside
 * it, so that nothing need be written.
 */
function foldsCase(root: string): boolean {
  const within = dirname(root);
  // Numbers of inodes would not do: some file systems make them up at each look.
  return isThere(join(within, ".TIDEMARK")) && !readdirSync(within).includes(".TIDEMARK");
}

type Kind = "none" | "folder" | "other" | "too-long";

function kindOf(file: string | Buffer): Kind {
  try {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return "none";
    return stat.isDirectory() ? "folder" : "other";
  } catch (error) {
    // Or below a file.
    return (error as NodeJS.ErrnoException).code === "ENAMETOOLONG" ? "too-long" : "none";
  }
}

function isThere(file: string | Buffer): boolean {
  const kind = kindOf(file);
  return kind === "folder" || kind === "other";
}

/**
 * Where the files of a site's pages are.
 *
 * `/a/`, `/a/index.html` and, where there is a folder `a`, `/a` have one name: `a/index.html`. The first that is kept has
 * it, and each other one the name that `standInOf` gives, for as long as that file is there. So which page has which
 * file is what is on the disk: of the pages that are held, all but one have a stand-in. A page whose name became that of a
 * folder is in the folder.
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
  /** Which page has an index file that was written last, by its stand-in's names. */
  #owners: Map<string, string> = new Map();
  #earlierOwners: Map<string, string> = new Map();

  /** @param root - the site's folder, beside the crawler's own */
  constructor(root: string) {
    this.#root = root;
    this.isFolding = foldsCase(root);
    this.#isWindows = platform === "win32" || (this.isFolding && platform !== "darwin");
  }

  /** Names that a page's file has unless they are taken. Looks at nothing. */
  wantedOf(path: string): string {
    return mirrorPathOf(path, this.#isWindows);
  }

  /**
   * Names of a held page's file, joined by `/`, one character a byte; also of one that is not there. A page that is not held
   * may have the name of another's file. Costs a look or two.
   */
  namesOf(path: string): string {
    const wanted = this.wantedOf(path);
    const own = this.#resolve(wanted);
    const kind = this.#kindOf(own);
    // The whole path cannot be a name.
    if (kind === "too-long") return standInFor(`page ${path}`);
    const isShared = isIndexPath(path);
    if (kind === "other" && !isShared) return own;
    const standIn = this.#standInOf(wanted, path);
    if (this.#kindOf(standIn) === "other") return standIn;
    if (kind !== "folder") return own;
    return isShared ? standIn : this.#resolve(`${wanted}/${indexName}`);
  }

  /**
   * Names that a page's file is to have; those of {@link namesOf} unless another page has that file.
   *
   * @param isHeld - whether a page is held
   */
  placeOf(path: string, isHeld: (path: string) => boolean): string {
    const names = this.namesOf(path);
    return this.isTaken(path, names, isHeld) ? this.#standInOf(this.wantedOf(path), path) : names;
  }

  /** Whether the file where a page would be is another page's. */
  isTaken(path: string, names: string, isHeld: (path: string) => boolean): boolean {
    if (!isIndexNames(names)) return false;
    const owner = this.#owners.get(names) ?? this.#earlierOwners.get(names);
    if (owner !== undefined) return owner !== this.#standInOf(this.wantedOf(path), path);
    if (this.#kindOf(names) !== "other") return false;
    return sharersOf(path).some((other) => isHeld(other) && this.namesOf(other) === names);
  }

  /** The stand-in of the page whose file has a name that a folder needs. */
  standInOfFile(names: string): string {
    return this.#resolve(standInOf(names, false));
  }

  /** Pages that have a stand-in because another one had the index file. */
  standingInFor(path: string, names: string): { readonly path: string; readonly names: string }[] {
    if (!isIndexNames(names)) return [];
    return sharersOf(path)
      .map((other) => ({ path: other, names: this.#standInOf(this.wantedOf(other), other) }))
      .filter((other) => this.#kindOf(other.names) === "other");
  }

  /** Notes which page has an index file: it may not be known as held for a while. */
  #noteOwner(names: string, standIn: string): void {
    if (this.#owners.size >= maxOwners) {
      this.#earlierOwners = this.#owners;
      this.#owners = new Map();
    }
    this.#owners.set(names, standIn);
  }

  fileOf(path: string): string | Buffer {
    return fileNamed(this.#root, this.namesOf(path));
  }

  /** Notes that a page's file was made, with the folders that it needs. */
  noteMade(path: string, names: string): void {
    if (isIndexNames(names)) this.#noteOwner(names, this.#standInOf(this.wantedOf(path), path));
    if (!this.isFolding) return;
    for (let slash = names.indexOf("/"); slash !== -1; slash = names.indexOf("/", slash + 1))
      this.#noteEntry(names.slice(0, slash));
    this.#noteEntry(names);
  }

  /** Notes that a page's file was moved into a folder that has its name now. */
  noteMoved(folder: string, names: string, standIn: string): void {
    this.noteRemoved(folder);
    this.#noteOwner(names, standIn);
    if (this.isFolding) this.#noteEntry(folder);
  }

  noteRemoved(names: string): void {
    this.#owners.delete(names);
    this.#earlierOwners.delete(names);
    if (!this.isFolding) return;
    const slash = names.lastIndexOf("/");
    this.#listings.get(names.slice(0, Math.max(0, slash)))?.delete(names.slice(slash + 1));
    this.#listings.delete(names);
    this.#folders.clear();
  }

  #kindOf(names: string): Kind {
    return kindOf(fileNamed(this.#root, names));
  }

  #standInOf(wanted: string, path: string): string {
    return this.#resolve(standInOf(wanted, path.endsWith("/")));
  }

  /** The names under which that is, or would be, where the file system folds case. */
  #resolve(names: string): string {
    if (!this.isFolding) return names;
    const slash = names.lastIndexOf("/");
    const within = slash === -1 ? "" : this.#findFolder(names.slice(0, slash));
    return this.#find(within, names.slice(slash + 1)).names;
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
