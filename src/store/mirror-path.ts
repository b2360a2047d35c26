import { createHash } from "node:crypto";
import { decodePathSegment } from "../format/index.ts";

/** The name of the file for a path that ends with a slash. */
const folderPageName = "~tidemark-index";

const maxNameBytes = 255;
// Names of ours, so that no page can take one: the crawler's own folder, and names made here.
const ownName = /^(?:\.tidemark|~tidemark)/i;
const windowsName = /[\\:*?"<>|\u0000-\u001f]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

function standInFor(encoded: string): string {
  return `~tidemark-${createHash("sha256").update(encoded, "latin1").digest("hex").slice(0, 16)}`;
}

function nameOf(encoded: string, isWindows: boolean): string {
  const name = decodePathSegment(encoded);
  const isUnfit =
    name === "" ||
    name === "." ||
    name === ".." ||
    name.length > maxNameBytes ||
    name.includes("/") ||
    name.includes("\0") ||
    ownName.test(name) ||
    (isWindows && windowsName.test(name));
  return isUnfit ? standInFor(encoded) : name;
}

/**
 * The file of a page within its site's mirror.
 *
 * Names are the bytes of the path's segments, the query a part of the last one. A segment that cannot be
 * a name, or must not (`..`, one with a slash or NUL in it, one that is too long or is ours), stands as
 * `~tidemark-` and a part of its SHA-256; a path that ends with a slash is the file `~tidemark-index`.
 *
 * @param path - a page's path with query, which begins with `/`
 * @returns names joined by `/`, one character (0 to 255) a byte; it never leads out of the folder
 */
export function mirrorPathOf(path: string, isWindows: boolean): string {
  const mark = path.indexOf("?");
  const query = mark === -1 ? "" : path.slice(mark);
  const segments = (mark === -1 ? path : path.slice(0, mark)).slice(1).split("/");
  const last = segments.pop() ?? "";
  const names = segments.map((segment) => nameOf(segment, isWindows));
  if (last !== "") names.push(nameOf(last + query, isWindows));
  else names.push(query === "" ? folderPageName : standInFor(`/${query}`));
  return names.join("/");
}

/**
 * A file in a folder. Names that are not ASCII are bytes: only a Buffer says them exactly.
 *
 * @param names - as {@link mirrorPathOf} gives them
 */
export function fileNamed(folder: string, names: string): string | Buffer {
  if (/^[\x01-\x7f]*$/.test(names)) return `${folder}/${names}`;
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(names, "latin1")]);
}

/** The folder of a site's mirror: its host, and its port if that is not the scheme's own. */
export function mirrorFolderOf(origin: string): string {
  const name = new URL(origin).host.replaceAll(":", "_");
  return name.startsWith(".") ? `_${name}` : name;
}
