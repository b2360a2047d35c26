import { createHash } from "node:crypto";
import { parseUrl } from "../../core/index.ts";
import { decodePathSegment } from "../../formats/url/index.ts";

/** The file of a path that ends with a slash: the one that web servers show for a folder. */
export const indexName = "index.html";

/** The longest name of a file. */
export const maxNameBytes = 255;
// Names of ours, so that no page can take one: the crawler's own folder, and names made here.
const ownName = /^(?:\.tidemark|~tidemark)/i;
const windowsName = /[\\:*?"<>|\u0000-\u001f]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

// Escapes that each URL has, because what they stand for cannot be written: only these are undone, so that no two paths
// have one name. A question mark is that of a query, and one that is escaped stays so.
const undoneInPath = /%(?:[01][0-9A-F]|2[023F]|3[CE]|5[CE]|60|7[BDF]|[89A-F][0-9A-F]|25(?![0-9A-Fa-f]{2}))/g;
const undoneInQuery = /%(?:[01][0-9A-F]|2[0237]|3[CE]|5[CE]|60|7[BDF]|[89A-F][0-9A-F]|25(?![0-9A-Fa-f]{2}))/g;
const barePercent = /%(?![0-9A-Fa-f]{2})/;

/** Most names: they stand for themselves, except on Windows, whose devices have such names. */
const plainName = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}$/;

/** A name of ours for what cannot have its own: `~tidemark-` and a part of its SHA-256. No page has a name that begins so. */
export function standInFor(encoded: string): string {
  return `~tidemark-${createHash("sha256").update(encoded, "latin1").digest("hex").slice(0, 16)}`;
}

/** A folder of that name would be in the way of the file. */
export const indexFolder: string = standInFor(indexName);

function isUnfit(name: string, isWindows: boolean): boolean {
  return (
    name === "" ||
    name === "." ||
    name === ".." ||
    name.length > maxNameBytes ||
    name.includes("/") ||
    name.includes("\0") ||
    ownName.test(name) ||
    (isWindows && windowsName.test(name))
  );
}

function nameOf(segment: string, query: string, isWindows: boolean): string {
  if (!isWindows && query === "" && plainName.test(segment)) return segment;
  const encoded = segment + query;
  const name = segment.replace(undoneInPath, decodePathSegment) + query.replace(undoneInQuery, decodePathSegment);
  // `%2e%2e` is no name that anybody should meet.
  const isSuspect = isUnfit(decodePathSegment(segment), false);
  return isSuspect || barePercent.test(encoded) || isUnfit(name, isWindows) ? standInFor(encoded) : name;
}

/**
 * The file of a page within its site's mirror.
 *
 * Names are the bytes of the path's segments, the query a part of the last one. Escapes that need not be, such as
 * `%2B`, stay as they are, so that no two paths have one name. A segment that cannot be
 * a name, or must not (`..`, one with a slash or NUL in it, one that is too long or is ours), stands as
 * `~tidemark-` and a part of its SHA-256, and so does a folder `index.html`; a path that ends with a slash is the file `index.html`, as in the folder of a
 * web server. Where two pages have one name, or one has the name of a folder, `MirrorPlaces` knows where they are.
 *
 * @param path - a page's path with query, which begins with `/`
 * @returns names joined by `/`, one character (0 to 255) a byte; it never leads out of the folder
 */
export function mirrorPathOf(path: string, isWindows: boolean): string {
  const mark = path.indexOf("?");
  const query = mark === -1 ? "" : path.slice(mark);
  const segments = (mark === -1 ? path : path.slice(0, mark)).slice(1).split("/");
  const last = segments.pop() ?? "";
  const names = segments.map((segment) => (segment === indexName ? indexFolder : nameOf(segment, "", isWindows)));
  if (last !== "") names.push(nameOf(last, query, isWindows));
  else names.push(query === "" ? indexName : standInFor(`/${query}`));
  return names.join("/");
}

/**
 * The name of a page's file where {@link mirrorPathOf} gives one that is taken: in the same folder, and no other page's.
 *
 * @param names - as {@link mirrorPathOf} gives them
 * @param isFolderPage - whether the path ends with a slash
 */
export function standInOf(names: string, isFolderPage: boolean): string {
  const slash = names.lastIndexOf("/") + 1;
  return names.slice(0, slash) + standInFor(`page ${isFolderPage ? "/" : names.slice(slash)}`);
}

export function isIndexPath(path: string): boolean {
  return /\/(?:index\.html)?$/.test(path);
}

/** The other pages that may have the index file of a page's folder: of `/a/` those are `/a/index.html` and `/a`. */
export function sharersOf(path: string): string[] {
  if (path.includes("?")) return [];
  if (!isIndexPath(path)) return [`${path}/`, `${path}/${indexName}`];
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const plain = folder.slice(0, -1);
  const all = [folder, folder + indexName, ...(plain === "" || plain.endsWith("/") ? [] : [plain])];
  return all.filter((other) => other !== path);
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

/** The usual folder of a site's mirror: its host, and its port if that is not the scheme's own. */
export function mirrorFolderOf(origin: string): string {
  return mirrorFoldersOf(origin)[0] as string;
}

/**
 * The folders that a site's mirror may have, in order: the usual one; the one with the port in any case; the one with the scheme, which no
 * other origin may have. Of a host that is too long for a file system only that one, with a part of the SHA-256 of the host and the port for both.
 */
export function mirrorFoldersOf(origin: string): string[] {
  const { host, hostname, port, protocol } = new URL(origin);
  const withPort = `${hostname}:${port || (protocol === "http:" ? 80 : 443)}`.replaceAll(":", "_");
  const names = [folderNamed(host), folderNamed(withPort), `${protocol.slice(0, -1)}@${withPort}`];
  // No host has an `@`.
  if (names.some((name) => name.length > maxNameBytes)) return [`${protocol.slice(0, -1)}@${standInFor(withPort)}`];
  return names;
}

function folderNamed(host: string): string {
  const name = host.replaceAll(":", "_");
  return name.startsWith(".") ? `_${name}` : name;
}

/** The origins for which {@link mirrorFoldersOf} names a folder without a scheme. */
export function originsNamed(folder: string): string[] {
  const names = folder.startsWith("_.") ? [folder, folder.slice(1)] : [folder];
  const hosts = names
    .map((name) => name.replace(/^\[[^\]]*/, (address) => address.replaceAll("_", ":")))
    .flatMap((name) => [name, name.replace(/_([0-9]+)$/, ":$1")]);
  const urls = hosts.flatMap((host) => [parseUrl(`http://${host}`), parseUrl(`https://${host}`)]);
  return [...new Set(urls.flatMap((url) => (url === undefined ? [] : [url.origin])))];
}
