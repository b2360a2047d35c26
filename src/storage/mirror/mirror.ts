import { lstatSync, mkdirSync, readFileSync, renameSync, rmdirSync, unlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { type HeldBody, ok, type Page, problem, type Result, wrapSystemError } from "../../core/index.ts";
import { BodyFile, DurableFolder, type GroupSync } from "../../fs/index.ts";
import { digestFile } from "./file-digest.ts";
import { doFileTask, type FileTask, type FileThread } from "./file-thread.ts";
import { fileNamed, indexName, isIndexPath } from "./mirror-path.ts";
import { MirrorPlaces } from "./mirror-places.ts";

const maxKnownFolders = 50_000;
/** A thread is started after so many bodies. */
const keptWithoutThread = 200;

// A folder has the name of a page's file, or a file that of a folder.
const blocked: ReadonlySet<unknown> = new Set(["EISDIR", "ENOTDIR", "EEXIST", "ENOTEMPTY"]);
// Or the name is too long for the file system, or has bytes that it does not take.
const noPlace: ReadonlySet<unknown> = new Set([...blocked, "ENAMETOOLONG", "EINVAL", "EILSEQ"]);
const maxAttempts = 3;

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code;
}

function folderOf(names: string): string {
  return names.slice(0, Math.max(0, names.lastIndexOf("/")));
}

export interface SharedMeans {
  readonly sync: GroupSync;
  /** The thread, begun if there is none. */
  readonly thread: () => FileThread;
}

/** Bodies of one site, a file each, in folders as on the site. */
export class Mirror {
  /** So that the thread has the next body when it has made a file. */
  readonly keepsAtOnce: number = 4;
  readonly #root: string;
  readonly #temporary: string;
  readonly #durable: DurableFolder;
  readonly #places: MirrorPlaces;
  /** Folders below the root that are known to be there. */
  readonly #known: Set<string> = new Set();
  /** Folders that were made in this run: what lies in them was kept in it. */
  readonly #made: Set<string> = new Set();
  readonly #isHeld: (path: string) => boolean;
  readonly #shared: SharedMeans;
  /** Whether a page was kept in this run under another name than it wants. */
  #hasStandIns = false;
  #temporaries = 0;
  #kept = 0;
  #thread: FileThread | undefined;

  /**
   * @param root - the site's folder; made if it is not there
   * @param temporary - folder of its own for files that are not yet whole, on the same file system
   * @param isHeld - whether a page of the site is held, as far as that is known
   * @param shared - what the mirrors of several sites use together
   */
  constructor(root: string, temporary: string, isHeld: (path: string) => boolean, shared: SharedMeans) {
    this.#root = root;
    this.#isHeld = isHeld;
    this.#temporary = temporary;
    this.#shared = shared;
    this.#durable = new DurableFolder(root, shared.sync);
    mkdirSync(root, { recursive: true });
    this.#places = new MirrorPlaces(root);
  }

  adopt(page: Page): HeldBody | undefined {
    const names = this.#placeOf(page.path);
    if (this.#made.has(folderOf(names))) return undefined;
    const file = this.#fileOf(names);
    try {
      const stat = lstatSync(file, { throwIfNoEntry: false });
      if (stat === undefined || !stat.isFile()) return undefined;
      if (page.sizeBytes !== undefined && stat.size !== page.sizeBytes) return undefined;
      const hasTime = Math.floor(stat.mtimeMs / 1000) === page.lastModified;
      if (page.digest === undefined && !hasTime) return undefined;
      const digest = digestFile(file);
      if (page.digest !== undefined && page.digest !== digest) return undefined;
      if (!hasTime) utimesSync(file, page.lastModified, page.lastModified);
      this.#durable.note(file);
      this.#places.noteMade(page.path, names);
      return { sizeBytes: stat.size, digest };
    } catch {
      // What cannot be read is fetched.
      return undefined;
    }
  }

  /** Whether the body of a page seems to be the one that is remembered: by size and time, without reading it. */
  holds({ path, sizeBytes, lastModified }: Page & HeldBody): boolean {
    try {
      const stat = lstatSync(this.#places.fileOf(path));
      return stat.isFile() && stat.size === sizeBytes && Math.floor(stat.mtimeMs / 1000) === lastModified;
    } catch {
      return false;
    }
  }

  mayHold(path: string): boolean {
    try {
      const names = this.#places.namesOf(path);
      return lstatSync(this.#fileOf(names)).isFile() && !this.#places.isTaken(path, names, this.#isHeld);
    } catch {
      return false;
    }
  }

  read(path: string, maxBytes: number): Uint8Array | undefined {
    try {
      const file = this.#places.fileOf(path);
      const stat = lstatSync(file);
      return stat.isFile() && stat.size <= maxBytes ? readFileSync(file) : undefined;
    } catch {
      return undefined;
    }
  }

  open(): BodyFile {
    return new BodyFile(this.#newTemporary());
  }

  /** Tasks are done in the order of the calls: of two bodies of a page, or a body and a removal, the last one holds. */
  async keep(page: Page, body: Uint8Array | BodyFile): Promise<Result<undefined>> {
    const isFile = body instanceof BodyFile;
    const temporary = isFile ? body.file : this.#newTemporary();
    if (isFile) body.close();
    this.#beginThreadIfWorth();
    const content = isFile ? undefined : body;
    for (let attempt = 1; ; attempt++) {
      let names = this.#placeOf(page.path);
      let target = this.#fileOf(names);
      try {
        if (this.#makeFolder(names)) {
          // It may be the very name to which a page was moved that was in the way.
          names = this.#placeOf(page.path);
          target = this.#fileOf(names);
        }
        // Until the file is there, the next page must know whose it is.
        this.#places.noteMade(page.path, names);
        const pending = this.#perform({ kind: "place", target, temporary, content, modifiedAt: page.lastModified });
        if (pending !== undefined) await pending;
        this.#durable.note(target);
        return ok(undefined);
      } catch (error) {
        this.#places.noteRemoved(names);
        // Its name became a folder's meanwhile.
        if (attempt < maxAttempts && blocked.has(codeOf(error))) continue;
        this.#removeFile(temporary);
        if (noPlace.has(codeOf(error)))
          return problem("mirror-collision", `there is no place for it in the mirror: ${(error as Error).message}`);
        throw wrapSystemError(error, `write ${target.toString()}`, { file: target.toString() });
      }
    }
  }

  async remove(path: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const names = this.#places.namesOf(path);
      if (this.#places.isTaken(path, names, this.#isHeld)) return;
      const file = this.#fileOf(names);
      try {
        const pending = this.#perform({ kind: "remove", target: file });
        if (pending !== undefined) await pending;
      } catch (error) {
        const code = codeOf(error);
        if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG") return;
        const isFolder =
          code === "EISDIR" || (code === "EPERM" && lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true);
        if (isFolder && attempt < maxAttempts) continue;
        if (isFolder) return;
        throw wrapSystemError(error, `remove ${file.toString()}`, { file: file.toString() });
      }
      this.#places.noteRemoved(names);
      this.#durable.note(file);
      await this.#passOn(path, names);
      this.#removeEmptyFolders(names);
      return;
    }
  }

  /** Gives the name of the index file, which a page had until now, to a page that has a stand-in. */
  async #passOn(path: string, names: string): Promise<void> {
    for (const other of this.#places.standingInFor(path, names)) {
      const temporary = this.#fileOf(other.names);
      // What is not ASCII stays where it is: serving knows it there.
      if (typeof temporary !== "string") continue;
      const modifiedAt = Math.floor(lstatSync(temporary).mtimeMs / 1000);
      const target = this.#fileOf(names);
      const pending = this.#perform({ kind: "place", target, temporary, content: undefined, modifiedAt });
      if (pending !== undefined) await pending;
      this.#places.noteRemoved(other.names);
      this.#places.noteMade(other.path, names);
      this.#durable.note(target);
      return;
    }
  }

  flush(): Promise<void> {
    return this.#durable.flush();
  }

  // In a folder that was made in this run a page has the name that it wants: nothing else is there but what was kept since.
  #placeOf(path: string): string {
    const wanted = this.#places.wantedOf(path);
    const isFresh = this.#made.has(folderOf(wanted)) && !this.#known.has(wanted) && !isIndexPath(path);
    if (isFresh && !this.#hasStandIns && !this.#places.isFolding) return wanted;
    const names = this.#places.placeOf(path, this.#isHeld);
    if (names !== wanted) this.#hasStandIns = true;
    return names;
  }

  // A thread costs more than it saves where few pages are kept; and where names fold, what is on the disk decides over the next one.
  #beginThreadIfWorth(): void {
    if (++this.#kept > keptWithoutThread && !this.#places.isFolding) this.#thread ??= this.#shared.thread();
  }

  /** Does a task at once or, if there is a thread, after the tasks that it has. */
  #perform(task: FileTask): Promise<void> | undefined {
    if (this.#thread !== undefined) return this.#performBeside(this.#thread, task);
    doFileTask(task);
    return undefined;
  }

  async #performBeside(thread: FileThread, task: FileTask): Promise<void> {
    if (!(await thread.attempt(task))) doFileTask(task);
  }

  #newTemporary(): string {
    return join(this.#temporary, `body-${this.#temporaries++}`);
  }

  #fileOf(names: string): string | Buffer {
    return fileNamed(this.#root, names);
  }

  /** @returns whether a page's file was moved out of the way */
  #makeFolder(names: string): boolean {
    const folder = folderOf(names);
    if (folder === "" || this.#known.has(folder)) return false;
    let hasMoved = false;
    for (let attempt = 1; ; attempt++) {
      try {
        if (mkdirSync(this.#fileOf(folder), { recursive: true }) !== undefined) this.#made.add(folder);
        break;
      } catch (error) {
        if (attempt === maxAttempts || !blocked.has(codeOf(error)) || !this.#makeWay(folder)) throw error;
        hasMoved = true;
      }
    }
    if (this.#known.size >= maxKnownFolders) {
      this.#known.clear();
      this.#made.clear();
    }
    this.#known.add(folder);
    return hasMoved;
  }

  /**
   * Moves a page whose file has the name of a folder into that folder. At each moment the file is where `MirrorPlaces` looks
   * for it.
   */
  #makeWay(folder: string): boolean {
    for (let end = folder.indexOf("/"); ; end = folder.indexOf("/", end + 1)) {
      const names = end === -1 ? folder : folder.slice(0, end);
      const stat = lstatSync(this.#fileOf(names), { throwIfNoEntry: false });
      if (stat?.isFile() === true) {
        const standIn = this.#places.standInOfFile(names);
        const inside = `${names}/${indexName}`;
        renameSync(this.#fileOf(names), this.#fileOf(standIn));
        mkdirSync(this.#fileOf(names));
        renameSync(this.#fileOf(standIn), this.#fileOf(inside));
        for (const moved of [names, standIn, inside]) this.#durable.note(this.#fileOf(moved));
        this.#places.noteMoved(names, inside, standIn);
        return true;
      }
      if (end === -1) return false;
    }
  }

  #removeFile(file: string): void {
    try {
      unlinkSync(file);
    } catch {
      // The folder of temporary files is emptied at the next start.
    }
  }

  #removeEmptyFolders(names: string): void {
    for (let slash = names.lastIndexOf("/"); slash > 0; slash = names.lastIndexOf("/", slash - 1)) {
      const folder = names.slice(0, slash);
      try {
        rmdirSync(this.#fileOf(folder));
      } catch {
        // It is not empty.
        return;
      }
      this.#places.noteRemoved(folder);
      this.#known.delete(folder);
      this.#made.delete(folder);
    }
  }
}
