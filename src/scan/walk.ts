import { realpathSync, type Stats, statSync } from "node:fs";
import { encodePathSegment } from "../format/index.ts";
import { type ExportEvent, TidemarkError, type WithholdRule, wrapSystemError } from "../model/index.ts";
import { joinLocation, type ListedEntry, type Location, listFolder, resolveLink, statEntry } from "./folder-listing.ts";
import type { GlobFilter } from "./glob-filter.ts";
import { mediaTypeOfName } from "./media-types.ts";
import { judgeName } from "./name-rules.ts";
import { isPermitted, type ReaderIdentity } from "./reader-identity.ts";
import { type ScanBatch, type ScanGap, type ScannedFile, toEpochUs } from "./scanned-file.ts";

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

const bySegment = (a: ListedEntry, b: ListedEntry): number =>
  a.segment < b.segment ? -1 : a.segment > b.segment ? 1 : 0;

/** A walk over a document root in path order. Memory is a batch and the folders on the way to it. */
export class Walk {
  readonly #options: WalkOptions;
  readonly #rootRealPath: string;
  readonly #root: Location;
  readonly #rootStatus: Stats;
  readonly #stack: OpenFolder[] = [];
  readonly #maxPathLength: number;
  #gaps: ScanGap[] = [];

  /** @throws TidemarkError if the root cannot be listed: an unreadable root is not an empty site */
  constructor(options: WalkOptions) {
    this.#options = options;
    this.#maxPathLength = options.maxPathLength ?? 2048;
    try {
      this.#rootRealPath = realpathSync.native(options.docroot, "latin1" as "utf8");
      const location = Buffer.from(this.#rootRealPath, "latin1");
      this.#rootStatus = statSync(location);
      const root = location.toString("utf8") === this.#rootRealPath ? this.#rootRealPath : location;
      this.#root = root === "/" ? "" : root;
      this.#open(this.#root, "/", "", []);
    } catch (error) {
      throw wrapSystemError(error, `read the document root ${options.docroot}`);
    }
  }

  /**
   * Gives the next files, or undefined after the last. Blocks for the time of one batch.
   *
   * @throws TidemarkError `not-found` if another folder took the root's place meanwhile
   */
  next(): ScanBatch | undefined {
    const size = this.#options.batchSize ?? 2048;
    const files: ScannedFile[] = [];
    while (files.length < size) {
      const folder = this.#stack.at(-1);
      if (folder === undefined) break;
      const entry = folder.entries[folder.next++];
      if (entry === undefined) this.#stack.pop();
      else this.#visit(folder, entry, files);
      if (this.#stack.length === 0) this.#checkRoot();
    }
    const gaps = this.#gaps;
    this.#gaps = [];
    return files.length === 0 && gaps.length === 0 && this.#stack.length === 0 ? undefined : { files, gaps };
  }

  #visit(folder: OpenFolder, listed: ListedEntry, files: ScannedFile[]): void {
    const path = folder.path + listed.segment;
    const location = joinLocation(folder.location, listed.name);
    const relative = folder.relative + listed.name;
    try {
      const entry = listed.kind === "link" ? this.#followed(location, listed, path) : listed;
      if (entry === undefined) return;
      const isFolder = entry.kind === "folder";
      const rule = this.#judge(entry, path, relative, isFolder);
      if (rule !== undefined) {
        this.#withhold(path, rule);
        return;
      }
      const status = statEntry(location, listed.kind === "link");
      if (status === undefined) return; // It vanished after it was listed: it is not there.
      if (isFolder) this.#enter(folder, location, path, relative, status, listed.kind === "link");
      else this.#add(location, path, listed.name, status, files);
    } catch (error) {
      this.#gap(path, error);
    }
  }

  // A link to a folder sorts among files: its entries would come out of order. So the link is
  // resolved when its parent is listed; here only links to files are left (see #open).
  #followed(location: Location, listed: ListedEntry, path: string): ListedEntry | undefined {
    const target = resolveLink(location, this.#rootRealPath);
    if (target.kind !== "file" && target.kind !== "folder") {
      this.#withhold(path, target.kind);
      return undefined;
    }
    const isFolder = listed.segment.endsWith("/");
    if ((target.kind === "folder") !== isFolder) {
      this.#gaps.push({ path }); // It changed while we looked: next time.
      return undefined;
    }
    const rule = this.#judgeTarget(target.realPath, isFolder);
    if (rule === undefined) return { ...listed, kind: target.kind };
    this.#withhold(path, rule);
    return undefined;
  }

  /** A link must not publish under another name what its target's own name holds back. */
  #judgeTarget(realPath: string, isFolder: boolean): WithholdRule | undefined {
    const names = realPath
      .slice(this.#rootRealPath.length)
      .split("/")
      .filter((name) => name !== "");
    let location = this.#root;
    for (const [at, name] of names.entries()) {
      const isLast = at === names.length - 1;
      const rule = judgeName(name, isFolder || !isLast);
      const isNamed = rule === "hidden" && this.#options.globs.namesHidden(names.slice(0, at + 1).join("/"));
      if (rule !== undefined && !isNamed) return rule;
      location = joinLocation(location, name);
      const status = isLast ? undefined : statEntry(location, false);
      if (status !== undefined && !isPermitted(status, this.#options.reader, 1)) return "unreadable";
    }
    const path = `/${names.map(encodePathSegment).join("/")}${isFolder ? "/" : ""}`;
    return this.#options.judgePath(path) === "own-output" ? "own-output" : undefined;
  }

  #judge(entry: ListedEntry, path: string, relative: string, isFolder: boolean): WithholdRule | undefined {
    const { globs, judgePath } = this.#options;
    if (entry.kind === "special") return "not-a-file";
    const own = judgePath(path);
    if (own === "own-output") return own;
    const named = judgeName(entry.name, isFolder);
    // The way to our own folder is not worth a word; nothing else below it is published unasked.
    if (named !== undefined && !(named === "hidden" && globs.namesHidden(relative))) return named;
    if (path.length > this.#maxPathLength) return "name-too-long";
    return (isFolder ? globs.judgeFolder(relative) : globs.judgeFile(relative)) ?? (isFolder ? undefined : own);
  }

  #enter(parent: OpenFolder, location: Location, path: string, relative: string, status: Stats, isLink: boolean): void {
    if (!status.isDirectory()) {
      this.#gaps.push({ path }); // A link that took the folder's place is not to be followed unjudged.
      return;
    }
    if (!isPermitted(status, this.#options.reader, 1)) {
      this.#withhold(path, "unreadable");
      return;
    }
    let linked = parent.linked;
    if (isLink) {
      const target = resolveLink(location, this.#rootRealPath);
      if (target.kind !== "folder") return;
      const ownRealPath = realpathSync.native(parent.location === "" ? "/" : parent.location, "latin1" as "utf8");
      const isAbove = ownRealPath === target.realPath || ownRealPath.startsWith(`${target.realPath}/`);
      if (isAbove || linked.includes(target.realPath) || linked.length >= maxLinkedFolders) {
        this.#withhold(path, "link-loop");
        return;
      }
      linked = [...linked, target.realPath];
    }
    this.#open(location, path, `${relative}/`, linked);
  }

  #open(location: Location, path: string, relative: string, linked: readonly string[]): void {
    const listed = listFolder(location === "" ? "/" : location);
    const entries = listed.flatMap((entry) => {
      if (entry.kind !== "link") return entry;
      const asFolder = { ...entry, segment: `${entry.segment}/` };
      try {
        const target = resolveLink(joinLocation(location, entry.name), this.#rootRealPath);
        return target.kind === "folder" ? asFolder : entry;
      } catch {
        return [entry, asFolder]; // Whatever it was before, there is a gap now.
      }
    });
    entries.sort(bySegment);
    this.#stack.push({ location, path, relative, linked, entries, next: 0 });
  }

  #add(location: Location, path: string, name: string, status: Stats, files: ScannedFile[]): void {
    if (!status.isFile()) {
      this.#gaps.push({ path });
      return;
    }
    if (!isPermitted(status, this.#options.reader, 4)) {
      this.#withhold(path, "unreadable");
      return;
    }
    files.push({
      path,
      location,
      sizeBytes: status.size,
      mtimeUs: toEpochUs(status.mtimeMs),
      ctimeUs: toEpochUs(status.ctimeMs),
      mediaType: mediaTypeOfName(name),
    });
  }

  #withhold(path: string, rule: WithholdRule): void {
    this.#options.onEvent({ event: "withheld", path, rule });
  }

  #gap(path: string, error: unknown): void {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    if (code === "ENOENT" || code === "ENOTDIR") return;
    if (code === "EACCES" || code === "EPERM") {
      this.#withhold(path, "unreadable");
      return;
    }
    this.#gaps.push({ path });
    const message = `${error instanceof Error ? error.message : String(error)}; what was published there stays as it was`;
    this.#options.onEvent({ event: "item-error", code, message, path });
  }

  // Of a root that is unmounted or swapped on the way, the rest would look deleted.
  #checkRoot(): void {
    const status = statSync(this.#root === "" ? "/" : this.#root, { throwIfNoEntry: false });
    if (status?.ino === this.#rootStatus.ino && status.dev === this.#rootStatus.dev) return;
    throw new TidemarkError(
      "not-found",
      `The document root ${this.#options.docroot} was removed or replaced while it was read: nothing was changed.`,
      { hint: "Run the export again when the folder is in place." },
    );
  }
}
