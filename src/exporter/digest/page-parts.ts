import { createHash } from "node:crypto";
import { constants, statSync } from "node:fs";
import type { Inclusion } from "../../formats/html/index.ts";
import { decodePathSegment, encodePathSegment } from "../../formats/url/index.ts";
import { FileSystems } from "../walk/file-systems.ts";
import { isInside, joinLocation, resolveLocation, toEpochUs, toNodePath } from "../walk/folder-listing.ts";
import { judgeName } from "../walk/name-rules.ts";
import { FileDigester, shortenDigest } from "./file-digest.ts";
import type { FoundIncludes } from "./page-scanner.ts";

/** A folder that the server shows below a prefix of its URLs, `/` for the document root. */
export interface PartRoot {
  /** Encoded path with `/` at both ends. */
  readonly prefix: string;
  readonly folder: string;
}

/** What a page is made of besides its own file, now. */
export interface PageParts {
  /** Encoded URL paths in the order in which they are met; each once. */
  readonly parts: readonly string[];
  /** Of the parts' sizes and times: while it is the same, none was written to. */
  readonly stamp: string;
  readonly contentDigest: string;
  readonly isDynamic: boolean;
  /** The newest times of the parts, in microseconds since 1970; 0 without parts. */
  readonly mtimeUs: number;
  readonly ctimeUs: number;
}

interface Part {
  /** Where it is, links followed, one character a byte; undefined if it is not there, or not below a root. */
  readonly realPath: string | undefined;
  readonly status: string;
  /** Of file system and inode. */
  readonly fileStamp: number;
  readonly mtimeUs: number;
  readonly ctimeUs: number;
  readonly content: { readonly digest: string; readonly includes: FoundIncludes | undefined } | undefined;
}

/** Files that a page may be made of, and their paths' length together; what has more is dynamic. */
const maxParts = 64;
const maxPartsLength = 16_000;
/** Inclusions within inclusions that are followed. Servers stop at 10 to 50. */
const maxDepth = 16;
/** Parts that are remembered; a site includes the same few files everywhere. */
const keptParts = 4096;
const absent: Part = { realPath: undefined, status: "", fileStamp: 0, mtimeUs: 0, ctimeUs: 0, content: undefined };

/**
 * Finds what pages include, also by way of what they include: each file is looked at and read once a run, as long as
 * they are not more than {@link keptParts}. A path that leads out of its root, by `..` or by a link, names nothing.
 */
export class PartFinder {
  readonly #roots: readonly (PartRoot & { readonly realPath: string })[];
  readonly #indexSegments: readonly string[];
  readonly #digester: FileDigester = new FileDigester({ includes: "on" });
  readonly #parts = new Map<string, Part>();
  readonly #fileSystems: FileSystems = new FileSystems();

  /** @param indexSegments - encoded names of the files that the server shows as their folders */
  constructor(roots: readonly PartRoot[], indexSegments: readonly string[]) {
    this.#roots = [...roots]
      .sort((a, b) => b.prefix.length - a.prefix.length)
      .map((root) => ({ ...root, realPath: resolveLocation(Buffer.from(root.folder)) }));
    this.#indexSegments = indexSegments.length === 0 ? ["index.html"] : indexSegments;
  }

  /** Follows what a page includes. Reads the parts that were not read yet. */
  find(path: string, includes: FoundIncludes): PageParts {
    const parts: string[] = [];
    const known = new Set<string>();
    const hash = createHash("sha256");
    let { isDynamic } = includes;
    let [length, mtimeUs, ctimeUs] = [0, 0, 0];
    const follow = (from: string, found: FoundIncludes, depth: number): void => {
      for (const inclusion of found.inclusions) {
        const part = resolveInclusion(from, inclusion);
        if (part === undefined || isProgram(part)) isDynamic = true;
        if (part === undefined || known.has(part)) continue;
        length += part.length + 1;
        if (parts.length >= maxParts || length > maxPartsLength || depth > maxDepth) {
          isDynamic = true;
          return;
        }
        known.add(part);
        parts.push(part);
        const seen = this.#read(part);
        mtimeUs = Math.max(mtimeUs, seen.mtimeUs);
        ctimeUs = Math.max(ctimeUs, seen.ctimeUs);
        hash.update(`${part}\n${seen.content?.digest ?? ""}\n`);
        if (seen.content?.includes === undefined) continue;
        isDynamic ||= seen.content.includes.isDynamic;
        follow(part, seen.content.includes, depth + 1);
      }
    };
    follow(path, includes, 1);
    const stamp = this.stampOf(parts);
    return { parts, stamp, contentDigest: shortenDigest(hash), isDynamic, mtimeUs, ctimeUs };
  }

  /** What sizes and times of parts say; none of them is read. */
  stampOf(parts: readonly string[]): string {
    const hash = createHash("sha256");
    for (const part of parts) hash.update(`${part}\n${this.#look(part).status}\n`);
    return shortenDigest(hash);
  }

  #look(path: string): Part {
    let part = this.#parts.get(path);
    if (part !== undefined) return part;
    part = this.#stat(path);
    if (this.#parts.size >= keptParts) this.#parts.clear();
    this.#parts.set(path, part);
    return part;
  }

  #read(path: string): Part {
    const part = this.#look(path);
    if (part.realPath === undefined || part.content !== undefined) return part;
    const digest = this.#digester.digest({ location: Buffer.from(part.realPath, "latin1"), mediaType: "text/html" });
    if (digest.kind !== "digested") return part;
    const { sizeBytes, mtimeUs, ctimeUs } = digest;
    // Status and bytes belong together, also if it was written to since it was looked at.
    const status = `${sizeBytes} ${mtimeUs} ${ctimeUs} ${part.fileStamp}`;
    const content = { digest: digest.digest, includes: digest.includes };
    const read: Part = { ...part, status, mtimeUs, ctimeUs, content };
    this.#parts.set(path, read);
    return read;
  }

  #stat(path: string): Part {
    const root = this.#roots.find(({ prefix }) => path.startsWith(prefix));
    if (root === undefined) return absent;
    const names = path.slice(root.prefix.length).split("/").map(decodePathSegment);
    const isFolder = names.at(-1) === "";
    if (isFolder) names.pop();
    const tried = isFolder ? this.#indexSegments.map((name) => [...names, decodePathSegment(name)]) : [names];
    for (const one of tried) {
      try {
        const location = one.reduce<string | Uint8Array>(joinLocation, Buffer.from(root.realPath, "latin1"));
        const realPath = resolveLocation(location);
        if (!isInside(realPath, root.realPath)) continue;
        const { mode, size, mtimeMs, ctimeMs, dev, ino } = statSync(toNodePath(Buffer.from(realPath, "latin1")));
        if ((mode & constants.S_IFMT) !== constants.S_IFREG) continue;
        const [mtimeUs, ctimeUs] = [toEpochUs(mtimeMs), toEpochUs(ctimeMs)];
        const fileStamp = this.#fileSystems.stampOf(dev, ino);
        const status = `${size} ${mtimeUs} ${ctimeUs} ${fileStamp}`;
        return { realPath, status, fileStamp, mtimeUs, ctimeUs, content: undefined };
      } catch {
        // Not there, or not for us: the server shows an error in its place, until that changes.
      }
    }
    return absent;
  }
}

/**
 * The encoded path of an included file, without query.
 *
 * @param from - path of the page that includes it
 * @returns undefined if it names nothing of the site
 */
function resolveInclusion(from: string, { by, name }: Inclusion): string | undefined {
  const path = by === "virtual" ? (name.split(/[?#]/, 1)[0] ?? "") : name;
  if (path === "" || /^[a-z][a-z0-9+.-]*:|^\/\//i.test(path) || path.includes("\0")) return undefined;
  if (by === "file" && path.startsWith("/")) return undefined;
  const segments = path.startsWith("/") ? [] : from.split("/").slice(1, -1);
  const given = path.replace(/^\//, "").split("/");
  for (const [at, text] of given.entries()) {
    const own = by === "virtual" ? decodePathSegment(text) : text;
    if (own.includes("/") || own.includes("\0")) return undefined;
    if (own === "..") {
      if (by === "file" || segments.pop() === undefined) return undefined;
    } else if (own !== "." && (own !== "" || at === given.length - 1)) segments.push(encodePathSegment(own));
  }
  return `/${segments.join("/")}`;
}

/** Whether the server runs it rather than shows it. */
function isProgram(path: string): boolean {
  const names = path.slice(1).split("/").map(decodePathSegment);
  return names.some((name, at) => {
    const isFolder = at < names.length - 1;
    return !/\.inc$/i.test(name) && judgeName(name, isFolder) === "server-source";
  });
}
