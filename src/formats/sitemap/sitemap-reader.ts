import type { Problem } from "../../core/index.ts";
import { SitemapDocument, type SitemapEntry, type SitemapKind, type SitemapLimits } from "./sitemap-document.ts";

/**
 * Reads a sitemap or a sitemap index as its bytes arrive, in memory that does not grow with it. Any bytes give what
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
export class SitemapReader {
  readonly #document: SitemapDocument;
  #entries: SitemapEntry[] = [];

  constructor(limits: SitemapLimits = {}) {
    this.#document = new SitemapDocument(limits, { onEntry: (entry) => this.#entries.push(entry) });
  }

  /** What the document is; undefined until its first tag was read. */
  get kind(): SitemapKind | undefined {
    return this.#document.kind;
  }

  /** Why the rest of the document was not read; undefined if all of it was, or while it goes well. */
  get problem(): Problem | undefined {
    return this.#document.xml.problem;
  }

  /** What was odd: entries that were left out, dates that are none. The first 20 of {@link warningCount}. */
  get warnings(): readonly Problem[] {
    return this.#document.xml.warnings;
  }

  /** How many warnings there were. */
  get warningCount(): number {
    return this.#document.xml.warningCount;
  }

  /**
   * Reads on.
   *
   * @param piece - the next bytes, as many as there are; they may be overwritten afterwards
   * @returns entries that are complete now, in their order; empty for ever once there is a {@link problem}
   */
  write(piece: Uint8Array): readonly SitemapEntry[] {
    this.#document.xml.write(piece);
    return this.#take();
  }

  /** Says that there are no more bytes. A document that is cut off has a {@link problem} then. */
  end(): readonly SitemapEntry[] {
    this.#document.xml.end();
    return this.#take();
  }

  #take(): readonly SitemapEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }
}
