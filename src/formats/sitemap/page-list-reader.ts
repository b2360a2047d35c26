import type { Problem } from "../../core/index.ts";
import { type FeedKind, FeedReader } from "./feed-reader.ts";
import type { SitemapKind } from "./sitemap.ts";
import type { SitemapEntry, SitemapLimits } from "./sitemap-document.ts";
import { SitemapReader } from "./sitemap-reader.ts";
import { UrlListReader } from "./url-list-reader.ts";

/** What sitemaps.org lets stand for a sitemap. */
export type PageListKind = SitemapKind | FeedKind | "text";

/** So much of a document is looked at to tell what it is. */
const maxSniffedBytes = 16 * 1024;
// White space, declarations, comments and a document type, then the first tag.
const beforeRoot = /^(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^<>[]*>)*/s;
const root = /^<(?:[\w.-]+:)?([\w.-]+)[\s/>]/;

/** The text of the first bytes, as far as it is ASCII, in whatever encoding it stands. */
function sniff(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes.filter((byte) => byte !== 0)).replace(/^(?:ï»¿|ÿþ|þÿ)/, "");
}

/**
 * Reads whatever a site gives as a sitemap, told by its content, whatever its name and media type say: a sitemap, an
 * index, a text of URLs, or a feed. Bytes are uncompressed.
 *
 * @see sitemaps.org/protocol, "Other Sitemap formats"
 */
export class PageListReader {
  readonly #limits: SitemapLimits;
  #start: Uint8Array = new Uint8Array(0);
  #reader: FeedReader | SitemapReader | UrlListReader | undefined;

  constructor(limits: SitemapLimits = {}) {
    this.#limits = limits;
  }

  /** What it is; undefined until that can be told. */
  get kind(): PageListKind | undefined {
    return this.#reader?.kind;
  }

  /** Why the rest was not read; undefined if all of it was, or while it goes well. */
  get problem(): Problem | undefined {
    return this.#reader?.problem;
  }

  /** What was odd; the first 20. */
  get warnings(): readonly Problem[] {
    return this.#reader?.warnings ?? [];
  }

  /** Reads on; gives the entries that are complete now. */
  write(piece: Uint8Array): readonly SitemapEntry[] {
    if (this.#reader !== undefined) return this.#reader.write(piece);
    const start = new Uint8Array(this.#start.length + piece.length);
    start.set(this.#start);
    start.set(piece, this.#start.length);
    this.#start = start;
    return this.#begin(start.length >= maxSniffedBytes);
  }

  /** Says that there are no more bytes. */
  end(): readonly SitemapEntry[] {
    const entries = this.#reader === undefined ? this.#begin(true) : [];
    return [...entries, ...(this.#reader?.end() ?? [])];
  }

  #begin(isLast: boolean): readonly SitemapEntry[] {
    const text = sniff(this.#start.subarray(0, maxSniffedBytes)).replace(beforeRoot, "");
    const name = root.exec(text)?.[1];
    if (name === undefined && !isLast && (text === "" || text.startsWith("<"))) return [];
    if (name === "rss" || name === "RDF" || name === "feed") this.#reader = new FeedReader(this.#limits);
    // A document that begins with an empty one is XML still, and refused as that.
    else if (text.startsWith("<") || text === "") this.#reader = new SitemapReader(this.#limits);
    else this.#reader = new UrlListReader(this.#limits);
    const start = this.#start;
    this.#start = new Uint8Array(0);
    return this.#reader.write(start);
  }
}
