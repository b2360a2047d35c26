import { realpathSync } from "node:fs";
import { join } from "node:path";
import { publishedFolder } from "../formats/archive/index.ts";
import type { MappedRoot } from "./site-urls.ts";
import { type RootWalk, SiteWalk } from "./walk/site-walk.ts";
import { Walk } from "./walk/walk.ts";
import type { WalkOptions } from "./walk/walk-options.ts";

/**
 * Starts the walk over a document root and the mapped folders.
 *
 * @param robotsDir - folder of robots.txt, which we write to and which is never a page
 */
export function openSiteWalk(site: WalkOptions, roots: readonly MappedRoot[], robotsDir: string): RootWalk {
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
