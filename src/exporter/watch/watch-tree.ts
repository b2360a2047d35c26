import { readdirSync } from "node:fs";
import { basename } from "node:path/posix";
import { isDenial, joinLocation, toNodePath } from "../walk/folder-listing.ts";
import type { DirtyFolders } from "./dirty-folders.ts";
import type { WatchFolder } from "./folder-watch.ts";
import { LinkWatches, targetOf } from "./link-watches.ts";
import type { QueueGauge } from "./queue-gauge.ts";
import { SlicedWork } from "./sliced-work.ts";
import type { WatchCounts } from "./watch-limit.ts";
import { mayBeLinked, mayBePage, mayHoldPages, type WatchRules } from "./watch-rules.ts";
import {
  type FoundEntry,
  findEntry,
  findRoot,
  mayFollow,
  mayHaveMoved,
  placeIn,
  readCtimeNs,
  type WatchedFolder,
} from "./watched-folder.ts";

/** What a tree of watches needs to know. */
export interface WatchTreeOptions {
  readonly docroot: string;
  readonly rules: WatchRules;
  readonly watchFolder: WatchFolder;
  readonly gauge: QueueGauge;
  /** Where changes are noted. */
  readonly dirty: DirtyFolders;
  /** Is told after something was noted. */
  readonly onDirty: () => void;
  /** Is told when the root itself may be another or gone. */
  readonly onRootMoved: () => void;
}

const stepsASlice = 256;

/**
 * One watch a folder. What a watch says is a hint: the folder is looked at, and where a folder came, went
 * or may be another, its watch is made anew, and only when that stands all below it is noted as changed.
 * So what happens before a watch stands is looked at later, and what happens after it is told.
 */
export class WatchTree {
  readonly #options: WatchTreeOptions;
  readonly #work: SlicedWork;
  readonly #links: LinkWatches;
  /** Names to look at, with whether the entry came or went. */
  readonly #named = new Map<WatchedFolder, Map<string, boolean>>();
  /** Folders to list; the whole tree below if `isDeep`. */
  readonly #toList: { readonly folder: WatchedFolder; readonly isDeep: boolean }[] = [];
  #root: WatchedFolder | undefined;
  #rootRealPath = "";
  #rootName = "";
  #folders = 0;
  #watched = 0;
  #failure: NodeJS.ErrnoException | undefined;

  constructor(options: WatchTreeOptions) {
    this.#options = options;
    this.#links = new LinkWatches({
      ...options,
      onTarget: (folder) => this.#noteFolder(folder),
      onFailure: (error) => {
        this.#failure = error;
      },
    });
    this.#work = new SlicedWork(() => this.#step(), stepsASlice);
  }

  /** How many folders there are to watch and how many are. */
  get counts(): WatchCounts {
    return { folders: this.#folders, watched: this.#watched };
  }

  /** Why a folder has no watch that should have one; undefined if all have. What may not be read needs none. */
  get failure(): NodeJS.ErrnoException | undefined {
    return this.#failure;
  }

  /**
   * Goes through the whole tree and watches what is not watched. Resolves when the watches stand. Cost: a
   * listing of each folder, a status of each subfolder.
   *
   * @param keep - whether watches that stand are kept; they are not to be trusted when events were lost
   * @returns the root's identity, or undefined if there is no such folder
   */
  async establish(keep: boolean): Promise<string | undefined> {
    const found = findRoot(this.#options.docroot);
    if (!keep || found === undefined || found.identity !== this.#root?.identity) this.close();
    this.#failure = undefined;
    if (found === undefined) return undefined;
    if (this.#root === undefined) {
      this.#rootRealPath = found.realPath;
      this.#links.rootRealPath = found.realPath;
      this.#rootName = basename(found.realPath);
      const place = { path: "/", relative: "", name: "" };
      this.#root = this.#open({ place, location: found.location, identity: found.identity, linked: [] });
    } else if (this.#root.stop === undefined) this.#watch(this.#root);
    this.#list(this.#root, true);
    await this.#work.whenIdle();
    return found.identity;
  }

  /** Looks whether links lead where they led. */
  checkLinks(): void {
    for (const { folder, name, target } of this.#links.all())
      if (targetOf(findEntry(folder, name).entry) !== target) this.#examine(folder, name, true, false);
  }

  /** Ends all watches. */
  close(): void {
    if (this.#root !== undefined) this.#drop(this.#root);
    this.#root = undefined;
    this.#named.clear();
    this.#toList.length = 0;
  }

  /** Ends all watches for good. */
  stop(): void {
    this.close();
    this.#work.stop();
  }

  #step(): boolean {
    for (const [folder, names] of this.#named) {
      this.#named.delete(folder);
      if (folder.isClosed) return true;
      const hasMoved = mayHaveMoved(folder);
      for (const [name, cameOrWent] of names) this.#examine(folder, name, cameOrWent && hasMoved, false);
      return true;
    }
    const next = this.#toList.pop();
    if (next === undefined) return false;
    if (!next.folder.isClosed) this.#examineAll(next.folder, next.isDeep);
    return true;
  }

  #onEntry(folder: WatchedFolder, kind: "rename" | "change", name: string | undefined): void {
    this.#options.gauge.count();
    if (folder.isClosed) return;
    if (name === undefined) {
      this.#noteTree(folder);
      this.#list(folder, true);
      return;
    }
    if (folder === this.#root && name === this.#rootName) this.#options.onRootMoved();
    const isFolder = folder.children.has(name);
    if (kind === "rename" || isFolder || folder.links.has(name)) this.#name(folder, name, kind === "rename");
    // It is looked at first: perhaps only its times were set.
    if (isFolder) return;
    if (mayBePage(this.#options.rules, placeIn(folder, name, false))) this.#noteFolder(folder);
  }

  #name(folder: WatchedFolder, name: string, cameOrWent: boolean): void {
    const names = this.#named.get(folder) ?? new Map<string, boolean>();
    this.#named.set(folder, names.set(name, cameOrWent || names.get(name) === true));
    this.#work.wake();
  }

  #list(folder: WatchedFolder, isDeep: boolean): void {
    this.#toList.push({ folder, isDeep });
    this.#work.wake();
  }

  #examineAll(folder: WatchedFolder, isDeep: boolean): void {
    const present = new Set<string>();
    try {
      const entries = readdirSync(toNodePath(folder.location), { withFileTypes: true, encoding: "latin1" as "utf8" });
      for (const entry of entries) if (entry.isDirectory() || entry.isSymbolicLink()) present.add(entry.name);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      // The folder that holds it tells that it is gone.
      if (code !== "ENOENT" && code !== "ENOTDIR" && !isDenial(code)) this.#failure = error as NodeJS.ErrnoException;
      return;
    }
    for (const name of [...folder.children.keys(), ...folder.links.keys()])
      if (!present.has(name)) this.#examine(folder, name, true, false);
    for (const name of present) this.#examine(folder, name, false, isDeep);
  }

  #examine(folder: WatchedFolder, name: string, cameOrWent: boolean, isDeep: boolean): void {
    const { entry, isLink } = findEntry(folder, name);
    const old = folder.children.get(name);
    const hadTarget = this.#links.forget(folder, name);
    if (isLink) this.#links.note(folder, name, entry);
    if (hadTarget !== undefined && hadTarget !== targetOf(entry)) this.#noteFolder(folder);
    const isWatchable = entry?.kind === "folder" && this.#mayEnter(folder, name, entry);
    if (old !== undefined && isWatchable && !cameOrWent && old.identity === entry.identity) {
      if (old.stop === undefined && this.#watch(old)) this.#noteTree(old);
      if (isDeep) this.#list(old, true);
      return;
    }
    if (old !== undefined) {
      this.#drop(old);
      folder.children.delete(name);
    }
    if (isWatchable) {
      const { identity, realPath } = entry;
      const linked = realPath === undefined ? folder.linked : [...folder.linked, realPath];
      const place = placeIn(folder, name, true);
      const opened = this.#open({ place, location: joinLocation(folder.location, name), identity, linked });
      folder.children.set(name, opened);
      this.#list(opened, true);
      this.#noteFolder(folder);
      this.#noteTree(opened);
    } else if (old !== undefined) {
      this.#noteFolder(folder);
      this.#noteTree(old);
    }
  }

  #mayEnter(folder: WatchedFolder, name: string, { realPath }: FoundEntry): boolean {
    if (!mayHoldPages(this.#options.rules, placeIn(folder, name, true))) return false;
    if (realPath === undefined) return true;
    const root = this.#rootRealPath;
    return mayFollow(folder, root, realPath) && mayBeLinked(this.#options.rules, root, realPath, true);
  }

  #open(facts: Pick<WatchedFolder, "place" | "location" | "identity" | "linked">): WatchedFolder {
    const ctimeNs = readCtimeNs(facts.location);
    const folder = { ...facts, children: new Map(), links: new Map(), ctimeNs, stop: undefined, isClosed: false };
    this.#folders += 1;
    this.#watch(folder);
    return folder;
  }

  #watch(folder: WatchedFolder): boolean {
    try {
      const stop = this.#options.watchFolder(folder.location, {
        onEntry: (kind, name) => this.#onEntry(folder, kind, name),
        onFailure: (error) => {
          if (folder.isClosed || folder.stop === undefined) return;
          this.#unwatch(folder);
          this.#failure = error;
          this.#noteTree(folder);
        },
      });
      folder.stop = stop;
      this.#watched += 1;
      return true;
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      // What may not be read is not published; what is gone, its parent's watch tells.
      if (isDenial(code) || code === "ENOENT" || code === "ENOTDIR") return false;
      this.#failure = error as NodeJS.ErrnoException;
      return false;
    }
  }

  #unwatch(folder: WatchedFolder): void {
    if (folder.stop === undefined) return;
    folder.stop();
    folder.stop = undefined;
    this.#watched -= 1;
  }

  #drop(top: WatchedFolder): void {
    const stack = [top];
    for (let folder = stack.pop(); folder !== undefined; folder = stack.pop()) {
      folder.isClosed = true;
      this.#unwatch(folder);
      this.#folders -= 1;
      this.#named.delete(folder);
      for (const name of [...folder.links.keys()]) this.#links.forget(folder, name);
      stack.push(...folder.children.values());
    }
  }

  #noteFolder({ place }: WatchedFolder): void {
    this.#options.dirty.markFolder(place.path);
    this.#options.onDirty();
  }

  #noteTree({ place }: WatchedFolder): void {
    this.#options.dirty.markTree(place.path);
    this.#options.onDirty();
  }
}
