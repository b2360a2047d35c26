import { type BigIntStats, existsSync, lstatSync, statSync } from "node:fs";
import { encodePathSegment } from "../../formats/url/index.ts";
import {
  isInside,
  isLinkLoop,
  joinLocation,
  type Location,
  locateRoot,
  type RootPlace,
  resolveLocation,
  toNodePath,
} from "../walk/folder-listing.ts";
import { judgeName } from "../walk/name-rules.ts";
import { isLetOut, judgeTarget, type LinkRules } from "../walk/path-rules.ts";
import { maxPublishedPath } from "../walk/scanned-file.ts";
import type { ServedNameRules } from "../walk/served-names.ts";

/** A place below the root. */
export interface WatchedPlace {
  /** Percent-encoded, with `/` at the end of a folder's. */
  readonly path: string;
  /** From the root, one character a byte, without `/` at the end. */
  readonly relative: string;
  readonly name: string;
}

/** What is at a place, links followed. */
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

/** A folder's or file's identity. An inode's number may be reused at once, so its birth is part of it. */
function identify(status: BigIntStats): string {
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

/**
 * Whether a link of a folder is followed, as in the walk: not out of the root, not in circles, and to nothing that is
 * held back under its own name.
 */
export function mayFollow(
  folder: WatchedFolder,
  rules: LinkRules,
  root: string,
  realPath: string,
  isFolder: boolean,
): boolean {
  try {
    if (!isInside(realPath, root) || (isFolder && isLinkLoop(folder.location, folder.linked, realPath))) return false;
    return judgeTarget(rules, root, realPath, isFolder) === undefined;
  } catch {
    return false; // It vanished while it was looked at; its folder's watch reports that too.
  }
}

function hasOpenName({ globs }: LinkRules, place: WatchedPlace, isFolder: boolean): boolean {
  const rule = judgeName(place.name, isFolder);
  return rule === undefined || isLetOut(globs, rule, place, isFolder);
}

/** Whether anything in a folder can be published: others are not watched. */
export function mayHoldPages(rules: LinkRules, place: WatchedPlace): boolean {
  if (place.path.length > maxPublishedPath || rules.judgePath(place.path) === "own-output") return false;
  if (!hasOpenName(rules, place, true)) return false;
  return rules.globs.isOpen || rules.globs.judgeFolder(place.relative) === undefined;
}

/**
 * Whether a file of that place can be a page: of others the comings and goings wake nobody, such as what
 * the exporter writes and an editor's own files. What robots.txt disallows may be allowed tomorrow.
 */
export function mayBePage(rules: LinkRules, place: WatchedPlace): boolean {
  if (place.path.length > maxPublishedPath || rules.judgePath(place.path) === "own-output") return false;
  // No page, and often a part of some.
  if (/\.inc$/i.test(place.name)) return true;
  if (!hasOpenName(rules, place, false)) return false;
  return rules.globs.isOpen || rules.globs.judgeFile(place.relative) === undefined;
}

/** Whether a file takes the URL of a page of its folder when it comes, and leaves it when it goes; it need not be a page. */
export function mayTakeUrl(folder: WatchedFolder, name: string, servedNames: ServedNameRules | undefined): boolean {
  if (servedNames === undefined) return false;
  if (servedNames.indexSegments.includes(encodePathSegment(name))) return true;
  const isThere = (file: string): boolean => existsSync(toNodePath(joinLocation(folder.location, file)));
  return servedNames.cleanUrls && (isThere(`${name}.html`) || isThere(`${name}.htm`));
}

/** What is at the document root now, links followed; undefined if it is no folder. */
export function findRoot(docroot: string): (RootPlace & { readonly identity: string }) | undefined {
  try {
    const root = locateRoot(docroot);
    const status = statSync(toNodePath(root.location), { bigint: true });
    return status.isDirectory() ? { ...root, identity: `${root.realPath} ${identify(status)}` } : undefined;
  } catch {
    return undefined;
  }
}
