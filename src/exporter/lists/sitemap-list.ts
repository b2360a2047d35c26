import { excerpt, ok, type Problem, parseUrl, problem, type Result } from "../../core/index.ts";
import { type SitemapEntry, SitemapReader } from "../../formats/sitemap/index.ts";
import { readListBytes } from "./list-bytes.ts";
import { type ListedIntake, ListedPages, type ListedPagesOptions } from "./listed-pages.ts";
import { parseListedUrl } from "./listed-url.ts";

/** Gives the bytes of a sitemap, gzip'd or not; a problem if they cannot be had. */
export type OpenSitemap = (location: string) => Promise<Result<AsyncIterable<Uint8Array>>>;

/** A content management system's own sitemap. */
export interface SitemapListOptions extends ListedPagesOptions {
  /** A URL, or a file's path. */
  readonly location: string;
  readonly open: OpenSitemap;
  /** Sitemaps that are read at most, indexes counted; default 10,000. */
  readonly maxSitemaps?: number;
}

/** sitemaps.org allows one index above a sitemap; some systems have two. */
const maxDepth = 2;

interface Awaited {
  readonly location: string;
  readonly depth: number;
}

/**
 * Opens a sitemap, or the sitemaps of an index, as a list of pages with their last-modified.
 *
 * An index may name sitemaps of the site's origin, or of the origin that it came from. If one of them cannot be had,
 * or is broken, that is an item error, its pages until there are taken, and the list is not complete.
 *
 * @see sitemaps.org/protocol
 */
export function openSitemapList(options: SitemapListOptions): ListedPages {
  return new ListedPages(options.location, options, (intake) => new SitemapTree(options, intake).read());
}

class SitemapTree {
  readonly #options: SitemapListOptions;
  readonly #intake: ListedIntake;
  readonly #todo: Awaited[];
  readonly #seen: Set<string>;
  readonly #origins: Set<string>;

  constructor(options: SitemapListOptions, intake: ListedIntake) {
    const { location, origin } = options;
    this.#options = options;
    this.#intake = intake;
    this.#todo = [{ location, depth: 0 }];
    this.#seen = new Set([location]);
    this.#origins = new Set([origin]);
    const url = /^https?:\/\//i.test(location) ? parseUrl(location) : undefined;
    if (url !== undefined) this.#origins.add(url.origin);
  }

  async read(): Promise<void> {
    for (let next = this.#todo.shift(); next !== undefined; next = this.#todo.shift()) {
      await this.#intake.pause();
      const bytes = await this.#options.open(next.location);
      const outcome = bytes.ok ? await this.#readOne(next, bytes.value) : bytes;
      if (outcome.ok) continue;
      this.#intake.missing();
      this.#intake.problem(next.location, outcome.error);
    }
  }

  async #readOne(sitemap: Awaited, bytes: AsyncIterable<Uint8Array>): Promise<Result<undefined, Problem>> {
    const reader = new SitemapReader();
    try {
      for await (const piece of readListBytes(bytes, sitemap.location)) {
        this.#take(sitemap, reader, reader.write(piece));
        if (reader.problem !== undefined) break;
        await this.#intake.pause();
      }
    } catch (error) {
      if ((error as { code?: unknown }).code === "aborted") throw error;
      return problem("unreadable", (error as Error).message);
    }
    this.#take(sitemap, reader, reader.end());
    for (const warning of reader.warnings) this.#intake.problem(sitemap.location, warning);
    return reader.problem === undefined ? ok(undefined) : { ok: false, error: reader.problem };
  }

  #take(sitemap: Awaited, reader: SitemapReader, entries: readonly SitemapEntry[]): void {
    for (const entry of entries) {
      const found = reader.kind === "sitemapindex" ? this.#follow(sitemap, entry.location) : this.#add(entry);
      if (found === undefined) continue;
      if (reader.kind === "sitemapindex") this.#intake.missing();
      this.#intake.problem(sitemap.location, found);
    }
  }

  #add({ location, lastModified }: SitemapEntry): Problem | undefined {
    const path = parseListedUrl(location, this.#options.origin, false);
    if (!path.ok) return path.error;
    this.#intake.add({ path: path.value, sizeBytes: undefined, lastModified, mediaType: undefined, digest: undefined });
    return undefined;
  }

  #follow(index: Awaited, text: string): Problem | undefined {
    const url = parseUrl(text);
    if (url === undefined || !this.#origins.has(url.origin) || url.username !== "" || url.password !== "")
      return { code: "other-origin", message: `not a sitemap of ${this.#options.origin}: ${excerpt(text)}` };
    url.hash = "";
    if (this.#seen.has(url.href)) return undefined;
    if (index.depth >= maxDepth)
      return { code: "too-deep", message: `more than ${maxDepth} indexes above ${excerpt(text)}` };
    if (this.#seen.size >= (this.#options.maxSitemaps ?? 10_000))
      return { code: "too-many", message: `more sitemaps than are read: ${excerpt(text)}` };
    this.#seen.add(url.href);
    this.#todo.push({ location: url.href, depth: index.depth + 1 });
    return undefined;
  }
}
