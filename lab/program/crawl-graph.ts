import { readFile } from "node:fs/promises";
import { wrapSystemError } from "../../src/core/error.ts";
import { pageKinds } from "../../src/formats/html/link-list.ts";
import { readLinks } from "../../src/formats/html/page-links.ts";
import { normaliseUrl } from "../../src/formats/url/url-normal.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { GraphBuilder } from "../../src/graph/graph-builder.ts";
import { MirrorPlaces } from "../../src/storage/mirror/mirror-places.ts";
import { findStateFile, StateReader } from "../../src/storage/state/state-reader.ts";

/** The links between the pages that a crawler holds. */
export interface CrawlGraph {
  /** Pages are numbered by site, and in it by path. */
  readonly graph: Graph;
  /** The site of each page, in the order of their origins; sites without pages are left out. */
  readonly siteOf: Uint32Array;
  /** The page of a site that has the path `/`, by site, where it is held. */
  readonly homes: ReadonlyMap<number, number>;
  /** Pages whose file could not be read: they have no links. */
  readonly unread: number;
}

const html = /^(?:text\/html|application\/xhtml\+xml)\b/i;

/**
 * Reads the graph of a crawl of one's own: the pages that are held in mirrors, and the links between them that lead to
 * other pages, as the crawler reads them. While it runs it has the URL of each page in memory.
 *
 * @param place - folder of the mirrors, or the state's file
 * @throws TidemarkError `not-found`, `no-permission`, `state-corrupt`, `state-version`
 */
export async function readCrawlGraph(place: string): Promise<CrawlGraph> {
  using reader = new StateReader(findStateFile(place));
  reader.freeze();
  const sites = reader.readSites();
  const numbers = new Map<string, number>();
  const siteOf: number[] = [];
  const homes = new Map<number, number>();
  let held = 0;
  for (const { id, origin } of sites) {
    const first = siteOf.length;
    for (const { path } of reader.readPages(id)) {
      const url = normaliseUrl(origin + path) ?? origin + path;
      if (numbers.has(url)) continue;
      numbers.set(url, siteOf.length);
      if (path === "/") homes.set(held, siteOf.length);
      siteOf.push(held);
    }
    if (siteOf.length > first) held++;
  }
  const builder = new GraphBuilder(siteOf.length);
  let unread = 0;
  for (const { id, origin, folder } of sites) {
    if (folder === undefined) continue;
    const places = new MirrorPlaces(folder);
    for (const { path, mediaType } of reader.readPages(id)) {
      if (!html.test(mediaType)) continue;
      const url = origin + path;
      const from = numbers.get(normaliseUrl(url) ?? url);
      const body = await readFile(places.fileOf(path)).catch(passOver);
      if (from === undefined || body === undefined) {
        unread++;
        continue;
      }
      for (const link of readLinks(body, mediaType, url).links) {
        const to = pageKinds.has(link.kind) ? numbers.get(normaliseUrl(link.url) ?? "") : undefined;
        if (to !== undefined) builder.addLink(from, to);
      }
    }
  }
  return { graph: builder.build(), siteOf: Uint32Array.from(siteOf), homes, unread };
}

/** A page's file may be gone, or replaced by a folder, since the state was read. */
function passOver(error: unknown): undefined {
  const { code } = error as { code?: unknown };
  if (code === "ENOENT" || code === "EISDIR" || code === "ENOTDIR") return undefined;
  throw wrapSystemError(error, "read a mirror");
}
