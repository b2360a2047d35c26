import { statSync } from "node:fs";
import { decodePathSegment } from "../format/index.ts";
import { type ExportEvent, TidemarkError, type WithholdRule, withholdRules, wrapSystemError } from "../model/index.ts";
import { FolderLister } from "./folder-lister.ts";
import {
  type EntryKind,
  entryKinds,
  type FolderListing,
  isDenial,
  joinLocation,
  type Location,
  numbersAnEntry,
  resolveLocation,
  statusAt,
} from "./folder-listing.ts";
import { FoundFile, type OpenFolder, ownSegmentAt } from "./found-file.ts";
import type { GlobFilter } from "./glob-filter.ts";
import { judgeTarget, type LinkRules } from "./link-target.ts";
import { isPermitted, type ReaderIdentity } from "./reader-identity.ts";
import type { ScanBatch, ScanGap, ScannedFile } from "./scanned-file.ts";
import { nameAsServed, type ServedNameRules } from "./served-names.ts";

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
  /** How the server names files in URLs; default: by their own names. */
  readonly servedNames?: ServedNameRules;
  /** Encoded path under which the root lies, with `/` at its end; default `/`. */
  readonly prefix?: string;
  /** Encoded paths of folders, with `/` at their end, that the server takes from another root. */
  readonly mappedPrefixes?: ReadonlySet<string>;
  /** Whether a place, without links and one character a byte, is what we write ourselves; default: {@link judgePath} knows. */
  readonly isOwnPlace?: (realPath: string) => boolean;
  readonly onEvent: (event: ExportEvent) => void;
}

/** How many links to folders may lie on one path: deployments nest two; more is a maze. */
const maxLinkedFolders = 4;

const [fileKind, folderKind] = [entryKinds.indexOf("file"), entryKinds.indexOf("folder")];
const wellKnownFolder = "/.well-known/";

/** Collisions that are told one by one; a site may have them everywhere. */
const maxToldCollisions = 20;

function kindAt({ listing }: OpenFolder, at: number): EntryKind {
  return entryKinds[listing.kinds[at] ?? 0] ?? "failed";
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
  readonly #maxPathLength: number;
  readonly #lister: FolderLister;
  #gaps: ScanGap[] = [];
  #isBegun = false;
  #collisions = 0;

  /** @throws TidemarkError if there is no such root */
  constructor(options: WalkOptions) {
    this.#options = options;
    // Paths of another root say nothing of ours; isOwnPlace does.
    this.#linkRules = options.isOwnPlace === undefined ? options : { ...options, judgePath: () => undefined };
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
      const at = folder.next++;
      if (at >= folder.listing.segments.length) this.#stack.pop();
      else if (folder.listing.kinds[at] === folderKind) await this.#visitFolder(folder, at);
      else this.#visitFile(folder, at, files);
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
    const { prefix = "/", globs } = this.#options;
    const names = prefix.slice(1, -1).split("/").map(decodePathSegment);
    if (prefix !== "/") {
      // What holds back a folder by the operator's patterns holds back what is mapped into it.
      const rules = names.map((_, at) => globs.judgeFolder(names.slice(0, at + 1).join("/")));
      const rule = rules.find((one) => one !== undefined);
      if (rule !== undefined) {
        this.#withhold(prefix, rule);
        return;
      }
    }
    try {
      await this.#open(this.#root, prefix, prefix === "/" ? "" : `${names.join("/")}/`, []);
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
    if (isPlain && path.length <= this.#maxPathLength && judgePath(path) === undefined) {
      if (this.#isPermitted(folder, at, 4)) files.push(new FoundFile(folder, at, path));
      else this.#withhold(folder.path + ownSegmentAt(folder.listing, at), "unreadable");
      return;
    }
    const ownPath = folder.path + ownSegmentAt(folder.listing, at);
    const kind = kindAt(folder, at);
    const rule = this.#judge(folder, at, path);
    if (rule !== undefined) this.#withhold(ownPath, rule);
    else if (kind === "failed")
      this.#gap([ownPath, path, `${ownPath}/`], folder.listing.extras.get(at)?.failure); // It may have been any.
    else if (kind !== "file")
      return; // It vanished after it was listed: it is not there.
    else if (!this.#isPermitted(folder, at, 4)) this.#withhold(ownPath, "unreadable");
    else files.push(new FoundFile(folder, at, path));
  }

  async #visitFolder(parent: OpenFolder, at: number): Promise<void> {
    const { segments, extras } = parent.listing;
    const segment = segments[at] ?? "";
    const path = `${parent.path}${segment}/`;
    const rule = this.#judgeFolder(parent, at, path);
    if (rule !== undefined) {
      this.#withhold(path, rule);
      return;
    }
    const name = decodePathSegment(segment);
    const location = joinLocation(parent.location, name);
    const realPath = extras.get(at)?.realPath;
    try {
      if (realPath === undefined) {
        await this.#open(location, path, `${parent.relative}${name}/`, parent.linked);
        return;
      }
      const ownRealPath = resolveLocation(parent.location);
      const isAbove = ownRealPath === realPath || ownRealPath.startsWith(`${realPath}/`);
      if (isAbove || parent.linked.includes(realPath) || parent.linked.length >= maxLinkedFolders) {
        this.#withhold(path, "link-loop");
        return;
      }
      await this.#open(location, path, `${parent.relative}${name}/`, [...parent.linked, realPath]);
    } catch (error) {
      const { code = "unknown", message } = error as NodeJS.ErrnoException;
      this.#gap([path], { code, message });
    }
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
    const name = decodePathSegment(ownSegmentAt(folder.listing, at));
    if (isOwnPlace?.(extras.get(at)?.realPath ?? `${folder.realPath}/${name}`) === true) return "own-output";
    const named = withholdRules[(nameRules[at] ?? 0) - 1];
    const isPlain = named === undefined && globs.isOpen;
    const relative = isPlain ? "" : folder.relative + name;
    // The folder that only our own output lies in is no secret of the site's.
    if (named === "hidden" && !globs.namesHidden(relative)) return path === wellKnownFolder ? "own-output" : named;
    if (named !== undefined && named !== "hidden") return named;
    if (path.length > this.#maxPathLength) return "name-too-long";
    const isFolder = kind === "folder";
    const chosen = isPlain ? undefined : isFolder ? globs.judgeFolder(relative) : globs.judgeFile(relative);
    const rule = chosen ?? (isFolder ? undefined : own);
    const realPath = extras.size === 0 ? undefined : extras.get(at)?.realPath;
    return (
      rule ??
      (realPath === undefined ? undefined : judgeTarget(this.#linkRules, this.#rootRealPath, realPath, isFolder))
    );
  }

  async #open(location: Location, path: string, relative: string, linked: readonly string[]): Promise<void> {
    const listing = this.#nameAsServed(path, await this.#lister.list(path, location));
    const realPath = this.#options.isOwnPlace === undefined ? "" : resolveLocation(location);
    const folder: OpenFolder = { location, path, relative, linked, listing, realPath, next: 0 };
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
    this.#options.onEvent({
      event: "warning",
      code: "url-collision",
      message: isLast
        ? "more pages keep their own URL because something else has the short one; they are not named"
        : "something else has the short URL: the page is published under its own",
      ...(isLast ? {} : { path }),
    });
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
    this.#gaps.push(...[...new Set(paths)].map((covered) => ({ path: covered })));
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
