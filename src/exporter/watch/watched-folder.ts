import { type BigIntStats, lstatSync, statSync } from "node:fs";
import { dirname } from "node:path/posix";
import { encodePathSegment } from "../../formats/url/index.ts";
import { isInside, joinLocation, type Location, resolveLocation, toNodePath } from "../walk/folder-listing.ts";
import type { WatchedPlace } from "./watch-rules.ts";

/** What stands at a place, links followed. */
export interface FoundEntry {
  readonly kind: "folder" | "file";
  /** Differs for another folder of the same name, and after a change of owner or mode. */
  readonly identity: string;
  /** Where a link leads to, one character a byte; undefined for what is no link. */
  readonly realPath: string | undefined;
}

/** A link that was found, wherever it led to. */
export interface FoundLink {
  readonly folder: WatchedFolder;
  readonly name: string;
  /** What it led to. */
  readonly target: string;
  /** Ends the watch of the folder that a file is in to which it led. */
  readonly stop: (() => void) | undefined;
}

/** A folder that is watched, or ought to be. */
export interface WatchedFolder {
  readonly place: WatchedPlace;
  readonly location: Location;
  readonly identity: string;
  /** Real paths of the folders that links led into on the way here. */
  readonly linked: readonly string[];
  readonly children: Map<string, WatchedFolder>;
  readonly links: Map<string, FoundLink>;
  /** When its entries or its own mode or times last changed, in nanoseconds since 1970; nobody can set it back. */
  ctimeNs: bigint;
  stop: (() => void) | undefined;
  isClosed: boolean;
}

/** The place of an entry of a folder, as of a folder or of a file. */
export function placeIn(folder: WatchedFolder, name: string, isFolder: boolean): WatchedPlace {
  const { path, relative } = folder.place;
  return {
    name,
    path: `${path}${encodePathSegment(name)}${isFolder ? "/" : ""}`,
    relative: relative === "" ? name : `${relative}/${name}`,
  };
}

/** A folder's or file's identity. An inode's number may be given again at once, so its birth belongs to it. */
export function identify(status: BigIntStats): string {
  const { dev, ino, mode, uid, gid, birthtimeNs } = status;
  return `${dev} ${ino} ${birthtimeNs} ${mode} ${uid} ${gid}`;
}

/** When a folder last changed; -1 if it is not there. */
export function readCtimeNs(location: Location): bigint {
  try {
    return statSync(toNodePath(location), { bigint: true }).ctimeNs;
  } catch {
    return -1n;
  }
}

/** Ticks of a file system's clock are no longer: 10 ms on Linux, 2 s where it counts whole seconds. */
const tickNs = 50_000_000n;
const wholeSecondNs = 1_000_000_000n;

/**
 * Whether entries may have come or gone since this was asked last. libuv also calls it a rename when a
 * subfolder's times or mode are set, as rsync does in every folder that it changed.
 */
export function mayHaveMoved(folder: WatchedFolder): boolean {
  const ctimeNs = readCtimeNs(folder.location);
  const isSame = ctimeNs === folder.ctimeNs && ctimeNs !== -1n;
  folder.ctimeNs = ctimeNs;
  // Within one tick of the clock two changes have one time.
  const marginNs = ctimeNs % wholeSecondNs === 0n ? 2n * wholeSecondNs : tickNs;
  return !isSame || BigInt(Date.now()) * 1_000_000n - ctimeNs < marginNs;
}

/** Looks at an entry, links followed. Gives undefined where nothing is, or nothing that can be looked at. */
export function findEntry(
  folder: WatchedFolder,
  name: string,
): { readonly entry: FoundEntry | undefined; readonly isLink: boolean } {
  const location = joinLocation(folder.location, name);
  let isLink = false;
  try {
    let status = lstatSync(location, { bigint: true });
    isLink = status.isSymbolicLink();
    if (isLink) status = statSync(location, { bigint: true });
    if (!status.isDirectory() && !(isLink && status.isFile())) return { entry: undefined, isLink };
    const realPath = isLink ? resolveLocation(location) : undefined;
    return { entry: { kind: status.isDirectory() ? "folder" : "file", identity: identify(status), realPath }, isLink };
  } catch {
    return { entry: undefined, isLink };
  }
}

/** How many links to folders may lie on one path, as in the walk. */
const maxLinkedFolders = 4;

/** Whether the walk would follow a link to a folder from here: not out of the root, not round in circles. */
export function mayFollow(folder: WatchedFolder, rootRealPath: string, realPath: string): boolean {
  if (!isInside(realPath, rootRealPath)) return false;
  if (folder.linked.includes(realPath) || folder.linked.length >= maxLinkedFolders) return false;
  try {
    return !isInside(resolveLocation(folder.location), realPath);
  } catch {
    return false;
  }
}

/** The folder that a place is in. */
export function folderOf(realPath: string): Buffer {
  return Buffer.from(dirname(realPath), "latin1");
}

/** What stands at the document root now, links followed; undefined if nothing does or it is no folder. */
export function findRoot(
  docroot: string,
): { readonly realPath: string; readonly location: Location; readonly identity: string } | undefined {
  try {
    const realPath = resolveLocation(docroot);
    const bytes = Buffer.from(realPath, "latin1");
    const location = realPath === "/" ? "" : bytes.toString("utf8") === realPath ? realPath : bytes;
    const status = statSync(toNodePath(location), { bigint: true });
    return status.isDirectory() ? { realPath, location, identity: `${realPath} ${identify(status)}` } : undefined;
  } catch {
    return undefined;
  }
}
