import { constants, lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { withholdRules } from "../../core/index.ts";
import { encodePathSegment } from "../../formats/url/index.ts";
import { judgeName } from "./name-rules.ts";

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
  /** Eight numbers an entry, see {@link statusAt}. */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly extras: ReadonlyMap<number, EntryExtra>;
  /** Own encoded names of entries whose segment is another, because the server shows them so. */
  readonly ownSegments?: ReadonlyMap<number, string>;
}

/** Where the numbers of an entry stand behind `8 * index`. */
export const statusAt = { mode: 0, uid: 1, gid: 2, sizeBytes: 3, mtimeUs: 4, ctimeUs: 5, device: 6, inode: 7 } as const;
export const numbersAnEntry = 8;

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
 * @param only - the one entry to look at; the folder is not listed for it
 */
export function listFolder(location: Location, rootRealPath: string, only?: string): FolderListing {
  if (!isInside(resolveLocation(location), rootRealPath))
    throw Object.assign(new Error("a link out of the document root took its place"), { code: "ELOOP" });
  // "latin1" gives a name's bytes unharmed; its type in @types/node is for UTF-8 only.
  const read = (): string[] => readdirSync(toNodePath(location), { encoding: "latin1" as "utf8" }).sort();
  const names = only === undefined ? read() : [only];
  const entries = new Entries(names.length);
  for (const name of names) entries.look(name, joinLocation(location, name), rootRealPath);
  return entries.inOrder();
}

const statOptions = { throwIfNoEntry: false } as const;
const fileKind = entryKinds.indexOf("file");
const folderKind = entryKinds.indexOf("folder");
const failedKind = entryKinds.indexOf("failed");

/** A listing that is being filled, in the order of names as bytes. */
class Entries {
  readonly #segments: string[] = [];
  readonly #kinds: Uint8Array<ArrayBuffer>;
  readonly #nameRules: Uint8Array<ArrayBuffer>;
  readonly #numbers: Float64Array<ArrayBuffer>;
  readonly #extras = new Map<number, EntryExtra>();
  #previousKey = "";
  #isInOrder = true;

  constructor(count: number) {
    this.#kinds = new Uint8Array(count);
    this.#nameRules = new Uint8Array(count);
    this.#numbers = new Float64Array(count * numbersAnEntry);
  }

  look(name: string, location: string | Buffer, rootRealPath: string): void {
    const at = this.#segments.length;
    const kind = this.#kindOf(at, location, rootRealPath);
    this.#kinds[at] = kind;
    const isFolder = kind === folderKind;
    // What could not be looked at may be a folder: a file's rules would have it deleted.
    const rule = judgeName(name, isFolder || kind === failedKind);
    if (rule !== undefined) this.#nameRules[at] = withholdRules.indexOf(rule) + 1;
    const segment = encodePathSegment(name);
    const key = isFolder ? `${segment}/` : segment;
    // Escapes and the `/` of folders may move an entry; in most folders nothing moves.
    if (key < this.#previousKey) this.#isInOrder = false;
    this.#previousKey = key;
    this.#segments.push(segment);
  }

  inOrder(): FolderListing {
    const listing = {
      segments: this.#segments,
      kinds: this.#kinds,
      nameRules: this.#nameRules,
      numbers: this.#numbers,
      extras: this.#extras,
    };
    return this.#isInOrder ? listing : sortListing(listing);
  }

  #kindOf(at: number, location: string | Buffer, rootRealPath: string): number {
    try {
      const status = lstatSync(location, statOptions);
      if (status === undefined) return entryKinds.indexOf("gone");
      if ((status.mode & constants.S_IFMT) === constants.S_IFLNK) return this.#follow(at, location, rootRealPath);
      fillStatus(this.#numbers, at * numbersAnEntry, status);
      return kindOfMode(status.mode);
    } catch (error) {
      const { code = "unknown", message } = error as NodeJS.ErrnoException;
      if (isDenial(code)) return entryKinds.indexOf("unreadable");
      this.#extras.set(at, { failure: { code, message } });
      return failedKind;
    }
  }

  #follow(at: number, location: string | Buffer, rootRealPath: string): number {
    let realPath: string;
    let status: Stats;
    try {
      realPath = resolveLocation(location);
      status = statSync(location);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ENOTDIR") return entryKinds.indexOf("broken-link");
      if (code === "ELOOP") return entryKinds.indexOf("link-loop");
      throw error;
    }
    if (!isInside(realPath, rootRealPath)) return entryKinds.indexOf("outside-root");
    this.#extras.set(at, { realPath });
    fillStatus(this.#numbers, at * numbersAnEntry, status);
    return kindOfMode(status.mode);
  }
}

/** Brings a listing whose segments are in no order into path order. */
export function sortListing(listing: FolderListing): FolderListing {
  const { segments, kinds, nameRules, numbers, extras, ownSegments } = listing;
  const keys = segments.map((segment, at) => (kinds[at] === folderKind ? `${segment}/` : segment));
  const order = [...keys.keys()].sort((a, b) => {
    const [left = "", right = ""] = [keys[a], keys[b]];
    return left < right ? -1 : left > right ? 1 : 0;
  });
  const sorted = new Float64Array(numbers.length);
  for (const [to, from] of order.entries())
    sorted.set(numbers.subarray(from * numbersAnEntry, (from + 1) * numbersAnEntry), to * numbersAnEntry);
  return {
    segments: order.map((from) => segments[from] ?? ""),
    kinds: Uint8Array.from(order, (from) => kinds[from] ?? 0),
    nameRules: Uint8Array.from(order, (from) => nameRules[from] ?? 0),
    numbers: sorted,
    extras: moveKeys(extras, order),
    ...(ownSegments === undefined ? {} : { ownSegments: moveKeys(ownSegments, order) }),
  };
}

function moveKeys<Value>(values: ReadonlyMap<number, Value>, order: readonly number[]): Map<number, Value> {
  const moved = new Map<number, Value>();
  if (values.size === 0) return moved;
  for (const [to, from] of order.entries()) {
    const value = values.get(from);
    if (value !== undefined) moved.set(to, value);
  }
  return moved;
}

function kindOfMode(mode: number): number {
  const type = mode & constants.S_IFMT;
  if (type === constants.S_IFREG) return fileKind;
  return type === constants.S_IFDIR ? folderKind : entryKinds.indexOf("not-a-file");
}

/** Whether a place without links is another or below it, both one character a byte. */
export function isInside(realPath: string, rootRealPath: string): boolean {
  return realPath === rootRealPath || realPath.startsWith(rootRealPath === "/" ? "/" : `${rootRealPath}/`);
}

/** Whether an error says that the exporter's user may not look there. */
export function isDenial(code: string): boolean {
  return code === "EACCES" || code === "EPERM";
}

/** How many links to folders may lie on one path: deployments nest two; more is a maze. */
const maxLinkedFolders = 4;

/**
 * Whether a link to a folder would be followed in circles. Throws what the file system throws.
 *
 * @param location - the folder that the link is in
 * @param linked - real paths of the folders that links led into on the way there
 */
export function isLinkLoop(location: Location, linked: readonly string[], realPath: string): boolean {
  if (linked.includes(realPath) || linked.length >= maxLinkedFolders) return true;
  return isInside(resolveLocation(location), realPath);
}

export interface RootPlace {
  /** Without links, one character a byte. */
  readonly realPath: string;
  readonly location: Location;
}

/** Finds a document root, links followed. Throws what the file system throws. */
export function locateRoot(docroot: string): RootPlace {
  const realPath = resolveLocation(docroot);
  const bytes = Buffer.from(realPath, "latin1");
  const location = bytes.toString("utf8") === realPath ? realPath : bytes;
  return { realPath, location: realPath === "/" ? "" : location };
}

/** A place without links, one character a byte. Throws what the file system throws. */
export function resolveLocation(location: Location): string {
  return realpathSync.native(toNodePath(location), "latin1" as "utf8");
}

function fillStatus(numbers: Float64Array, start: number, status: Stats): void {
  numbers[start + statusAt.mode] = status.mode;
  numbers[start + statusAt.uid] = status.uid;
  numbers[start + statusAt.gid] = status.gid;
  numbers[start + statusAt.sizeBytes] = status.size;
  numbers[start + statusAt.mtimeUs] = toEpochUs(status.mtimeMs);
  numbers[start + statusAt.ctimeUs] = toEpochUs(status.ctimeMs);
  numbers[start + statusAt.device] = status.dev;
  numbers[start + statusAt.inode] = status.ino;
}

/**
 * A file system's time in whole microseconds since 1970. Times that a double cannot hold exactly,
 * before 1970 and after 2255, become the nearest that it can: anybody may set them on a file.
 */
export function toEpochUs(timeMs: number): number {
  return Math.min(Math.max(Math.floor(timeMs * 1000), 0), Number.MAX_SAFE_INTEGER);
}
