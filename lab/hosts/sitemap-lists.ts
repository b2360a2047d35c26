import type { EpochMs } from "../../src/core/time.ts";
import { SitemapWriter } from "../../src/formats/sitemap/sitemap.ts";
import { encodeText } from "../experiment/byte-text.ts";
import type { PageCourse } from "./page-course.ts";
import type { HostFile, HostLists } from "./virtual-host.ts";

/** A sitemap whose `lastmod` are true, and a robots.txt that names it. */
export class SitemapLists implements HostLists {
  readonly #origin: string;
  readonly #pages: readonly PageCourse[];
  readonly #robots: HostFile;
  #sitemap: { readonly versions: number; readonly file: HostFile } | undefined;

  constructor(origin: string, pages: readonly PageCourse[]) {
    this.#origin = origin;
    this.#pages = pages;
    this.#robots = {
      body: encodeText(`User-agent: *\nAllow: /\n\nSitemap: ${origin}/sitemap.xml\n`),
      mediaType: "text/plain",
      changedAt: (pages[0]?.beginOf(0) ?? 0) * 1000,
    };
  }

  find(path: string, now: EpochMs): HostFile | undefined {
    if (path === "/robots.txt") return this.#robots;
    if (path !== "/sitemap.xml") return undefined;
    // Versions only go up: where their sum is the same, each is.
    const versions = this.#pages.reduce((sum, page) => sum + page.versionAt(now), 0);
    if (this.#sitemap?.versions !== versions) this.#sitemap = { versions, file: this.#write(now) };
    return this.#sitemap.file;
  }

  #write(now: EpochMs): HostFile {
    const writer = new SitemapWriter("urlset", this.#origin);
    let changedAt = 0;
    for (const page of this.#pages) {
      const lastmod = page.beginOf(page.versionAt(now));
      changedAt = Math.max(changedAt, lastmod);
      writer.add(page.path, lastmod);
    }
    return { body: writer.end() ?? new Uint8Array(), mediaType: "application/xml", changedAt: changedAt * 1000 };
  }
}

/** Nothing but pages and their links. */
export const noLists: HostLists = { find: () => undefined };
