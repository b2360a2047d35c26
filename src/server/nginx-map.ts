import { hash } from "node:crypto";
import { decodePathSegment } from "../formats/url/index.ts";
import type { MirroredPage } from "../storage/index.ts";

/** Endings that nginx has had in its `mime.types` from the beginning, with what they are to it. */
const plainTypes: Readonly<Record<string, string>> = {
  html: "text/html",
  htm: "text/html",
  css: "text/css",
  txt: "text/plain",
  gif: "image/gif",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  svg: "image/svg+xml",
  pdf: "application/pdf",
  zip: "application/zip",
};
const indexName = "index.html";

/** Whether nginx finds the file, and its media type, by `try_files $uri $uri/index.html`. */
function isPlain({ path, names, mediaType }: MirroredPage): boolean {
  if (path.includes("?") || /\/(?:\/|\.{1,2}(?:\/|$))/.test(path)) return false;
  const asked = path.slice(1).split("/").map(decodePathSegment);
  if (asked.some((name) => name.includes("/") || name === "." || name === "..")) return false;
  const found = asked.at(-1) === "" ? [...asked.slice(0, -1), indexName] : asked;
  const wanted = Buffer.from(found.join("/"), "latin1").toString();
  const isFound = names === wanted || names === `${wanted}/${indexName}`;
  const ending = /\.([^./]+)$/.exec(names)?.[1] ?? "";
  return isFound && plainTypes[ending] === mediaType;
}

/** A value within quotes: backslashes are escapes there, and a dollar begins a variable. */
function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&").replaceAll("$", "${" + "tidemark_dollar}")}"`;
}

/** A number that is the same for keys that are one to nginx, and for few others. */
function foldedHash(path: string): number {
  return hash("sha1", path.toLowerCase(), "buffer").readUInt32LE();
}

// Keys are compared without regard to case, but for expressions, of which each request may have to try all.
function lineOf({ path, names, mediaType }: MirroredPage, isTwin: boolean): string {
  const literal = path.replace(/["\\]/g, "\\$&");
  const key = isTwin ? `~^${path.replace(/[^A-Za-z0-9/]/g, "\\$&")}$`.replace(/["\\]/g, "\\$&") : literal;
  return `  "${key}" ${quote(`${path} ${mediaType} /${names}`)};\n`;
}

/**
 * Writes what nginx must know of a mirror beside its files, for its `http` block: `$tidemark_file` and `$tidemark_type` of
 * each page that it would not find by its URL, or not give its media type. Memory is some bytes for each of these.
 *
 * @param pages - with names as text; called twice
 * @see docs/nginx.md
 */
export function* formatNginxMap(pages: () => Iterable<MirroredPage>): Generator<string, void, void> {
  const seen = new Set<number>();
  const twins = new Set<number>();
  let count = 0;
  let longest = 0;
  for (const page of pages()) {
    if (isPlain(page)) continue;
    count++;
    longest = Math.max(longest, page.path.length);
    const folded = foldedHash(page.path);
    (seen.has(folded) ? twins : seen).add(folded);
  }
  // An element is its key and some pointers; a bucket holds at least one.
  const bucketBytes = 2 ** Math.max(7, Math.ceil(Math.log2(longest + 64)));
  yield `# Written by tidemark serve --nginx: ${count} ${count === 1 ? "page" : "pages"}.\n`;
  yield `map_hash_bucket_size ${bucketBytes};\nmap_hash_max_size ${Math.max(2048, count * 2)};\n`;
  yield 'geo $tidemark_dollar { default "$"; }\n';
  yield 'map $request_uri $tidemark_entry {\n  default "";\n';
  for (const page of pages()) if (!isPlain(page)) yield lineOf(page, twins.has(foldedHash(page.path)));
  yield "}\n";
  // An entry begins with its page's path, which must be the one that was asked for.
  for (const [name, found] of [
    ["type", "(?<tidemark_found_type>[^ ]+) "],
    ["file", "[^ ]+ (?<tidemark_found_file>(?s).+)$"],
  ] as const)
    yield `map "$request_uri $tidemark_entry" $tidemark_${name} { "~^([^ ]+) \\1 ${found}" $tidemark_found_${name}; }\n`;
}
