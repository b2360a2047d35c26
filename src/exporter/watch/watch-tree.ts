import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path/posix";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { isDenial, joinLocation, toNodePath } from "../walk/folder-listing.ts";
import type { LinkRules } from "../walk/path-rules.ts";
import type { ServedNameRules } from "../walk/served-names.ts";
import type { QueueGauge, WatchCounts, WatchFolder } from "./system-watch.ts";
import type { DirtyFolders } from "./watch-round.ts";
import {
  type FoundEntry,
  type FoundLink,
  findEntry,
  findRoot,
  mayBePage,
  mayFollow,
  mayHaveMoved,
  mayHoldPages,
  mayTakeUrl,
  placeIn,
  readCtimeNs,
  type WatchedFolder,
} from "./watched-folder.ts";

export interface WatchTreeOptions {
  readonly docroot: string;
  readonly rules: LinkRules;
  readonly servedNames: ServedNameRules | undefined;
  readonly watchFolder: WatchFolder;
  readonly gauge: QueueGauge;
  readonly dirty: DirtyFolders;
  /** Is told after something was noted. */
  readonly onDirty: () => void;
  /** Is told when the root itself may be another or gone. */
  readonly onRootMoved: () => void;
}

/** Steps between which the event loop turns, so that events are taken while much is to do. */
const stepsASlice = 256;
/** Links that are looked at before each round; beyond, only a scan sees that one leads elsewhere. */
const maxLinks = 10_000;

/**
 * One watch a folder. What a watch says is a hint: the folder is looked at, and where a folder came, went
 * or may be another, its watch is made anew, and only when that stands all below it is noted as changed.
 * So what happens before a watch stands is looked at later, and what happens after it is told.
 */
export class WatchTree {
  readonly #options: WatchTreeOptions;
  readonly #links = new Set<FoundLink>();
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
  #working: Promise<void> | undefined;

  constructor(options: WatchTreeOptions) {
    this.#options = options;
  }

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
      this.#rootName = basename(found.realPath);
      const place = { path: "/", relative: "", name: "" };
      this.#root = this.#open({ place, location: found.location, identity: found.identity, linked: [] });
    } else if (this.#root.stop === undefined) this.#watch(this.#root);
    this.#list(this.#root, true);
    await this.#working;
    return found.identity;
  }

  /** Looks whether links lead where they led. */
  checkLinks(): void {
    for (const { folder, name, target } of [...this.#links])
      if (targetOf(findEntry(folder, name).entry) !== target) this.#examine(folder, name, true, false);
  }

  close(): void {
    if (this.#root !== undefined) this.#drop(this.#root);
    this.#root = undefined;
    this.#named.clear();
    this.#toList.length = 0;
  }

  #wake(): void {
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    for (let isLeft = true; isLeft; ) {
      await yieldToEventLoop();
      for (let step = 0; isLeft && step < stepsASlice; step++) isLeft = this.#step();
    }
    // At once, so that what is woken from here on begins anew.
    this.#working = undefined;
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
    const { rules, servedNames } = this.#options;
    if (mayBePage(rules, placeIn(folder, name, false)) || mayTakeUrl(folder, name, servedNames))
      this.#noteFolder(folder);
  }

  #name(folder: WatchedFolder, name: string, cameOrWent: boolean): void {
    const names = this.#named.get(folder) ?? new Map<string, boolean>();
    this.#named.set(folder, names.set(name, cameOrWent || names.get(name) === true));
    this.#wake();
  }

  #list(folder: WatchedFolder, isDeep: boolean): void {
    this.#toList.push({ folder, isDeep });
    this.#wake();
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
    const hadTarget = this.#forgetLink(folder, name);
    if (isLink && this.#links.size < maxLinks) {
      const link = { folder, name, target: targetOf(entry), stop: this.#watchTarget(folder, name, entry) };
      folder.links.set(name, link);
      this.#links.add(link);
    }
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
    const { rules } = this.#options;
    if (!mayHoldPages(rules, placeIn(folder, name, true))) return false;
    return realPath === undefined || mayFollow(folder, rules, this.#rootRealPath, realPath, true);
  }

  /** @returns where the link led, or undefined if none was known */
  #forgetLink(folder: WatchedFolder, name: string): string | undefined {
    const link = folder.links.get(name);
    if (link === undefined) return undefined;
    link.stop?.();
    folder.links.delete(name);
    this.#links.delete(link);
    return link.target;
  }

  // Never a file's own watch: who writes a new file and renames it leaves that behind.
  #watchTarget(folder: WatchedFolder, name: string, entry: FoundEntry | undefined): (() => void) | undefined {
    const { rules, watchFolder, gauge } = this.#options;
    if (entry?.kind !== "file" || entry.realPath === undefined) return undefined;
    if (!mayBePage(rules, placeIn(folder, name, false))) return undefined;
    if (!mayFollow(folder, rules, this.#rootRealPath, entry.realPath, false)) return undefined;
    const targetName = basename(entry.realPath);
    const onFailure = (error: NodeJS.ErrnoException): void => {
      this.#failure = error;
    };
    try {
      return watchFolder(Buffer.from(dirname(entry.realPath), "latin1"), {
        onEntry: (_, changed) => {
          gauge.count();
          if (!folder.isClosed && (changed === undefined || changed === targetName)) this.#noteFolder(folder);
        },
        onFailure,
      });
    } catch (error) {
      onFailure(error as NodeJS.ErrnoException);
      return undefined;
    }
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
      for (const name of [...folder.links.keys()]) this.#forgetLink(folder, name);
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

/** What a link leads to, to be compared; the empty string for nothing. */
function targetOf(entry: FoundEntry | undefined): string {
  return entry === undefined ? "" : `${entry.realPath} ${entry.identity}`;
}
