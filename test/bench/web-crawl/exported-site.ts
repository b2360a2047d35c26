import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportSite } from "../../../src/exporter/export-site.ts";
import type { MadeSites } from "./made-sites.ts";

/** A site of the made Web whose pages the exporter has published. */
export interface ExportedSite {
  /** robots.txt, an archive, an index or a sitemap; undefined if it is none of them. */
  readonly read: (path: string) => Buffer | undefined;
}

/** Writes the pages of a site into a folder, and publishes them there as the site's kind says. */
export async function exportMadeSite(
  made: MadeSites,
  site: number,
  port: number,
  folder: string,
): Promise<ExportedSite> {
  const docroot = join(folder, made.hostOf(site));
  mkdirSync(docroot, { recursive: true });
  writeFileSync(join(docroot, "robots.txt"), made.robotsOf(site));
  for (let page = 0; page < made.sizeOf(site); page++) {
    const path = made.pathOf(page);
    writeFileSync(join(docroot, path === "/" ? "index.html" : path), made.htmlOf(site, page, port));
  }
  await exportSite({
    docroot,
    baseUrl: `http://${made.hostOf(site)}:${port}/`,
    stateDir: join(folder, `${made.hostOf(site)}.state`),
    index: ["index.html"],
    sitemap: made.kindOf(site) === "sitemap",
  });
  return {
    read: (path) => {
      const isPublished = path === "/robots.txt" || path.startsWith("/.well-known/") || /^\/sitemap/.test(path);
      const file = join(docroot, decodeURIComponent(path));
      return isPublished && !path.includes("..") && existsSync(file) ? readFileSync(file) : undefined;
    },
  };
}
