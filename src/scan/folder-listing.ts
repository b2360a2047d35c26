import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { encodePathSegment } from "../format/index.ts";

/** An entry of a folder, with what is needed to go on. */
export interface ListedEntry {
  /** The name's bytes, one character a byte. */
  readonly name: string;
  /** Percent-encoded name; of a folder with `/` behind, so that sorting by it is sorting by path. */
  readonly segment: string;
  readonly kind: "file" | "folder" | "link" | "special";
}

/** A folder's or file's place: a string where the bytes are ASCII, else the bytes. */
export type Location = string | Buffer;

const ascii = /^[\x00-\x7f]*$/;

/** Appends a name to a place. Strings are faster; a name that is not ASCII makes the place bytes. */
export function joinLocation(parent: Location, name: string): Location {
  if (typeof parent === "string" && ascii.test(name)) return `${parent}/${name}`;
  const head = typeof parent === "string" ? Buffer.from(parent, "utf8") : parent;
  return Buffer.concat([head, Buffer.from("/"), Buffer.from(name, "latin1")]);
}

function kindOf(entry: Dirent): ListedEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "special";
}

/** Lists a folder in no order. Throws what the file system throws. */
export function listFolder(location: Location): ListedEntry[] {
  // "latin1" hands out a name's bytes unharmed; its type in @types/node is for UTF-8 only.
  const entries = readdirSync(location, { withFileTypes: true, encoding: "latin1" as "utf8" });
  return entries.map((entry) => {
    const kind = kindOf(entry);
    const segment = encodePathSegment(entry.name);
    return { name: entry.name, segment: kind === "folder" ? `${segment}/` : segment, kind };
  });
}

/** What a symbolic link leads to, or why it is not followed. */
export type LinkTarget =
  | { readonly kind: "file" | "folder"; readonly realPath: string }
  | { readonly kind: "broken-link" | "link-loop" | "unreadable" | "outside-root" | "not-a-file" };

const linkFailures: Readonly<Record<string, "broken-link" | "link-loop" | "unreadable">> = {
  ENOENT: "broken-link",
  ENOTDIR: "broken-link",
  ELOOP: "link-loop",
  EACCES: "unreadable",
  EPERM: "unreadable",
};

/**
 * Follows a link. Throws what the file system throws if that says nothing of the link.
 *
 * @param rootRealPath - the document root without links, one character a byte
 * @returns where it leads, as bytes in characters
 */
export function resolveLink(location: Location, rootRealPath: string): LinkTarget {
  let realPath: string;
  let status: Stats;
  try {
    realPath = realpathSync.native(location, "latin1" as "utf8");
    status = statSync(location);
  } catch (error) {
    const kind = linkFailures[(error as NodeJS.ErrnoException).code ?? ""];
    if (kind === undefined) throw error;
    return { kind };
  }
  if (realPath !== rootRealPath && !realPath.startsWith(rootRealPath === "/" ? "/" : `${rootRealPath}/`))
    return { kind: "outside-root" };
  if (status.isDirectory()) return { kind: "folder", realPath };
  return status.isFile() ? { kind: "file", realPath } : { kind: "not-a-file" };
}

/** Looks at an entry, following links if they were judged safe; undefined if it is gone. */
export function statEntry(location: Location, isLink: boolean): Stats | undefined {
  return isLink ? statSync(location, { throwIfNoEntry: false }) : lstatSync(location, { throwIfNoEntry: false });
}
