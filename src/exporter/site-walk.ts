import { realpathSync } from "node:fs";
import { join } from "node:path";
import { publishedFolder } from "../formats/archive/index.ts";
import type { MappedRoot } from "./site-urls.ts";
import { type RootWalk, SiteWalk } from "./walk/site-walk.ts";
import { Walk } from "./walk/walk.ts";
import type { WalkOptions } from "./walk/walk-options.ts";

/**
 * Begins the walk over a document root and what is mapped into it.
 *
 * @param robotsDir - where robots.txt lies, which we write to and which is no page under any URL
 */
export function openSiteWalk(site: WalkOptions, roots: readonly MappedRoot[], robotsDir: string): RootWalk {
  if (roots.length === 0) return new Walk(site);
  const mappedPrefixes: ReadonlySet<string> = new Set(roots.map(({ prefix }) => prefix));
  // What is mapped may hold what we write, under another URL.
  const robotsFile = `${toBytes(realpathSync(robotsDir))}/robots.txt`;
  const published = toBytes(join(realpathSync(site.docroot), publishedFolder));
  const isOwnPlace = (realPath: string): boolean => realPath === robotsFile || `${realPath}/`.startsWith(published);
  // Index files are the server's, endings a rule for the place that has it: the document root.
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
