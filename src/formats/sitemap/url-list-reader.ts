import { excerpt, type Problem } from "../../core/index.ts";
import { maxReadCharacters, maxSitemapBytes, maxSitemapEntries } from "./sitemap.ts";
import type { SitemapEntry, SitemapLimits } from "./sitemap-document.ts";

const maxWarnings = 20;

/**
 * Reads a sitemap of plain text as its bytes arrive: UTF-8, a URL a line, with any line ends and a byte order mark. Lines
 * that are no URLs of HTTP are left out; a text of which the first twenty lines are none is no sitemap.
 *
 * @see sitemaps.org/protocol, "Text file"
 */
export class UrlListReader {
  readonly kind = "text";
  readonly #maxBytes: number;
  readonly #maxEntries: number;
  readonly #decoder = new TextDecoder();
  readonly #warnings: Problem[] = [];
  #bytes = 0;
  #count = 0;
  #line = "";
  #isLong = false;
  #problem: Problem | undefined;

  constructor({ maxBytes = maxSitemapBytes, maxEntries = maxSitemapEntries }: SitemapLimits = {}) {
    this.#maxBytes = maxBytes;
    this.#maxEntries = maxEntries;
  }

  /** Why the rest was not read; undefined if all of it was, or while it goes well. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** What was odd; the first 20. */
  get warnings(): readonly Problem[] {
    return this.#warnings;
  }

  /** Reads on; gives the entries that are complete now. */
  write(piece: Uint8Array): readonly SitemapEntry[] {
    if (this.#problem !== undefined) return [];
    const room = this.#maxBytes - this.#bytes;
    this.#bytes += piece.length;
    const text = this.#decoder.decode(piece.length > room ? piece.subarray(0, room) : piece, { stream: true });
    const entries = this.#split(text);
    if (piece.length > room) this.#stop("too-large", `it is larger than ${this.#maxBytes} bytes of it`);
    return entries;
  }

  /** Says that there are no more bytes. */
  end(): readonly SitemapEntry[] {
    if (this.#problem !== undefined) return [];
    const entries = this.#split(`${this.#decoder.decode()}\n`);
    if (this.#count === 0) this.#stop("not-a-sitemap", "no line of it is a URL");
    return entries;
  }

  #split(text: string): SitemapEntry[] {
    const entries: SitemapEntry[] = [];
    const lines = text.split(/[\r\n]/);
    for (const [at, part] of lines.entries()) {
      this.#isLong ||= this.#line.length + part.length > maxReadCharacters;
      // Of a line that is too long no more is kept than a warning needs.
      this.#line = this.#isLong ? (this.#line + part).slice(0, 100) : this.#line + part;
      if (at === lines.length - 1) break;
      const entry = this.#endLine();
      if (this.#problem !== undefined) break;
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  }

  #endLine(): SitemapEntry | undefined {
    const location = this.#line.trim();
    const isLong = this.#isLong;
    this.#line = "";
    this.#isLong = false;
    if (location === "") return undefined;
    if (isLong || !/^https?:\/\/\S+$/i.test(location) || location.includes("\ufffd")) {
      if (this.#warnings.length < maxWarnings)
        this.#warnings.push({ code: "no-location", message: `a line is left out: ${excerpt(location)}` });
      if (this.#count === 0 && this.#warnings.length >= maxWarnings)
        this.#stop("not-a-sitemap", `its first ${maxWarnings} lines are no URLs`);
      return undefined;
    }
    if (++this.#count <= this.#maxEntries) return { location };
    this.#stop("too-many", `there are more than ${this.#maxEntries} entries`);
    return undefined;
  }

  #stop(code: string, message: string): void {
    this.#problem ??= { code, message };
  }
}
