import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { encodePathSegment } from "../format/index.ts";
import { toEpochUs } from "./scanned-file.ts";

/** A folder's or file's place: a string where the bytes are ASCII, else the bytes. */
export type Location = string | Uint8Array;

/** What an entry of a folder was found to be. Links are followed; where that is not allowed, the kind says why. */
export const entryKinds = [
  "file",
  "folder",
  "not-a-file",
  "broken-link",
  "link-loop",
  "outside-root",
  /** The exporter itself may not go where a link leads. */
  "unreadable",
  /** It vanished after it was listed. */
  "gone",
  /** It could not be looked at. */
  "failed",
] as const;

/** One of {@link entryKinds}. */
export type EntryKind = (typeof entryKinds)[number];

/** What of an entry's status is used. */
export interface EntryStatus {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly sizeBytes: number;
  readonly mtimeUs: number;
  readonly ctimeUs: number;
}

/** Why an entry could not be looked at. */
export interface EntryFailure {
  readonly code: string;
  readonly message: string;
}

/** An entry of a folder. */
export interface ListedEntry {
  /** The name's bytes, one character a byte. */
  readonly name: string;
  readonly kind: EntryKind;
  /** Of a link: the place that it leads to, without links, one character a byte. */
  readonly realPath: string | undefined;
  readonly failure: EntryFailure | undefined;
  readonly status: EntryStatus;
}

const noStatus: EntryStatus = { mode: 0, uid: 0, gid: 0, sizeBytes: 0, mtimeUs: 0, ctimeUs: 0 };
const ascii = /^[\x00-\x7f]*$/;

/** Appends a name to a place. Strings are faster; a name that is not ASCII makes the place bytes. */
export function joinLocation(parent: Location, name: string): string | Buffer {
  if (typeof parent === "string" && ascii.test(name)) return `${parent}/${name}`;
  const head = typeof parent === "string" ? Buffer.from(parent, "utf8") : parent;
  return Buffer.concat([head, Buffer.from("/"), Buffer.from(name, "latin1")]);
}

// Node's own functions take Buffers; what a worker was sent is a plain Uint8Array.
function toNodePath(location: Location): string | Buffer {
  if (typeof location === "string") return location === "" ? "/" : location;
  return Buffer.isBuffer(location) ? location : Buffer.from(location);
}

/**
 * Lists a folder and looks at each entry, in path order: folders sort as if their names ended in `/`.
 * Throws what the file system throws if the folder itself cannot be listed.
 *
 * @param rootRealPath - the document root without links, one character a byte; links must not leave it
 */
export function listFolder(location: Location, rootRealPath: string): ListedEntry[] {
  if (!isInside(resolveLocation(location), rootRealPath))
    throw Object.assign(new Error("a link out of the document root took its place"), { code: "ELOOP" });
  // "latin1" hands out a name's bytes unharmed; its type in @types/node is for UTF-8 only.
  const found = readdirSync(toNodePath(location), { withFileTypes: true, encoding: "latin1" as "utf8" });
  const keyed = found.map((entry) => {
    const listed = look(joinLocation(location, entry.name), entry, rootRealPath);
    const segment = encodePathSegment(entry.name);
    return { listed, key: listed.kind === "folder" ? `${segment}/` : segment };
  });
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return keyed.map(({ listed }) => listed);
}

function look(location: string | Buffer, entry: Dirent, rootRealPath: string): ListedEntry {
  const { name } = entry;
  try {
    if (entry.isSymbolicLink()) return follow(location, name, rootRealPath);
    const status = lstatSync(location, { throwIfNoEntry: false });
    if (status === undefined) return { name, kind: "gone", realPath: undefined, failure: undefined, status: noStatus };
    if (status.isSymbolicLink()) throw Object.assign(new Error("a link took its place"), { code: "ELOOP" });
    return { name, kind: kindOf(status), realPath: undefined, failure: undefined, status: toStatus(status) };
  } catch (error) {
    const { code = "unknown", message } = error as NodeJS.ErrnoException;
    if (isDenial(code)) return { name, kind: "unreadable", realPath: undefined, failure: undefined, status: noStatus };
    return { name, kind: "failed", realPath: undefined, failure: { code, message }, status: noStatus };
  }
}

function follow(location: string | Buffer, name: string, rootRealPath: string): ListedEntry {
  const refuse = (kind: EntryKind): ListedEntry => ({
    name,
    kind,
    realPath: undefined,
    failure: undefined,
    status: noStatus,
  });
  let realPath: string;
  let status: Stats;
  try {
    realPath = resolveLocation(location);
    status = statSync(location);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return refuse("broken-link");
    if (code === "ELOOP") return refuse("link-loop");
    throw error;
  }
  if (!isInside(realPath, rootRealPath)) return refuse("outside-root");
  return { name, kind: kindOf(status), realPath, failure: undefined, status: toStatus(status) };
}

function isInside(realPath: string, rootRealPath: string): boolean {
  return realPath === rootRealPath || realPath.startsWith(rootRealPath === "/" ? "/" : `${rootRealPath}/`);
}

/** Whether an error says that the exporter's user may not look there. */
export function isDenial(code: string): boolean {
  return code === "EACCES" || code === "EPERM";
}

/** A place without links, one character a byte. Throws what the file system throws. */
export function resolveLocation(location: Location): string {
  return realpathSync.native(toNodePath(location), "latin1" as "utf8");
}

function kindOf(status: Stats): EntryKind {
  return status.isFile() ? "file" : status.isDirectory() ? "folder" : "not-a-file";
}

function toStatus(status: Stats): EntryStatus {
  const { mode, uid, gid, size, mtimeMs, ctimeMs } = status;
  return { mode, uid, gid, sizeBytes: size, mtimeUs: toEpochUs(mtimeMs), ctimeUs: toEpochUs(ctimeMs) };
}
