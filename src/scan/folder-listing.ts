import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { encodePathSegment } from "../format/index.ts";
import { withholdRules } from "../model/index.ts";
import { judgeName } from "./name-rules.ts";
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

/** Why an entry could not be looked at. */
export interface EntryFailure {
  readonly code: string;
  readonly message: string;
}

/** What few entries have: where a link leads to, without links and one character a byte; why looking failed. */
export interface EntryExtra {
  readonly realPath?: string;
  readonly failure?: EntryFailure;
}

/**
 * A folder's entries in path order, as columns: cheap to fill, to read, and to hand from one thread
 * to another. Folders sort as if their names ended in `/`.
 */
export interface FolderListing {
  /** Percent-encoded names. */
  readonly segments: readonly string[];
  /** Index in {@link entryKinds} of each entry. */
  readonly kinds: Uint8Array<ArrayBuffer>;
  /** Index in {@link withholdRules} of the rule that the name falls under, and 1; 0 for none. */
  readonly nameRules: Uint8Array<ArrayBuffer>;
  /** Six numbers an entry, see {@link statusAt}. */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly extras: ReadonlyMap<number, EntryExtra>;
}

/** Where the numbers of an entry stand behind `6 * index`. */
export const statusAt = { mode: 0, uid: 1, gid: 2, sizeBytes: 3, mtimeUs: 4, ctimeUs: 5 } as const;
/** How many numbers an entry has. */
export const numbersAnEntry = 6;

interface LookedAt {
  readonly kind: EntryKind;
  readonly status: Stats | undefined;
  readonly extra: EntryExtra | undefined;
}

const refused: Readonly<Record<EntryKind, LookedAt>> = Object.fromEntries(
  entryKinds.map((kind) => [kind, { kind, status: undefined, extra: undefined }]),
) as Record<EntryKind, LookedAt>;
const ascii = /^[\x00-\x7f]*$/;

/** Appends a name to a place. Strings are faster; a name that is not ASCII makes the place bytes. */
export function joinLocation(parent: Location, name: string): string | Buffer {
  if (typeof parent === "string" && ascii.test(name)) return `${parent}/${name}`;
  const head = typeof parent === "string" ? Buffer.from(parent, "utf8") : parent;
  return Buffer.concat([head, Buffer.from("/"), Buffer.from(name, "latin1")]);
}

/** A place as Node's own functions take it: what a worker was sent is a plain Uint8Array. */
export function toNodePath(location: Location): string | Buffer {
  if (typeof location === "string") return location === "" ? "/" : location;
  return Buffer.isBuffer(location) ? location : Buffer.from(location);
}

/**
 * Lists a folder and looks at each entry. Throws what the file system throws if the folder itself
 * cannot be listed.
 *
 * @param rootRealPath - the document root without links, one character a byte; links must not leave it
 */
export function listFolder(location: Location, rootRealPath: string): FolderListing {
  if (!isInside(resolveLocation(location), rootRealPath))
    throw Object.assign(new Error("a link out of the document root took its place"), { code: "ELOOP" });
  // "latin1" hands out a name's bytes unharmed; its type in @types/node is for UTF-8 only.
  const found = readdirSync(toNodePath(location), { withFileTypes: true, encoding: "latin1" as "utf8" });
  const entries = found.map((entry) => {
    const { kind, status, extra } = look(joinLocation(location, entry.name), entry, rootRealPath);
    const segment = encodePathSegment(entry.name);
    const key = kind === "folder" ? `${segment}/` : segment;
    return { key, segment, name: entry.name, kind, status, extra };
  });
  entries.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const kinds = new Uint8Array(entries.length);
  const nameRules = new Uint8Array(entries.length);
  const numbers = new Float64Array(entries.length * numbersAnEntry);
  const extras = new Map<number, EntryExtra>();
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at];
    if (entry === undefined) continue;
    kinds[at] = entryKinds.indexOf(entry.kind);
    const rule = judgeName(entry.name, entry.kind === "folder");
    if (rule !== undefined) nameRules[at] = withholdRules.indexOf(rule) + 1;
    if (entry.extra !== undefined) extras.set(at, entry.extra);
    if (entry.status !== undefined) fillStatus(numbers, at * numbersAnEntry, entry.status);
  }
  return { segments: entries.map(({ segment }) => segment), kinds, nameRules, numbers, extras };
}

function look(location: string | Buffer, entry: Dirent, rootRealPath: string): LookedAt {
  try {
    if (entry.isSymbolicLink()) return follow(location, rootRealPath);
    const status = lstatSync(location, { throwIfNoEntry: false });
    if (status === undefined) return refused.gone;
    if (status.isSymbolicLink()) throw Object.assign(new Error("a link took its place"), { code: "ELOOP" });
    return { kind: kindOf(status), status, extra: undefined };
  } catch (error) {
    const { code = "unknown", message } = error as NodeJS.ErrnoException;
    return isDenial(code) ? refused.unreadable : { ...refused.failed, extra: { failure: { code, message } } };
  }
}

function follow(location: string | Buffer, rootRealPath: string): LookedAt {
  let realPath: string;
  let status: Stats;
  try {
    realPath = resolveLocation(location);
    status = statSync(location);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return refused["broken-link"];
    if (code === "ELOOP") return refused["link-loop"];
    throw error;
  }
  return isInside(realPath, rootRealPath)
    ? { kind: kindOf(status), status, extra: { realPath } }
    : refused["outside-root"];
}

/** Whether a place without links is another or below it, both one character a byte. */
export function isInside(realPath: string, rootRealPath: string): boolean {
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

function fillStatus(numbers: Float64Array, start: number, status: Stats): void {
  numbers[start + statusAt.mode] = status.mode;
  numbers[start + statusAt.uid] = status.uid;
  numbers[start + statusAt.gid] = status.gid;
  numbers[start + statusAt.sizeBytes] = status.size;
  numbers[start + statusAt.mtimeUs] = toEpochUs(status.mtimeMs);
  numbers[start + statusAt.ctimeUs] = toEpochUs(status.ctimeMs);
}
