import { createReadStream, statSync } from "node:fs";
import {
  excerpt,
  ok,
  type Problem,
  parseUrl,
  problem,
  type Result,
  TidemarkError,
  type Timing,
  wrapSystemError,
} from "../../core/index.ts";
import { maxSitemapBytes, type SitemapEntry, SitemapReader } from "../../formats/sitemap/index.ts";
import { SpillFile } from "../../fs/index.ts";
import { createFetcher, type Fetcher, PoliteRequests, realTiming } from "../../http/index.ts";
import { readListBytes } from "./list-bytes.ts";
import { parseListedUrl } from "./listed-page.ts";
import { type ListedIntake, ListedPages, type ListedPagesOptions } from "./listed-pages.ts";
import { readSpilled } from "./replayed-stream.ts";

export interface SitemapSourceOptions extends ListedPagesOptions {
  /** A URL, or a file's path. Sitemaps that an index names are requested over HTTP. */
  readonly location: string;
  /** Sitemaps that are read at most, indexes counted. @default 10000 */
  readonly maxSitemaps?: number;
  readonly timing?: Timing;
}

/** sitemaps.org allows one index above a sitemap; some systems have two. */
const maxDepth = 2;
const timeoutMs = 60_000;

/**
 * Opens a sitemap, or the sitemaps of an index, as a list of pages with their last-modified.
 *
 * An index may name sitemaps of the site's origin, or of the origin that it came from. If one of them is not available,
 * or broken, that is an item error, its pages up to there are taken, and the list is not complete. Bodies are kept on disk,
 * without a name, while they are read.
 *
 * @throws TidemarkError `not-found`, `not-a-folder`, `no-permission` if the location is a file that cannot be read
 * @see sitemaps.org/protocol
 */
export function openSitemapSource(options: SitemapSourceOptions): ListedPages {
  const { location } = options;
  if (!isHttp(location)) checkFile(location);
  return new ListedPages(location, options, async (intake) => {
    await using tree = new SitemapTree(options, intake);
    await tree.read();
  });
}

interface AwaitedSitemap {
  readonly location: string;
  readonly depth: number;
}

class SitemapTree implements AsyncDisposable {
  readonly #options: SitemapSourceOptions;
  readonly #intake: ListedIntake;
  readonly #fetcher: Fetcher;
  readonly #requests: PoliteRequests;
  readonly #todo: AwaitedSitemap[];
  readonly #seen: Set<string>;
  readonly #origins: Set<string>;
  #spill: SpillFile | undefined;

  constructor(options: SitemapSourceOptions, intake: ListedIntake) {
    const { location, origin, timing = realTiming(), signal } = options;
    this.#options = options;
    this.#intake = intake;
    this.#fetcher = createFetcher(isHttp(location) ? { allowedPrivateOrigins: [location] } : {});
    this.#requests = new PoliteRequests(this.#fetcher, timing, 100, signal);
    this.#todo = [{ location, depth: 0 }];
    this.#seen = new Set([location]);
    this.#origins = new Set([origin]);
    const url = isHttp(location) ? parseUrl(location) : undefined;
    if (url !== undefined) this.#origins.add(url.origin);
  }

  async read(): Promise<void> {
    for (let next = this.#todo.shift(); next !== undefined; next = this.#todo.shift()) {
      await this.#intake.pause();
      const bytes = await this.#open(next.location);
      const outcome = bytes.ok ? await this.#readOne(next, bytes.value) : bytes;
      if (outcome.ok) continue;
      this.#intake.missing();
      this.#intake.problem(next.location, outcome.error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#spill?.[Symbol.dispose]();
    await this.#fetcher[Symbol.asyncDispose]();
  }

  /** The bytes of a sitemap, gzip'd or not. */
  async #open(from: string): Promise<Result<AsyncIterable<Uint8Array>>> {
    const { location, spillFolder } = this.#options;
    if (from === location && !isHttp(location)) return ok(createReadStream(from, { highWaterMark: 256 * 1024 }));
    const url = new URL(from);
    const outcome = await this.#requests.get(() => {
      this.#spill?.[Symbol.dispose]();
      const file = new SpillFile(spillFolder);
      this.#spill = file;
      return {
        origin: url.origin,
        path: url.pathname + url.search,
        maxBytes: maxSitemapBytes,
        timeoutMs,
        maxRedirects: 5,
        sink: { write: (chunk) => file.append(chunk) },
      };
    });
    if (outcome.kind === "fetched" && this.#spill !== undefined) return ok(readSpilled(this.#spill));
    const reason = outcome.kind === "failed" ? outcome.message : `the server answered ${outcome.status}`;
    // Without the first there is no list at all, and nothing to publish of it.
    if (from === location)
      throw new TidemarkError("site-unavailable", `The sitemap ${location} could not be fetched: ${reason}.`, {
        hint: "Check that the server serves it; nothing was changed.",
        details: { location },
      });
    return problem("unavailable", `${reason}; what was published of its pages stays`);
  }

  async #readOne(sitemap: AwaitedSitemap, bytes: AsyncIterable<Uint8Array>): Promise<Result<undefined, Problem>> {
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

  #take(sitemap: AwaitedSitemap, reader: SitemapReader, entries: readonly SitemapEntry[]): void {
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

  #follow(index: AwaitedSitemap, text: string): Problem | undefined {
    const { origin, maxSitemaps = 10_000 } = this.#options;
    const url = parseUrl(text);
    if (url === undefined || !this.#origins.has(url.origin) || url.username !== "" || url.password !== "")
      return { code: "other-origin", message: `not a sitemap of ${origin}: ${excerpt(text)}` };
    url.hash = "";
    if (this.#seen.has(url.href)) return undefined;
    if (index.depth >= maxDepth)
      return { code: "too-deep", message: `more than ${maxDepth} indexes above ${excerpt(text)}` };
    if (this.#seen.size >= maxSitemaps)
      return { code: "too-many", message: `more sitemaps than are read: ${excerpt(text)}` };
    this.#seen.add(url.href);
    this.#todo.push({ location: url.href, depth: index.depth + 1 });
    return undefined;
  }
}

function isHttp(location: string): boolean {
  return /^https?:\/\//i.test(location);
}

function checkFile(path: string): void {
  try {
    if (statSync(path).isDirectory()) throw new TidemarkError("bad-option", `The sitemap ${path} is a folder.`);
  } catch (error) {
    throw wrapSystemError(error, `read the sitemap ${path}`, { path });
  }
}
