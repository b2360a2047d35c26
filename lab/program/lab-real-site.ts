import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { join, resolve } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { TidemarkError, wrapSystemError } from "../../src/core/error.ts";
import { createRandom } from "../../src/core/random.ts";
import type { Result } from "../../src/core/result.ts";
import { SiteFolder } from "../../src/demo/site-folder.ts";
import { planSite } from "../../src/demo/site-plan.ts";
import { packageFolder, readTemplates } from "../../src/demo/site-text.ts";
import type { ExportSiteOptions } from "../../src/exporter/export-settings.ts";
import { exportSite } from "../../src/exporter/export-site.ts";
import { maxArchiveBytes, parseArchive } from "../../src/formats/archive/archive.ts";
import {
  type ArchiveEntry,
  formatArchiveIndex,
  indexFileName,
  parseArchiveIndex,
  parseBaseList,
  publishedFolder,
} from "../../src/formats/archive/archive-index.ts";
import { formatArchiveName } from "../../src/formats/archive/archive-name.ts";
import { encodePathSegment } from "../../src/formats/url/url-path.ts";
import type { ExportedArchive, ExportedSite, RealSite } from "../experiment/ports.ts";

const baseUrl = "https://lab.example/";
/** When the demonstration site is made; any time will do, as long as it stays the same. */
const madeAt = Date.UTC(2026, 0, 1);

/**
 * Exports a site of real files with the real exporter. What is published lies in a folder beside it: nothing is written into the
 * site.
 *
 * @param scratchFolder - where that folder is made
 * @throws TidemarkError `not-found`, `not-a-folder`, and what the exporter throws
 */
export async function exportRealSite(site: RealSite, scratchFolder: string): Promise<ExportedSite> {
  const folder = await mkdtemp(join(scratchFolder, "site-"));
  try {
    const docroot = join(folder, "docroot");
    await mkdir(docroot);
    const map = await fillDocroot(site, docroot);
    const clock = (): number => madeAt;
    // What it forbids is not published here either.
    const ownRobotsBytes = await sizeOf(join(docroot, "robots.txt"));
    const summary = await exportSite({ docroot, baseUrl, stateDir: join(folder, "state"), map, clock });
    if (summary.pages === 0)
      throw new TidemarkError("not-found", "The folder holds no page that the exporter would publish.");
    return await openPublished(docroot, summary.pages, ownRobotsBytes, folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Copies what is small, and maps what is not. */
async function fillDocroot(site: RealSite, docroot: string): Promise<NonNullable<ExportSiteOptions["map"]>> {
  if (site.kind === "demonstration") {
    const templates = await readTemplates();
    new SiteFolder(docroot, templates).create(planSite(site.pages, createRandom(2000)), madeAt);
    return [];
  }
  if (site.kind === "documents") {
    // The decisions are in the repository and not in the package, and both are to measure the same.
    const filter = (source: string): boolean => !source.endsWith("decisions");
    await cp(join(packageFolder(), "docs"), docroot, { recursive: true, preserveTimestamps: true, filter });
    return [];
  }
  const root = resolve(site.root);
  const names = await readdir(root, { withFileTypes: true, encoding: "buffer" }).catch((error: unknown) => {
    throw wrapSystemError(error, `read the folder ${root}`, { folder: root });
  });
  const map: { urlPrefix: string; folder: string }[] = [];
  for (const entry of names) {
    const name = entry.name.toString();
    if (name.startsWith(".") || !Buffer.from(name).equals(entry.name)) continue;
    const path = join(root, name);
    if (entry.isDirectory())
      map.push({ urlPrefix: `/${encodePathSegment(entry.name.toString("latin1"))}/`, folder: path });
    if (!entry.isFile()) continue;
    await copyFile(path, join(docroot, name));
    const { atime, mtime } = await stat(path);
    await utimes(join(docroot, name), atime, mtime);
  }
  return map;
}

async function sizeOf(path: string): Promise<number> {
  return await stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

async function openPublished(
  docroot: string,
  pages: number,
  ownRobotsBytes: number,
  folder: string,
): Promise<ExportedSite> {
  const published = join(docroot, publishedFolder.slice(1));
  const read = async (entry: ArchiveEntry): Promise<{ packed: Buffer; content: Buffer }> => {
    const packed = await readFile(join(published, formatArchiveName(entry.name)));
    return { packed, content: unpack(packed) };
  };
  const index = requireValue(parseArchiveIndex(unpack(await readFile(join(published, indexFileName)))));
  // Its epoch was drawn at random: with another one it may pack to a byte more or less.
  const indexText = formatArchiveIndex({ ...index, epoch: "0123456789abcdef" });
  const packedIndex = gzipSync(Buffer.from(indexText, "latin1"), { level: 9 });
  const base = await read(index.base);
  const robotsBytes = (await sizeOf(join(docroot, "robots.txt"))) - ownRobotsBytes;
  const { archives } = requireValue(parseBaseList(base.content));
  return {
    pages,
    listingBytes: packedIndex.length + base.packed.length + robotsBytes,
    async *archives(): AsyncGenerator<ExportedArchive> {
      for (const entry of archives) {
        const { packed, content } = await read(entry);
        const changes = requireValue(parseArchive(content));
        const held = changes.flatMap((change) => (change.kind === "deleted" ? [] : [change.page]));
        yield { pages: held, plainBytes: content.length, packedBytes: packed.length };
      }
    },
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  };
}

function unpack(packed: Buffer): Buffer {
  return gunzipSync(packed, { maxOutputLength: 2 * maxArchiveBytes });
}

// What was just written can be read, or there is a bug.
function requireValue<T>(result: Result<T>): T {
  if (!result.ok) throw new TypeError(result.error.message);
  return result.value;
}
