import { readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import {
  type ArchiveIndex,
  formatArchiveIndex,
  formatRobotsBlock,
  indexFileName,
  maxIndexBytes,
  parseArchiveIndex,
  publishedFolder,
  replaceRobotsBlock,
} from "../format/index.ts";
import { TidemarkError, wrapSystemError } from "../model/index.ts";
import { syncFolder, writeDurably } from "./durable-file.ts";
import type { Ledger } from "./ledger.ts";
import { findCompleteFrom } from "./tiers.ts";

const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);

/** Largest robots.txt that a block is put into; RFC 9309 section 2.5 lets readers stop at 500 KiB. */
const maxRobotsBytes = 4 * 1024 * 1024;

/** The index that a ledger stands for. */
export function toIndex(ledger: Ledger): ArchiveIndex {
  const { site, epoch, publication, pages, base, intervals } = ledger;
  const archives = [...intervals].reverse().flatMap((interval) => interval.archives);
  const completeFrom = Math.min(findCompleteFrom(intervals, publication), base.publication);
  return { site, epoch, publication, pages, completeFrom, base: base.list, archives };
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw wrapSystemError(error, `read ${path}`, { path });
  }
}

/** Reads the index that is public now; undefined if there is none that can be read. */
export async function readPublishedIndex(
  folder: string,
): Promise<{ readonly text: string; readonly index: ArchiveIndex } | undefined> {
  const packed = await readIfThere(join(folder, indexFileName));
  if (packed === undefined) return undefined;
  const content = await gunzipAsync(packed, { maxOutputLength: maxIndexBytes }).catch(() => undefined);
  if (content === undefined) return undefined;
  const index = parseArchiveIndex(content);
  return index.ok ? { text: content.toString("latin1"), index: index.value } : undefined;
}

/**
 * Makes the public index say what the ledger says. Equal content is left untouched.
 *
 * The file's modification time is the publication: it strictly increases, so that the validators that
 * nginx and Apache make from time and size can never take two indexes for one.
 *
 * @returns bytes written
 */
export async function publishIndex(folder: string, ledger: Ledger): Promise<number> {
  const text = formatArchiveIndex(toIndex(ledger));
  const published = await readPublishedIndex(folder);
  if (published?.text === text) return 0;
  const packed = await gzipAsync(Buffer.from(text, "latin1"), { level: 9 });
  await writeDurably(join(folder, indexFileName), packed, { mtimeSeconds: ledger.publication });
  await syncFolder(folder);
  return packed.length;
}

/**
 * Makes robots.txt announce the index and the base. Everything outside the block stays as it is,
 * and so does the file if the block is the same.
 *
 * @param folder - where robots.txt lives
 * @returns bytes written
 */
export async function publishRobots(folder: string, ledger: Ledger): Promise<number> {
  const link = join(folder, "robots.txt");
  const path = await realpath(link).catch(() => link);
  const existing = await readIfThere(path);
  if (existing !== undefined && existing.length > maxRobotsBytes) {
    throw new TidemarkError("robots-unreadable", `${path} has ${existing.length} bytes; that is no robots.txt.`, {
      hint: "Crawlers read the first 500 KiB at most. Shorten it, or name its folder with --robots-dir.",
      details: { path },
    });
  }
  const home = new URL(publishedFolder.slice(1), ledger.site).href;
  const block = formatRobotsBlock({
    indexUrl: home + indexFileName,
    archiveUrls: ledger.base.announced.map((name) => home + name),
  });
  const before = existing?.toString("latin1") ?? "";
  const after = replaceRobotsBlock(before, block);
  if (existing !== undefined && after === before) return 0;
  const bytes = Buffer.from(after, "latin1");
  const status = existing === undefined ? undefined : await stat(path);
  // A second write within one second and of one size would carry the same validators as the first.
  const mtimeSeconds =
    status === undefined ? undefined : Math.max(Math.floor(status.mtimeMs / 1000) + 1, ledger.publication);
  await writeDurably(path, bytes, {
    ...(status && { mode: status.mode & 0o777 }),
    ...(mtimeSeconds !== undefined && { mtimeSeconds }),
  });
  return bytes.length;
}
