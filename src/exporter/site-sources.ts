import { constants, realpathSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { publishedFolder } from "../formats/archive/index.ts";
import { decodePathSegment } from "../formats/url/index.ts";
import { DigestPool, type DigestPoolOptions } from "./digest/digest-pool.ts";
import type { FileDigest } from "./digest/file-digest.ts";
import { PartFinder } from "./digest/page-parts.ts";
import type { SiteLists } from "./lists/site-lists.ts";
import type { CandidateDigest } from "./publish/page-diff.ts";
import type { FileReader, PageSource, SourceBatch } from "./publish/site-comparison.ts";
import type { PartSource } from "./publish/site-parts.ts";
import type { MappedRoot } from "./site-rules.ts";
import type { ServedNameRules } from "./walk/served-names.ts";
import { type RootWalk, SiteWalk } from "./walk/site-walk.ts";
import { Walk } from "./walk/walk.ts";
import type { WalkOptions } from "./walk/walk-options.ts";

/** Where a site's pages come from. */
export interface SiteSourcesOptions {
  readonly walk: WalkOptions;
  /** What is mapped into the document root. */
  readonly roots: readonly MappedRoot[];
  /** Folder that contains robots.txt. */
  readonly robotsDir: string;
  readonly lists: SiteLists | undefined;
  readonly digests: DigestPoolOptions;
  /** Percent-encoded names of the index files. */
  readonly indexSegments: readonly string[];
}

/** Opens the whole site, to be compared with what was published. */
export function openSite(options: SiteSourcesOptions): PageSource {
  const { walk, roots, robotsDir, lists } = options;
  const files = openSiteWalk(walk, roots, robotsDir);
  const pages = lists?.addTo(files);
  return {
    batches: () => (pages === undefined ? walkAll(files) : readAll(pages)),
    ...openReader(options, pages ?? files),
  };
}

/** Opens single folders: the document root without mapped folders and lists. */
export function openParts(options: SiteSourcesOptions): PartSource {
  const looking = new Walk(options.walk);
  return {
    look: async (folder) => {
      const { files, ...rest } = await looking.look(folder);
      return { pages: files, ...rest };
    },
    below: async function* (folder) {
      await using files = new Walk(options.walk);
      await files.beginAt(folder);
      yield* walkAll(files);
    },
    ...openReader(options, looking),
  };
}

/** Starts threads that read files. @param opened - disposed of together with them */
function openReader({ digests, walk, roots, indexSegments }: SiteSourcesOptions, opened: AsyncDisposable): FileReader {
  const pool = new DigestPool(digests);
  // Each run reads included files again.
  const finder = new PartFinder([{ prefix: "/", folder: walk.docroot }, ...roots], indexSegments);
  const follow = (read: FileDigest, path: string): CandidateDigest => {
    if (read.kind !== "digested" || read.includes === undefined) return read as CandidateDigest;
    return { ...read, includes: finder.find(path, read.includes) };
  };
  return {
    digestAll: async (files, pause) =>
      (await pool.digestAll(files, pause)).map((read, at) => follow(read, files[at]?.path ?? "/")),
    stampParts: digests.includes === "off" ? undefined : (parts) => finder.stampOf(parts),
    [Symbol.asyncDispose]: async () => {
      await pool[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}

async function* readAll<Batch>(source: { next(): Promise<Batch | undefined> }): AsyncGenerator<Batch, undefined> {
  for (let batch = await source.next(); batch !== undefined; batch = await source.next()) yield batch;
}

async function* walkAll(walk: RootWalk): AsyncGenerator<SourceBatch, undefined> {
  for await (const { files, gaps } of readAll(walk)) yield { pages: files, gaps };
}

/**
 * Starts the walk over a document root and the mapped folders.
 *
 * @param robotsDir - folder of robots.txt, which we write to and which is never a page
 */
function openSiteWalk(site: WalkOptions, roots: readonly MappedRoot[], robotsDir: string): RootWalk {
  if (roots.length === 0) return new Walk(site);
  const mappedPrefixes: ReadonlySet<string> = new Set(roots.map(({ prefix }) => prefix));
  // A mapped folder may contain our own files under another URL.
  const robotsFile = `${toBytes(realpathSync(robotsDir))}/robots.txt`;
  const published = toBytes(join(realpathSync(site.docroot), publishedFolder));
  const isOwnPlace = (realPath: string): boolean => realPath === robotsFile || `${realPath}/`.startsWith(published);
  // Index files apply everywhere; clean URLs only in the document root.
  const { servedNames } = site;
  const mappedNames = servedNames === undefined ? {} : { servedNames: { ...servedNames, cleanUrls: false } };
  return new SiteWalk([
    { prefix: "/", open: () => new Walk({ ...site, mappedPrefixes }) },
    ...roots.map(({ prefix, folder }) => ({
      prefix,
      open: () => new Walk({ ...site, docroot: folder, prefix, mappedPrefixes, isOwnPlace, ...mappedNames }),
    })),
  ]);
}

function toBytes(path: string): string {
  return Buffer.from(path).toString("latin1");
}

/** The file of a URL path below a document root. */
export function fileOf(docroot: string, path: string): Buffer {
  const names = path.slice(1).split("/").map(decodePathSegment);
  // A name goes one level down, whatever its bytes are.
  const isName = names.every((name) => name !== ".." && !/[/\0]/.test(name));
  return Buffer.concat([Buffer.from(`${docroot}/`), Buffer.from(isName ? names.join("/") : "\x01", "latin1")]);
}

/** The files that may be the page of a URL path, by what the server shows for folders and short names. */
export function filesOf(
  docroot: string,
  roots: readonly MappedRoot[],
  names: ServedNameRules | undefined,
  path: string,
): Buffer[] {
  let root: MappedRoot = { prefix: "/", folder: docroot };
  for (const one of roots) if (path.startsWith(one.prefix) && one.prefix.length > root.prefix.length) root = one;
  const below = path.slice(root.prefix.length - 1);
  const endings = below.endsWith("/") ? (names?.indexSegments ?? []) : names?.cleanUrls ? ["", ".html", ".htm"] : [""];
  return endings.map((ending) => fileOf(root.folder, below + ending));
}

/**
 * Reads a page's file. The caller compares the bytes with the published digest, so that no other content gets out.
 *
 * @param files - that may be the page, the likeliest first
 * @returns the bytes of the first that is there; undefined if there is no such file, or if it is larger
 */
export async function readPage(files: readonly Buffer[], maxBytes: number): Promise<Buffer | undefined> {
  for (const file of files) {
    try {
      await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
      const status = await handle.stat();
      if (status.isFile()) return status.size <= maxBytes ? await handle.readFile() : undefined;
    } catch {}
  }
  return undefined;
}
