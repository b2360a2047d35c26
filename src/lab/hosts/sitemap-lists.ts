import { SitemapWriter } from "../../format/index.ts";
import type { EpochMs } from "../../model/index.ts";
import { encodeText } from "../byte-text.ts";
import type { PageCourse } from "./page-course.ts";
import type { HostFile, HostLists } from "./virtual-host.ts";

/** A sitemap whose `lastmod` are true, and a robots.txt that names it. */
export class SitemapLists implements HostLists {
  readonly #origin: string;
  readonly #pages: readonly PageCourse[];

  constructor(origin: string, pages: readonly PageCourse[]) {
    this.#origin = origin;
    this.#pages = pages;
  }

  find(path: string, now: EpochMs): HostFile | undefined {
    const begun = (this.#pages[0]?.beginOf(0) ?? 0) * 1000;
    if (path === "/robots.txt") {
      const body = encodeText(`User-agent: *\nAllow: /\n\nSitemap: ${this.#origin}/sitemap.xml\n`);
      return { body, mediaType: "text/plain", changedAt: begun };
    }
    if (path !== "/sitemap.xml") return undefined;
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
