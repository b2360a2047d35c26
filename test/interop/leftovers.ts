import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { indexFileName, publishedFolder } from "../../src/formats/archive/archive-index.ts";
import { parseArchiveName } from "../../src/formats/archive/archive-name.ts";

const listForm = /^(?:sitemap|resourcelist|changelist|capabilitylist|description)(?:-[0-9a-f]{16}|-\d{8}-\d{4})?\.xml$/;

/**
 * What a run that did not end left behind in a document root, its site being known.
 *
 * @param own - names at the top of the site itself
 */
export function listLeftovers(docroot: string, own: (name: string) => boolean): string[] {
  const atTop = readdirSync(docroot).filter((name) => name !== ".well-known" && name !== "robots.txt" && !own(name));
  const published = readdirSync(join(docroot, publishedFolder));
  const isOurs = (name: string) => name === indexFileName || parseArchiveName(name).ok || listForm.test(name);
  return [...atTop, ...published.filter((name) => !isOurs(name))];
}

/** Temporary files that a crawl into this folder left behind. */
export function listTemporaryFiles(into: string): string[] {
  const folder = join(into, ".tidemark", "tmp");
  return existsSync(folder) ? readdirSync(folder) : [];
}
