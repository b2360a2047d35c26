import { constants, lstatSync, type Stats } from "node:fs";
import { lstat, open, readFile, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { type ExportEvent, TidemarkError, wrapSystemError } from "../../core/index.ts";
import {
  type ArchiveIndex,
  escapeArchiveName,
  formatArchiveIndex,
  indexFileName,
  maxIndexBytes,
  parseArchiveIndex,
  publishedFolder,
} from "../../formats/archive/index.ts";
import {
  formatRobotsBlock,
  isUtf16Robots,
  maxRobotsBytes as maxReadBytes,
  replaceRobotsBlock,
} from "../../formats/robots/index.ts";
import { HeldFolder, shownPath, writeDurably } from "../../fs/index.ts";
import type { Ledger } from "./ledger.ts";
import { findCompleteFrom } from "./tiers.ts";

const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);

/** Largest robots.txt that a block is put into; RFC 9309 section 2.5 lets readers stop at 500 KiB. */
const maxRobotsBytes = 4 * 1024 * 1024;
/** Times that robots.txt is read again because somebody else wrote it meanwhile. */
const maxRobotsAttempts = 20;

/** The file's name in its folder. */
export const robotsFileName = "robots.txt";

/** What of a ledger the index tells. */
export type IndexedLedger = Pick<Ledger, "site" | "epoch" | "publication" | "pages" | "base" | "intervals">;

/** The index that a ledger stands for. */
export function toIndex(ledger: IndexedLedger): ArchiveIndex {
  const { site, epoch, publication, pages, base, intervals } = ledger;
  const archives = [...intervals].reverse().flatMap((interval) => interval.archives);
  const completeFrom = Math.min(findCompleteFrom(intervals, publication), base.publication);
  return { site, epoch, publication, pages, completeFrom, base: base.list, archives };
}

/** Reads the index that is public now; undefined if there is none that can be read. */
export async function readPublishedIndex(
  folder: string,
): Promise<{ readonly text: string; readonly index: ArchiveIndex } | undefined> {
  const path = join(folder, indexFileName);
  const packed = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw wrapSystemError(error, `read ${shownPath(path)}`, { path: shownPath(path) });
  });
  if (packed === undefined) return undefined;
  const content = await gunzipAsync(packed, { maxOutputLength: maxIndexBytes }).catch(() => undefined);
  if (content === undefined) return undefined;
  const index = parseArchiveIndex(content);
  return index.ok ? { text: content.toString("latin1"), index: index.value } : undefined;
}

/**
 * Makes the public index say what the ledger says. Equal content is left untouched.
 *
 * The file's modification time is the publication, or later: it strictly increases, so that the validators that
 * nginx and Apache make from time and size can never take two indexes for one.
 *
 * @returns bytes written
 */
export async function publishIndex(folder: string, ledger: Ledger): Promise<number> {
  const text = formatArchiveIndex(toIndex(ledger));
  const published = await readPublishedIndex(folder);
  if (published?.text === text) return 0;
  const path = join(folder, indexFileName);
  const packed = await gzipAsync(Buffer.from(text, "latin1"), { level: 9 });
  // Lost archives are mended, and bases renewed, without a publication.
  const status = await stat(path).catch(() => undefined);
  const mtimeSeconds = Math.max(ledger.publication, status === undefined ? 0 : Math.floor(status.mtimeMs / 1000) + 1);
  await writeDurably(path, packed, { mtimeSeconds });
  return packed.length;
}

/** Where robots.txt is written, held open so that nothing leads elsewhere meanwhile. */
export interface RobotsPlace extends Disposable {
  readonly folder: HeldFolder;
  /** The file's name, which another name may link to. */
  readonly name: string;
}

/** Finds where the robots.txt of a folder really is. @throws TidemarkError `robots-unreadable`, `not-a-folder` */
export async function holdRobotsPlace(folder: string): Promise<RobotsPlace> {
  const link = join(folder, robotsFileName);
  const isThere = (await lstatIfThere(link)) !== undefined;
  const below = isThere ? relative(await realpath(folder), await findRobots(folder)).split(sep) : [robotsFileName];
  const held = HeldFolder.open(folder, below.slice(0, -1));
  return { folder: held, name: below.at(-1) ?? robotsFileName, [Symbol.dispose]: () => held[Symbol.dispose]() };
}

/** Follows links within the folder. @throws what the file system says; TypeError if it leads out of the folder */
async function findRobots(folder: string): Promise<string> {
  const path = await realpath(join(folder, robotsFileName));
  if (!path.startsWith(join(await realpath(folder), sep)))
    throw new TypeError(`it is a link out of the folder, to ${path}, and nothing is written through such a link`);
  return path;
}

/**
 * Reads the robots.txt of a folder.
 *
 * @returns an empty one if there is none
 * @throws TidemarkError `robots-unreadable`: rules that cannot be read must not be overstepped or replaced
 */
export async function readRobotsFile(folder: string): Promise<Uint8Array> {
  const link = join(folder, robotsFileName);
  try {
    if ((await lstatIfThere(link)) === undefined) return new Uint8Array();
    const path = await findRobots(folder);
    const status = await stat(path);
    if (!status.isFile()) throw new TypeError("it is not a file");
    if (status.size > maxRobotsBytes) throw new RangeError(`it has ${status.size} bytes, and crawlers read 512000`);
    const content = await readFile(path);
    if (isUtf16Robots(content)) throw new TypeError("it is in UTF-16, and RFC 9309 section 2.3 asks for UTF-8");
    return content;
  } catch (error) {
    throw new TidemarkError("robots-unreadable", `${link} cannot be used: ${(error as Error).message}`, {
      hint: "Make it a file in UTF-8, of reasonable size, that can be read, or name the folder that it is in with --robots-dir.",
      details: { path: link },
      cause: error,
    });
  }
}

/** Reads what is written to: through no link. */
async function readHeldRobots(
  path: string,
): Promise<{ readonly content: Uint8Array; readonly status: Stats | undefined }> {
  if ((await lstatIfThere(path)) === undefined) return { content: new Uint8Array(), status: undefined };
  try {
    await using handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const status = await handle.stat();
    if (!status.isFile()) throw new TypeError("it is not a file");
    return { content: await handle.readFile(), status };
  } catch (error) {
    throw wrapSystemError(error, `read ${shownPath(path)}`, { path: shownPath(path) });
  }
}

/**
 * Makes robots.txt announce the index, the sitemaps and the base. Everything outside the block stays as it is,
 * and so does the file if the block is the same. If somebody else writes the file meanwhile, it is read again.
 *
 * @param place - where robots.txt is
 * @param onEvent - told a warning `robots-too-long` if the block is behind what crawlers read
 * @param sitemap - file name of the sitemap index; undefined if there is none
 * @returns bytes written
 * @throws TidemarkError `robots-unreadable` if it changes each time
 */
export async function publishRobots(
  place: RobotsPlace,
  ledger: Ledger,
  onEvent: (event: ExportEvent) => void,
  sitemap?: string,
): Promise<number> {
  const path = join(place.folder.path, place.name);
  for (let attempt = 0; attempt < maxRobotsAttempts; attempt++) {
    const done = await tryRobots(path, ledger, sitemap);
    if (done === undefined) continue;
    if (done.blockEnd > maxReadBytes) {
      const message = `The block of tidemark ends at byte ${done.blockEnd} of robots.txt, and crawlers read ${maxReadBytes}: they may not find the archives. Move the block to the beginning, or shorten the file.`;
      onEvent({ event: "warning", code: "robots-too-long", message });
    }
    return done.writtenBytes;
  }
  throw new TidemarkError("robots-unreadable", `${shownPath(path)} changed again and again while it was written.`, {
    hint: "Find out what writes it, and export when that is done.",
    details: { path: shownPath(path) },
  });
}

/** Publishes the block once. @returns undefined if the file is not as it was read any more */
async function tryRobots(
  path: string,
  ledger: Ledger,
  sitemap: string | undefined,
): Promise<{ readonly writtenBytes: number; readonly blockEnd: number } | undefined> {
  const { content, status } = await readHeldRobots(path);
  const home = new URL(publishedFolder.slice(1), ledger.site).href;
  const block = formatRobotsBlock({
    indexUrl: home + indexFileName,
    sitemapUrl: sitemap === undefined ? undefined : home + sitemap,
    archiveUrls: ledger.base.announced.map((name) => home + escapeArchiveName(name)),
  });
  const before = Buffer.from(content).toString("latin1");
  const after = replaceRobotsBlock(before, block);
  const blockEnd = after.lastIndexOf(block) + block.length;
  if (status !== undefined && after === before) return { writtenBytes: 0, blockEnd };
  const bytes = Buffer.from(after, "latin1");
  const mayReplace = (): boolean => isSameFile(status, lstatSync(path, { throwIfNoEntry: false }));
  // A second write within one second and of one size would carry the same validators as the first.
  const kept = status && {
    mode: status.mode & 0o777,
    owner: status,
    mtimeSeconds: Math.max(Math.floor(status.mtimeMs / 1000) + 1, ledger.publication),
  };
  return (await writeDurably(path, bytes, { ...kept, mayReplace }))
    ? { writtenBytes: bytes.length, blockEnd }
    : undefined;
}

/** Whether nobody wrote or replaced a file between two looks; undefined is no file. */
function isSameFile(before: Stats | undefined, now: Stats | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  const fields = ["dev", "ino", "size", "mtimeMs", "ctimeMs"] as const;
  return fields.every((field) => before[field] === now[field]);
}

async function lstatIfThere(path: string): Promise<Stats | undefined> {
  return await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}
