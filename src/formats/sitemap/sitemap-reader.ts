import { EntryReader } from "../xml/index.ts";
import type { SitemapKind } from "./sitemap.ts";
import { SitemapDocument, type SitemapEntry, type SitemapLimits } from "./sitemap-document.ts";

/**
 * Reads a sitemap or a sitemap index. Any bytes give what
 * could be read of them: a document that is cut off, or not well-formed somewhere, gives the entries before that.
 *
 * Extensions (images, alternates, ResourceSync) are passed over. Prefixes, UTF-8 and UTF-16 with and without byte
 * order mark, declared encodings, an empty line before the declaration, other namespaces and none are understood.
 * Bytes are uncompressed: whoever fetched a `.gz` unpacks it first, within bounds.
 *
 * @see sitemaps.org/protocol
 * @example
 * const reader = new SitemapReader();
 * for await (const piece of body) for (const entry of reader.write(piece)) use(entry.location);
 * for (const entry of reader.end()) use(entry.location);
 * if (reader.problem !== undefined) report(reader.problem.message);
 */
export class SitemapReader extends EntryReader<SitemapEntry> {
  readonly #document: SitemapDocument;

  constructor(limits: SitemapLimits = {}) {
    const entries: SitemapEntry[] = [];
    const document = new SitemapDocument(limits, { onEntry: (entry) => entries.push(entry) });
    super(document.xml, entries);
    this.#document = document;
  }

  /** What the document is; undefined until its first tag was read. */
  get kind(): SitemapKind | undefined {
    return this.#document.kind;
  }
}
