import { statSync } from "node:fs";
import { TidemarkError, type WithholdRule, withholdRules, wrapSystemError } from "../../core/index.ts";
import { decodePathSegment } from "../../formats/url/index.ts";
import { FileSystems } from "./file-systems.ts";
import { FolderLinkJudge } from "./folder-links.ts";
import { FolderLister } from "./folder-lister.ts";
import {
  type EntryFailure,
  type EntryKind,
  entryKinds,
  type FolderListing,
  isDenial,
  isLinkLoop,
  joinLocation,
  type Location,
  listFolder,
  locateRoot,
  numbersAnEntry,
  resolveLocation,
  statusAt,
} from "./folder-listing.ts";
import { isLetOut, judgeTarget, type LinkRules } from "./path-rules.ts";
import { isPermitted } from "./reader-identity.ts";
import {
  type FolderLook,
  type FolderPlace,
  FoundFile,
  maxPublishedPath,
  type OpenFolder,
  ownSegmentAt,
  type ScanBatch,
  type ScanGap,
  type ScannedFile,
} from "./scanned-file.ts";
import { nameAsServed } from "./served-names.ts";
import type { WalkOptions } from "./walk-options.ts";

const [fileKind, folderKind] = [entryKinds.indexOf("file"), entryKinds.indexOf("folder")];

/** Collisions that are told one by one; a site may have them everywhere. */
const maxToldCollisions = 20;

function kindAt({ listing }: OpenFolder, at: number): EntryKind {
  return entryKinds[listing.kinds[at] ?? 0] ?? "failed";
}

function ownNameAt({ listing }: OpenFolder, at: number): string {
  return decodePathSegment(ownSegmentAt(listing, at));
}

/**
 * A walk over a document root in path order. Memory is a batch, the folders on the way to it, and
 * the folders that were listed ahead.
 */
export class Walk implements AsyncDisposable {
  readonly #options: WalkOptions;
  readonly #linkRules: LinkRules;
  readonly #rootRealPath: string;
  readonly #root: Location;
  readonly #rootInode: string | undefined;
  readonly #stack: OpenFolder[] = [];
  readonly #lister: FolderLister;
  readonly #folderLinks: FolderLinkJudge;
  readonly #fileSystems: FileSystems = new FileSystems();
  #gaps: ScanGap[] = [];
  #isBegun = false;
  #collisions = 0;

  /** @throws TidemarkError if there is no such root */
  constructor(options: WalkOptions) {
    this.#options = options;
    // Paths of another root say nothing of ours; isOwnPlace does.
    this.#linkRules = options.isOwnPlace === undefined ? options : { ...options, judgePath: () => undefined };
    try {
      const { realPath, location } = locateRoot(options.docroot);
      this.#rootRealPath = realPath;
      this.#root = location;
      this.#rootInode = this.#findRootInode();
    } catch (error) {
      throw this.#wrap(error);
    }
    this.#lister = new FolderLister(this.#rootRealPath);
    this.#folderLinks = new FolderLinkJudge(options, this.#rootRealPath);
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
      const at = folder.next++;
      if (at >= folder.listing.segments.length) this.#stack.pop();
      else if (folder.listing.kinds[at] === folderKind) await this.#visitFolder(folder, at);
      else this.#visitFile(folder, at, files);
      if (this.#stack.length === 0) this.#checkRoot();
    }
    const gaps = this.#takeGaps();
    const isOver = files.length === 0 && gaps.length === 0 && this.#stack.length === 0;
    return isOver ? undefined : { files, gaps };
  }

  /**
   * Looks at one folder's own entries, of a walk without a prefix.
   *
   * @param path - encoded, with `/` at both ends
   * @returns its files and folders that may be published; no files and no gaps if it is not there or held back
   */
  async look(path: string): Promise<FolderLook> {
    const files: ScannedFile[] = [];
    const folders: string[] = [];
    const place = this.#enter(path);
    try {
      if (place !== undefined) {
        const folder = this.#toOpen(place, listFolder(place.location, this.#rootRealPath));
        for (const [at, kind] of folder.listing.kinds.entries()) {
          if (kind !== folderKind) this.#visitFile(folder, at, files);
          else {
            const below = this.#locate(folder, at)?.path;
            if (below !== undefined) folders.push(below);
          }
        }
      }
    } catch (error) {
      this.#gapOf(path, error);
    }
    this.#checkRoot();
    return { files, folders, gaps: this.#takeGaps() };
  }

  /** Begins at a folder instead of the root: {@link next} gives what is below it. Only after the last `next`. */
  async beginAt(path: string): Promise<void> {
    this.#isBegun = true;
    const place = this.#enter(path);
    if (place === undefined) return;
    try {
      await this.#open(place);
    } catch (error) {
      this.#gapOf(path, error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lister[Symbol.asyncDispose]();
  }

  async #begin(): Promise<void> {
    this.#isBegun = true;
    const { prefix = "/", globs } = this.#options;
    const names = prefix.slice(1, -1).split("/").map(decodePathSegment);
    if (prefix !== "/") {
      // What holds back a folder by the operator's patterns holds back what is mapped into it.
      const rules = names.map((_, at) => globs.judgeFolder(names.slice(0, at + 1).join("/")));
      const rule = rules.find((one) => one !== undefined);
      if (rule !== undefined) return this.#withhold(prefix, rule);
    }
    try {
      await this.#open({
        location: this.#root,
        path: prefix,
        relative: prefix === "/" ? "" : `${names.join("/")}/`,
        linked: [],
      });
    } catch (error) {
      throw this.#wrap(error);
    }
  }

  #wrap(error: unknown): Error {
    return wrapSystemError(error, `read the document root ${this.#options.docroot}`, { path: this.#options.docroot });
  }

  #visitFile(folder: OpenFolder, at: number, files: ScannedFile[]): void {
    const { segments, kinds, nameRules, extras } = folder.listing;
    const path = folder.path + (segments[at] ?? "");
    // Nearly all files of nearly all sites; the rest says why not.
    const { globs, judgePath, isOwnPlace } = this.#options;
    const isPlain =
      kinds[at] === fileKind && nameRules[at] === 0 && extras.size === 0 && globs.isOpen && isOwnPlace === undefined;
    if (isPlain && path.length <= maxPublishedPath && judgePath(path) === undefined) {
      if (this.#isPermitted(folder, at, 4)) files.push(new FoundFile(folder, at, path, this.#fileSystems));
      else this.#withhold(folder.path + ownSegmentAt(folder.listing, at), "unreadable");
      return;
    }
    const ownPath = folder.listing.ownSegments === undefined ? path : folder.path + ownSegmentAt(folder.listing, at);
    const kind = kindAt(folder, at);
    const rule = this.#judge(folder, at, path);
    if (rule !== undefined) this.#withhold(ownPath, rule);
    else if (kind === "failed")
      this.#gap([ownPath, path, `${ownPath}/`], folder.listing.extras.get(at)?.failure); // It may have been any.
    else if (kind !== "file")
      return; // It vanished after it was listed: it is not there.
    else if (!this.#isPermitted(folder, at, 4)) this.#withhold(ownPath, "unreadable");
    else files.push(new FoundFile(folder, at, path, this.#fileSystems));
  }

  async #visitFolder(parent: OpenFolder, at: number): Promise<void> {
    const place = this.#locate(parent, at);
    if (place === undefined) return;
    const realPath = parent.listing.extras.get(at)?.realPath;
    if (realPath !== undefined) this.#folderLinks.tell(place.path, realPath);
    try {
      await this.#open(place);
    } catch (error) {
      this.#gapOf(place.path, error);
    }
  }

  /** Judges a folder and says where it is; undefined if it is held back, which is reported. */
  #locate(parent: OpenFolder, at: number): FolderPlace | undefined {
    const { segments, extras } = parent.listing;
    const segment = segments[at] ?? "";
    const path = `${parent.path}${segment}/`;
    const rule = this.#judgeFolder(parent, at, path);
    if (rule !== undefined) {
      this.#withhold(path, rule);
      return undefined;
    }
    const name = decodePathSegment(segment);
    const place = { location: joinLocation(parent.location, name), path, relative: `${parent.relative}${name}/` };
    const realPath = extras.get(at)?.realPath;
    if (realPath === undefined) return { ...place, linked: parent.linked };
    try {
      if (this.#folderLinks.isHeld(realPath)) {
        this.#withhold(path, "folder-link");
        return undefined;
      }
      if (!isLinkLoop(parent.location, parent.linked, realPath))
        return { ...place, linked: [...parent.linked, realPath] };
      this.#withhold(path, "link-loop");
    } catch (error) {
      this.#gapOf(path, error);
    }
    return undefined;
  }

  /** Finds a folder by its path, each step judged as on a whole walk. */
  #enter(path: string): FolderPlace | undefined {
    let place: FolderPlace = { location: this.#root, path: "/", relative: "", linked: [] };
    for (const segment of path.split("/").slice(1, -1)) {
      let listing: FolderListing;
      try {
        listing = listFolder(place.location, this.#rootRealPath, decodePathSegment(segment));
      } catch (error) {
        this.#gapOf(path, error);
        return undefined;
      }
      const folder: OpenFolder = { ...place, listing, realPath: "", next: 0 };
      if (listing.kinds[0] !== folderKind) {
        if (kindAt(folder, 0) === "failed") this.#gap([path], listing.extras.get(0)?.failure);
        return undefined;
      }
      const next = this.#locate(folder, 0);
      if (next === undefined) return undefined;
      place = next;
    }
    return place;
  }

  #takeGaps(): readonly ScanGap[] {
    const gaps = this.#gaps;
    this.#gaps = [];
    return gaps;
  }

  #gapOf(path: string, error: unknown): void {
    const { code = "unknown", message } = error as NodeJS.ErrnoException;
    this.#gap([path], { code, message });
  }

  #isPermitted({ listing }: OpenFolder, at: number, bit: 4 | 1): boolean {
    const start = at * numbersAnEntry;
    const mode = listing.numbers[start + statusAt.mode] ?? 0;
    const uid = listing.numbers[start + statusAt.uid] ?? 0;
    const gid = listing.numbers[start + statusAt.gid] ?? 0;
    return isPermitted({ mode, uid, gid }, this.#options.reader, bit);
  }

  #judgeFolder(parent: OpenFolder, at: number, path: string): WithholdRule | undefined {
    if (this.#options.mappedPrefixes?.has(path)) return "shadowed";
    return this.#judge(parent, at, path) ?? (this.#isPermitted(parent, at, 1) ? undefined : "unreadable");
  }

  #judge(folder: OpenFolder, at: number, path: string): WithholdRule | undefined {
    const { globs, judgePath, isOwnPlace } = this.#options;
    const kind = kindAt(folder, at);
    switch (kind) {
      case "not-a-file":
      case "broken-link":
      case "link-loop":
      case "outside-root":
      case "unreadable":
        return kind;
    }
    const own = judgePath(path);
    if (own === "own-output") return own;
    const { nameRules, extras } = folder.listing;
    if (isOwnPlace?.(extras.get(at)?.realPath ?? `${folder.realPath}/${ownNameAt(folder, at)}`) === true)
      return "own-output";
    const named = withholdRules[(nameRules[at] ?? 0) - 1];
    const isPlain = named === undefined && globs.isOpen;
    const relative = isPlain ? "" : folder.relative + ownNameAt(folder, at);
    const isFolder = kind === "folder";
    if (named !== undefined && !isLetOut(globs, named, { path, relative }, isFolder)) return named;
    if (path.length > maxPublishedPath) return "name-too-long";
    const chosen = isPlain ? undefined : isFolder ? globs.judgeFolder(relative) : globs.judgeFile(relative);
    const rule = chosen ?? (isFolder ? undefined : own);
    const realPath = extras.size === 0 ? undefined : extras.get(at)?.realPath;
    if (rule !== undefined || realPath === undefined) return rule;
    return judgeTarget(this.#linkRules, this.#rootRealPath, realPath, isFolder);
  }

  async #open(place: FolderPlace): Promise<void> {
    const { location, path } = place;
    const folder = this.#toOpen(place, await this.#lister.list(path, location));
    const { listing } = folder;
    this.#stack.push(folder);
    const ahead: { key: string; location: Location }[] = [];
    for (const [at, segment] of listing.segments.entries()) {
      if (listing.kinds[at] !== folderKind || listing.extras.has(at)) continue;
      const key = `${path}${segment}/`;
      if (this.#judgeFolder(folder, at, key) !== undefined) continue;
      ahead.push({ key, location: joinLocation(location, decodePathSegment(segment)) });
    }
    this.#lister.expect(ahead);
  }

  #toOpen(place: FolderPlace, listed: FolderListing): OpenFolder {
    const realPath = this.#options.isOwnPlace === undefined ? "" : resolveLocation(place.location);
    return { ...place, listing: this.#nameAsServed(place.path, listed), realPath, next: 0 };
  }

  #nameAsServed(path: string, listed: FolderListing): FolderListing {
    const { servedNames, mappedPrefixes, judgePath } = this.#options;
    if (servedNames === undefined) return listed;
    const { listing, collisions } = nameAsServed(listed, servedNames, (segment) => {
      const taken = path + segment;
      return mappedPrefixes?.has(`${taken}/`) === true || judgePath(taken) === "own-output";
    });
    for (const segment of collisions) this.#tellCollision(path + segment);
    return listing;
  }

  #tellCollision(path: string): void {
    this.#collisions += 1;
    if (this.#collisions > maxToldCollisions + 1) return;
    const isLast = this.#collisions > maxToldCollisions;
    const message = isLast
      ? "more pages keep their own URL because something else has the short one; they are not named"
      : "something else has the short URL: the page is published under its own";
    this.#options.onEvent({ event: "warning", code: "url-collision", message, ...(isLast ? {} : { path }) });
  }

  #withhold(path: string, rule: WithholdRule): void {
    this.#options.onEvent({ event: "withheld", path, rule });
  }

  #gap(paths: readonly [string, ...string[]], failure: EntryFailure | undefined): void {
    const [path] = paths;
    const { code = "unknown", message = "it could not be read" } = failure ?? {};
    if (code === "ENOENT" || code === "ENOTDIR") return;
    if (isDenial(code)) {
      this.#withhold(path, "unreadable");
      return;
    }
    this.#gaps.push(...[...new Set(paths)].map((covered) => ({ path: covered })));
    const told = `${message}; what was published there stays as it was`;
    this.#options.onEvent({ event: "item-error", code, message: told, path });
  }

  #findRootInode(): string | undefined {
    const status = statSync(Buffer.from(this.#rootRealPath, "latin1"), { throwIfNoEntry: false });
    return status === undefined ? undefined : `${status.dev} ${status.ino}`;
  }

  // Of a root that is unmounted or swapped on the way, the rest would look deleted.
  #checkRoot(): void {
    if (this.#findRootInode() === this.#rootInode) return;
    const message = `The document root ${this.#options.docroot} was removed or replaced while it was read: nothing was changed.`;
    throw new TidemarkError("not-found", message, { hint: "Run the export again when the folder is in place." });
  }
}
