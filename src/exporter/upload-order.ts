import type { Dirent } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import { indexFileName, parseArchiveName, publishedFolder } from "../formats/archive/index.ts";
import { shownPath } from "../fs/index.ts";
import { feedNames } from "./feeds/feed-names.ts";
import { ArchiveFiles } from "./publish/archive-files.ts";
import { readPublishedIndex, robotsFileName } from "./publish/published-files.ts";
import { namesOfIndex } from "./publish/retired-files.ts";
import { isListName } from "./standards/list-folder.ts";

/**
 * The steps in which a document root is copied to a place that crawlers read meanwhile. Each is finished before the
 * next one begins: what a file names is there before the file. `removals` come last.
 */
export const uploadPhases = ["pages", "archives", "lists", "index", "robots", "removals"] as const;

/** A step of an upload. */
export type UploadPhase = (typeof uploadPhases)[number];

/** A file to upload, or to remove. */
export interface UploadedFile {
  readonly phase: UploadPhase;
  /** Below the document root, a `/` between names. Each character is a byte of the name (Latin-1). */
  readonly path: string;
}

/** What decides on the order of an upload. */
export interface UploadOrderOptions {
  readonly documentRoot: string;
  /** Steps to list, in the order of {@link uploadPhases}. Default: all but `removals`. */
  readonly phases?: readonly UploadPhase[];
  /** Paths of the files at the other place, for `removals`; bytes as in {@link UploadedFile.path}. */
  readonly remote?: AsyncIterable<string>;
  readonly signal?: AbortSignal;
}

const home = publishedFolder.slice(1, -1);
const description = ".well-known/resourcesync";
/** Documents whose name contains a digest, and closed packages: their bytes never change. */
const immutableList = /-[0-9a-f]{16}\.xml$|\.zip$/;

/**
 * Lists the files of a document root in the order in which they are uploaded, so that a reader of the other place
 * never meets an index that names an archive which is not there yet.
 *
 * Links to files are listed; links to folders are not followed. Memory is the names of the folders on one path.
 *
 * @throws TidemarkError `not-found` if nothing is published there, `archive-corrupt` if the index names an archive
 *   that is not there
 */
export async function* listUploadOrder(options: UploadOrderOptions): AsyncGenerator<UploadedFile, void, void> {
  const { documentRoot, remote, signal } = options;
  const wanted = new Set(options.phases ?? uploadPhases.slice(0, -1));
  await checkPublished(documentRoot);
  if (wanted.has("pages")) {
    for await (const path of walkPages(documentRoot, "")) {
      signal?.throwIfAborted();
      yield { phase: "pages", path };
    }
  }
  const published = await readNames(join(documentRoot, home));
  const names = published.map(({ name }) => name);
  const immutable = names.filter((name) => parseArchiveName(name).ok || (isListName(name) && immutableList.test(name)));
  const lists = names.filter((name) => isListName(name) && !immutableList.test(name)).map((name) => `${home}/${name}`);
  for (const name of Object.values(feedNames)) if (names.includes(name)) lists.push(`${home}/${name}`);
  if (await isFile(join(documentRoot, description))) lists.push(description);
  const robots = (await isFile(join(documentRoot, robotsFileName))) ? [robotsFileName] : [];
  const later: ReadonlyArray<readonly [UploadPhase, readonly string[]]> = [
    ["archives", immutable.map((name) => `${home}/${name}`)],
    ["lists", lists],
    ["index", [`${home}/${indexFileName}`]],
    ["robots", robots],
  ];
  for (const [phase, paths] of later) if (wanted.has(phase)) for (const path of paths) yield { phase, path };
  if (!wanted.has("removals") || remote === undefined) return;
  for await (const path of remote) {
    signal?.throwIfAborted();
    if (path !== "" && !(await isThere(documentRoot, path))) yield { phase: "removals", path };
  }
}

/** Checks that a reader of this folder would find all that its index leads to. */
async function checkPublished(documentRoot: string): Promise<void> {
  const folder = join(documentRoot, home);
  const published = await readPublishedIndex(folder);
  if (published === undefined)
    throw new TidemarkError("not-found", `${documentRoot} has no ${home}/${indexFileName} that can be read.`, {
      hint: "Run tidemark export first.",
      details: { path: folder },
    });
  const there = new Set((await readNames(folder)).map(({ name }) => name));
  const missing = (await namesOfIndex(new ArchiveFiles(folder), published.index)).find((name) => !there.has(name));
  if (missing !== undefined)
    throw new TidemarkError("archive-corrupt", `The index names ${missing}, and ${folder} has no such file.`, {
      hint: "Run the export again; it publishes what is missing.",
      details: { path: join(folder, missing) },
    });
}

async function* walkPages(documentRoot: string, below: string): AsyncGenerator<string, void, void> {
  for (const entry of await readNames(join(documentRoot, below), documentRoot, below)) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (path === home || path === description || path === robotsFileName) continue;
    if (entry.isDirectory()) yield* walkPages(documentRoot, path);
    else if (entry.isFile() || (entry.isSymbolicLink() && (await isFile(bytesPath(documentRoot, path))))) yield path;
  }
}

/** A path of the file system for one that is written byte by byte. */
function bytesPath(documentRoot: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${documentRoot}/`), Buffer.from(path, "latin1")]);
}

/** Entries of a folder by name, in the order of their bytes; each character of a name is a byte. */
async function readNames(folder: string, documentRoot = folder, below = ""): Promise<Dirent[]> {
  try {
    const entries = await readdir(bytesPath(documentRoot, below), { withFileTypes: true, encoding: "latin1" });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw wrapSystemError(error, `list ${shownPath(folder)}`, { path: shownPath(folder) });
  }
}

async function isFile(path: string | Buffer): Promise<boolean> {
  return await stat(path).then(
    (status) => status.isFile(),
    () => false,
  );
}

async function isThere(documentRoot: string, path: string): Promise<boolean> {
  return await lstat(bytesPath(documentRoot, path)).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT" && error.code !== "ENOTDIR",
  );
}
