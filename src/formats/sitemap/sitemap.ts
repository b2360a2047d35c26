import type { EpochSeconds } from "../../core/index.ts";
import { W3cDateWriter } from "../time/index.ts";

/** The namespace of sitemaps, version 0.9. */
export const sitemapNamespace = "http://www.sitemaps.org/schemas/sitemap/0.9";
/** Most entries that a sitemap or a sitemap index may have (sitemaps.org/protocol). */
export const maxSitemapEntries = 50_000;
/** Largest sitemap or sitemap index, uncompressed, in bytes (sitemaps.org/protocol: 50 MB). */
export const maxSitemapBytes: number = 50 * 1024 * 1024;
/** Longest location or date that is read, in characters; longer than the protocol's 2048, which many sites pass. */
export const maxReadCharacters = 8192;

/** Which document it is: of pages, or of other sitemaps. */
export type SitemapKind = "urlset" | "sitemapindex";

/** Shortest `loc` that the schema of sitemaps allows, in characters. */
const minLocationCharacters = 12;
/** Longest `loc` that it allows. */
const maxLocationCharacters = 2048;

const notInUri = /[[\]|]/;
const escapesInUri: Readonly<Record<string, string>> = { "[": "%5B", "]": "%5D", "|": "%7C" };
const loosePercent = /%(?![0-9A-Fa-f]{2})/;
// What RFC 3986 lets stand in a URI, with the three characters that are escaped.
const uriCharacters = /^[!#$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z|~]*$/;

/**
 * Writes a page's URL as sitemaps and ResourceSync carry it. `[`, `]` and `|`, which browsers leave in a path and
 * RFC 3986 does not allow there, are percent-encoded; servers take both for the same.
 *
 * @param base - the site's origin without a slash at its end, or `""` where `path` is a whole URL
 * @param path - as archives carry it
 */
export function formatLocation(base: string, path: string): string {
  if (!notInUri.test(path)) return base + path;
  return base + path.replace(/[[\]|]/g, (character) => escapesInUri[character] ?? "");
}

/**
 * Whether a sitemap can list a page: its URL, as {@link formatLocation} writes it, has 12 to 2048 characters, is
 * ASCII that RFC 3986 allows, and has no `%` without two hex digits. What cannot be listed is left out by the
 * caller: the archives hold it all the same.
 *
 * @see sitemaps.org/schemas/sitemap/0.9/sitemap.xsd, `tLoc`
 */
export function isListable(base: string, path: string): boolean {
  let length = base.length + path.length;
  if (length < minLocationCharacters || length > maxLocationCharacters || !uriCharacters.test(path)) return false;
  if (notInUri.test(path)) length = formatLocation(base, path).length;
  return length <= maxLocationCharacters && !(path.includes("%") && loosePercent.test(path));
}

interface Frame {
  readonly first: string;
  readonly open: string;
  readonly close: string;
  readonly last: string;
}

const frames: Readonly<Record<SitemapKind, Frame>> = {
  urlset: {
    first: `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="${sitemapNamespace}">\n`,
    open: "<url><loc>",
    close: "</lastmod></url>\n",
    last: "</urlset>\n",
  },
  sitemapindex: {
    first: `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="${sitemapNamespace}">\n`,
    open: "<sitemap><loc>",
    close: "</lastmod></sitemap>\n",
    last: "</sitemapindex>\n",
  },
};
const between = "</loc><lastmod>";
const dateCharacters = "2026-11-20T02:00:00Z".length;

/**
 * How many bytes a page takes in a sitemap, for who plans which pages share one.
 *
 * @param base - as for {@link isListable}
 */
export function sitemapEntryBytes(base: string, path: string): number {
  const { open, close } = frames.urlset;
  return escapeXml(formatLocation(base, path)).length + open.length + between.length + dateCharacters + close.length;
}

/** Bytes that a sitemap takes beside its entries. */
export const sitemapFrameBytes: number = frames.urlset.first.length + frames.urlset.last.length;

/**
 * Writes a sitemap or a sitemap index, entry by entry: at most 50,000 entries and 50 MiB. It holds only what was not
 * taken yet. All of it is ASCII, so bytes and characters are the same.
 *
 * A sitemap without entries is invalid by its schema. So there is none: {@link SitemapWriter.end} gives no bytes
 * then, and a site without a page that can be listed publishes no sitemap.
 *
 * @see sitemaps.org/protocol
 * @example
 * const writer = new SitemapWriter("urlset", "https://www.example.org");
 * writer.add("/about.html", 1783157400); // true: there was room
 * const bytes = writer.end();
 */
export class SitemapWriter {
  readonly #frame: Frame;
  readonly #base: string;
  readonly #date: W3cDateWriter = new W3cDateWriter();
  #pending = "";
  #sizeBytes = 0;
  #entries = 0;
  #ended = false;

  /** @param base - the site's origin without a slash at its end, or `""` if whole URLs are added */
  constructor(kind: SitemapKind, base: string) {
    this.#frame = frames[kind];
    this.#base = base;
  }

  /** Entries so far. */
  get entries(): number {
    return this.#entries;
  }

  /** Bytes so far, taken or not, without the document's last line. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Bytes that {@link take} would give. */
  get pendingBytes(): number {
    return this.#pending.length;
  }

  /**
   * Adds an entry.
   *
   * @param path - of a page that {@link isListable}; pages come in the order of their paths
   * @param lastModified - written in full seconds of UTC
   * @returns false if the document is full: nothing was added then, and the next document is to be begun
   * @throws RangeError if the page is not listable, or the time is not whole or beyond the year 9999
   */
  add(path: string, lastModified: EpochSeconds): boolean {
    if (this.#ended) throw new TypeError("a sitemap that has ended is added to");
    if (this.#entries === maxSitemapEntries) return false;
    if (!isListable(this.#base, path)) throw new RangeError(`a sitemap cannot list ${this.#base}${path}`);
    const { first, open, close, last } = this.#frame;
    const location = escapeXml(formatLocation(this.#base, path));
    let entry = open + location + between + this.#date.format(lastModified) + close;
    if (this.#entries === 0) entry = first + entry;
    if (this.#sizeBytes + entry.length + last.length > maxSitemapBytes) return false;
    this.#pending += entry;
    this.#sizeBytes += entry.length;
    this.#entries++;
    return true;
  }

  /** What was written since the last time; to be asked for whenever {@link pendingBytes} has become large. */
  take(): Uint8Array {
    const bytes = new TextEncoder().encode(this.#pending);
    this.#pending = "";
    return bytes;
  }

  /** Ends the document. @returns the rest of it, or undefined if there was no entry: there is no such document */
  end(): Uint8Array | undefined {
    if (this.#ended) throw new TypeError("a sitemap is ended twice");
    this.#ended = true;
    if (this.#entries === 0) return undefined;
    this.#pending += this.#frame.last;
    this.#sizeBytes += this.#frame.last.length;
    return this.take();
  }
}

const xmlSpecial = /[&<>"']/;
const xmlReferences: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/**
 * Writes text so that it may stand in an element or in an attribute: the five characters that sitemaps.org/protocol
 * names become references. What XML cannot hold at all (control characters, halves of surrogate pairs) is the caller's
 * to keep away.
 */
export function escapeXml(text: string): string {
  return xmlSpecial.test(text) ? text.replace(/[&<>"']/g, (character) => xmlReferences[character] ?? "") : text;
}
