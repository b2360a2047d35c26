import { statSync } from "node:fs";
import { encodePathSegment } from "../format/index.ts";
import { type ExportEvent, TidemarkError, type WithholdRule, wrapSystemError } from "../model/index.ts";
import { FolderLister } from "./folder-lister.ts";
import { isDenial, joinLocation, type ListedEntry, type Location, resolveLocation } from "./folder-listing.ts";
import type { GlobFilter } from "./glob-filter.ts";
import { judgeTarget } from "./link-target.ts";
import { mediaTypeOfName } from "./media-types.ts";
import { judgeName } from "./name-rules.ts";
import { isPermitted, type ReaderIdentity } from "./reader-identity.ts";
import type { ScanBatch, ScanGap, ScannedFile } from "./scanned-file.ts";

/** What a walk needs to know. */
export interface WalkOptions {
  /** The document root. */
  readonly docroot: string;
  readonly globs: GlobFilter;
  readonly reader: ReaderIdentity;
  /** Rule of the composition for an encoded path: what we wrote ourselves, what robots.txt disallows. */
  readonly judgePath: (path: string) => WithholdRule | undefined;
  /** Files a batch; default 2048. */
  readonly batchSize?: number;
  /** Longest encoded path that is published; default 2048, what sitemaps and most crawlers accept. */
  readonly maxPathLength?: number;
  readonly onEvent: (event: ExportEvent) => void;
}

interface OpenFolder {
  readonly location: Location;
  /** Encoded path, with `/` at its end. */
  readonly path: string;
  /** Relative bytes, with `/` at its end unless it is the root. */
  readonly relative: string;
  /** Real paths of the folders that links led into on the way here. */
  readonly linked: readonly string[];
  readonly entries: readonly ListedEntry[];
  next: number;
}

/** How many links to folders may lie on one path: deployments nest two; more is a maze. */
const maxLinkedFolders = 4;

/**
 * A walk over a document root in path order. Memory is a batch, the folders on the way to it, and
 * the folders that were listed ahead.
 */
export class Walk implements AsyncDisposable {
  readonly #options: WalkOptions;
  readonly #rootRealPath: string;
  readonly #root: Location;
  readonly #rootInode: string | undefined;
  readonly #stack: OpenFolder[] = [];
  readonly #maxPathLength: number;
  readonly #lister: FolderLister;
  #gaps: ScanGap[] = [];
  #isBegun = false;

  /** @throws TidemarkError if there is no such root */
  constructor(options: WalkOptions) {
    this.#options = options;
    this.#maxPathLength = options.maxPathLength ?? 2048;
    try {
      this.#rootRealPath = resolveLocation(options.docroot);
      const bytes = Buffer.from(this.#rootRealPath, "latin1");
      const isAscii = bytes.toString("utf8") === this.#rootRealPath;
      this.#root = this.#rootRealPath === "/" ? "" : isAscii ? this.#rootRealPath : bytes;
      this.#rootInode = this.#findRootInode();
    } catch (error) {
      throw this.#wrap(error);
    }
    this.#lister = new FolderLister(this.#rootRealPath);
  }

  /**
   * Gives the next files, or undefined after the last.
   *
   * @throws TidemarkError if the root cannot be listed, or another folder took its place meanwhile: that is
   *   not an empty site
   */
  async next(): Promise<ScanBatch | undefined> {
    if (!this.#isBegun) await this.#begin();
    const size = this.#options.batchSize ?? 2048;
    const files: ScannedFile[] = [];
    while (files.length < size) {
      const folder = this.#stack.at(-1);
      if (folder === undefined) break;
      const entry = folder.entries[folder.next++];
      if (entry === undefined) this.#stack.pop();
      else if (entry.kind === "folder") await this.#visitFolder(folder, entry);
      else this.#visitFile(folder, entry, files);
      if (this.#stack.length === 0) this.#checkRoot();
    }
    const gaps = this.#gaps;
    this.#gaps = [];
    return files.length === 0 && gaps.length === 0 && this.#stack.length === 0 ? undefined : { files, gaps };
  }

  /** Ends the threads that list ahead. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lister[Symbol.asyncDispose]();
  }

  async #begin(): Promise<void> {
    this.#isBegun = true;
    try {
      await this.#open(this.#root, "/", "", []);
    } catch (error) {
      throw this.#wrap(error);
    }
  }

  #wrap(error: unknown): Error {
    return wrapSystemError(error, `read the document root ${this.#options.docroot}`, { path: this.#options.docroot });
  }

  #visitFile(folder: OpenFolder, entry: ListedEntry, files: ScannedFile[]): void {
    const { name, status } = entry;
    const path = folder.path + encodePathSegment(name);
    const rule = this.#judge(entry, path, folder.relative + name);
    if (rule !== undefined) this.#withhold(path, rule);
    else if (entry.kind === "failed")
      this.#gap([path, `${path}/`], entry.failure); // It may have been either.
    else if (entry.kind !== "file")
      return; // It vanished after it was listed: it is not there.
    else if (!isPermitted(status, this.#options.reader, 4)) this.#withhold(path, "unreadable");
    else {
      const { sizeBytes, mtimeUs, ctimeUs } = status;
      const location = joinLocation(folder.location, name);
      files.push({ path, location, sizeBytes, mtimeUs, ctimeUs, mediaType: mediaTypeOfName(name) });
    }
  }

  async #visitFolder(parent: OpenFolder, entry: ListedEntry): Promise<void> {
    const path = `${parent.path}${encodePathSegment(entry.name)}/`;
    const relative = parent.relative + entry.name;
    const rule = this.#judgeFolder(entry, path, relative);
    if (rule !== undefined) {
      this.#withhold(path, rule);
      return;
    }
    try {
      if (entry.realPath === undefined) {
        await this.#open(joinLocation(parent.location, entry.name), path, `${relative}/`, parent.linked);
        return;
      }
      const ownRealPath = resolveLocation(parent.location);
      const isAbove = ownRealPath === entry.realPath || ownRealPath.startsWith(`${entry.realPath}/`);
      if (isAbove || parent.linked.includes(entry.realPath) || parent.linked.length >= maxLinkedFolders) {
        this.#withhold(path, "link-loop");
        return;
      }
      await this.#open(joinLocation(parent.location, entry.name), path, `${relative}/`, [
        ...parent.linked,
        entry.realPath,
      ]);
    } catch (error) {
      const { code = "unknown", message } = error as NodeJS.ErrnoException;
      this.#gap([path], { code, message });
    }
  }

  #judgeFolder(entry: ListedEntry, path: string, relative: string): WithholdRule | undefined {
    return (
      this.#judge(entry, path, relative) ??
      (isPermitted(entry.status, this.#options.reader, 1) ? undefined : "unreadable")
    );
  }

  #judge(entry: ListedEntry, path: string, relative: string): WithholdRule | undefined {
    const { globs, judgePath } = this.#options;
    const isFolder = entry.kind === "folder";
    switch (entry.kind) {
      case "not-a-file":
      case "broken-link":
      case "link-loop":
      case "outside-root":
      case "unreadable":
        return entry.kind;
    }
    const own = judgePath(path);
    if (own === "own-output") return own;
    const named = judgeName(entry.name, isFolder);
    if (named !== undefined && !(named === "hidden" && globs.namesHidden(relative))) return named;
    if (path.length > this.#maxPathLength) return "name-too-long";
    const chosen = isFolder ? globs.judgeFolder(relative) : (globs.judgeFile(relative) ?? own);
    return (
      chosen ??
      (entry.realPath === undefined
        ? undefined
        : judgeTarget(this.#options, this.#rootRealPath, entry.realPath, isFolder))
    );
  }

  async #open(location: Location, path: string, relative: string, linked: readonly string[]): Promise<void> {
    const entries = await this.#lister.list(path, location);
    this.#stack.push({ location, path, relative, linked, entries, next: 0 });
    const ahead: { key: string; location: Location }[] = [];
    for (const entry of entries) {
      if (entry.kind !== "folder" || entry.realPath !== undefined) continue;
      const key = `${path}${encodePathSegment(entry.name)}/`;
      if (this.#judgeFolder(entry, key, relative + entry.name) !== undefined) continue;
      ahead.push({ key, location: joinLocation(location, entry.name) });
    }
    this.#lister.expect(ahead);
  }

  #withhold(path: string, rule: WithholdRule): void {
    this.#options.onEvent({ event: "withheld", path, rule });
  }

  #gap(
    paths: readonly [string, ...string[]],
    failure: { readonly code: string; readonly message: string } | undefined,
  ): void {
    const [path] = paths;
    const { code = "unknown", message = "it could not be read" } = failure ?? {};
    if (code === "ENOENT" || code === "ENOTDIR") return;
    if (isDenial(code)) {
      this.#withhold(path, "unreadable");
      return;
    }
    this.#gaps.push(...paths.map((covered) => ({ path: covered })));
    this.#options.onEvent({
      event: "item-error",
      code,
      message: `${message}; what was published there stays as it was`,
      path,
    });
  }

  #findRootInode(): string | undefined {
    const status = statSync(Buffer.from(this.#rootRealPath, "latin1"), { throwIfNoEntry: false });
    return status === undefined ? undefined : `${status.dev} ${status.ino}`;
  }

  // Of a root that is unmounted or swapped on the way, the rest would look deleted.
  #checkRoot(): void {
    if (this.#findRootInode() === this.#rootInode) return;
    throw new TidemarkError(
      "not-found",
      `The document root ${this.#options.docroot} was removed or replaced while it was read: nothing was changed.`,
      { hint: "Run the export again when the folder is in place." },
    );
  }
}
