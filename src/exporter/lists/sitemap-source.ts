import { createReadStream, statSync } from "node:fs";
import type { Timing } from "../../core/index.ts";
import { ok, problem, TidemarkError, wrapSystemError } from "../../core/index.ts";
import { maxSitemapBytes } from "../../formats/sitemap/index.ts";
import { SpillFile } from "../../fs/index.ts";
import { createFetcher, PoliteRequests, realTiming } from "../../http/index.ts";
import type { ListedPageSource } from "./listed-page.ts";
import type { ListedPagesOptions } from "./listed-pages.ts";
import { openSitemapList } from "./sitemap-list.ts";

/** Where a content management system's sitemap is. */
export interface SitemapSourceOptions extends ListedPagesOptions {
  /** A URL, or a file's path. Sitemaps that an index names are asked for over HTTP. */
  readonly location: string;
  /** Sitemaps that are read at most, indexes counted. @default 10000 */
  readonly maxSitemaps?: number;
  /** @default the real time */
  readonly timing?: Timing;
}

const pieceBytes = 256 * 1024;
const timeoutMs = 60_000;

/**
 * Opens a sitemap as a list of pages. Bodies are kept on disk, without a name, while they are read.
 *
 * @throws TidemarkError `not-found`, `not-a-folder`, `no-permission` if the location is a file that cannot be read
 */
export function openSitemapSource(options: SitemapSourceOptions): ListedPageSource {
  const { location, spillFolder, signal } = options;
  const isUrl = /^https?:\/\//i.test(location);
  if (!isUrl) checkFile(location);
  const fetcher = createFetcher(isUrl ? { allowedPrivateOrigins: [location] } : {});
  const requests = new PoliteRequests(fetcher, options.timing ?? realTiming(), 100, signal);
  let spill: SpillFile | undefined;
  const pages = openSitemapList({
    ...options,
    open: async (from) => {
      if (!isUrl && from === location) return ok(createReadStream(from, { highWaterMark: pieceBytes }));
      const url = new URL(from);
      const outcome = await requests.get(() => {
        spill?.[Symbol.dispose]();
        const file = new SpillFile(spillFolder);
        spill = file;
        return {
          origin: url.origin,
          path: url.pathname + url.search,
          maxBytes: maxSitemapBytes,
          timeoutMs,
          maxRedirects: 5,
          sink: { write: (chunk) => file.append(chunk) },
        };
      });
      if (outcome.kind === "fetched" && spill !== undefined) return ok(readBack(spill));
      const reason = outcome.kind === "failed" ? outcome.message : `the server answered ${outcome.status}`;
      // Without the first there is no list at all, and nothing to publish of it.
      if (from === location)
        throw new TidemarkError("site-unavailable", `The sitemap ${location} could not be fetched: ${reason}.`, {
          hint: "Check that the server serves it; nothing was changed.",
          details: { location },
        });
      return problem("unavailable", `${reason}; what was published of its pages stays`);
    },
  });
  return {
    next: () => pages.next(),
    get isComplete() {
      return pages.isComplete;
    },
    get kept() {
      return pages.kept;
    },
    [Symbol.asyncDispose]: async () => {
      await pages[Symbol.asyncDispose]();
      spill?.[Symbol.dispose]();
      await fetcher[Symbol.asyncDispose]();
    },
  };
}

function checkFile(path: string): void {
  try {
    if (statSync(path).isDirectory()) throw new TidemarkError("bad-option", `The sitemap ${path} is a folder.`);
  } catch (error) {
    throw wrapSystemError(error, `read the sitemap ${path}`, { path });
  }
}

async function* readBack(file: SpillFile): AsyncGenerator<Buffer> {
  for (let position = 0; position < file.sizeBytes; ) {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, file.sizeBytes - position));
    const length = file.read(piece, 0, piece.length, position);
    if (length === 0) throw new RangeError("a file became shorter");
    position += length;
    yield piece.subarray(0, length);
  }
}
