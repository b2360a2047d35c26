import type { SaxesTagNS } from "saxes";
import { type EpochSeconds, excerpt, type Problem } from "../model/index.ts";
import { parseW3cDate } from "./w3c-date.ts";
import { XmlReader, type XmlReceiver } from "./xml-reader.ts";

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

/** A page of a `urlset`, or a sitemap of a `sitemapindex`. */
export interface SitemapEntry {
  /** As written, without white space around it; nobody has checked that it is a URL, nor of which site. */
  readonly location: string;
  /** `lastmod` as written, without white space around it; absent if there is none. */
  readonly lastModifiedText?: string;
  /** What {@link lastModifiedText} says; absent if it cannot be read. */
  readonly lastModified?: EpochSeconds;
}

/** How much of a sitemap is read. */
export interface SitemapLimits {
  /** Bytes as they are fed. @default 50 MiB */
  readonly maxBytes?: number;
  /** Entries, also those without a location. @default 50,000 */
  readonly maxEntries?: number;
}

type Field = "loc" | "lastmod";

class EntryReceiver implements XmlReceiver {
  readonly xml: XmlReader;
  readonly #maxEntries: number;
  #entries: SitemapEntry[] = [];
  #kind: SitemapKind | undefined;
  #namespace = "";
  #count = 0;
  #inEntry = false;
  #field: Field | undefined;
  #text = "";
  #location: string | undefined;
  #lastModifiedText: string | undefined;

  constructor(limits: SitemapLimits) {
    this.#maxEntries = limits.maxEntries ?? maxSitemapEntries;
    this.xml = new XmlReader(this, limits.maxBytes ?? maxSitemapBytes);
  }

  get kind(): SitemapKind | undefined {
    return this.#kind;
  }

  take(): readonly SitemapEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }

  onOpen(tag: SaxesTagNS, depth: number): void {
    if (depth === 1) this.#openRoot(tag);
    else if (tag.uri !== this.#namespace) return;
    else if (depth === 2) this.#openEntry(tag.local);
    else if (depth === 3 && this.#inEntry) this.#openField(tag.local);
  }

  onText(text: string): void {
    // One character too many is kept, so that it can be told from a text that just fits.
    if (this.#field !== undefined && this.#text.length <= maxReadCharacters) this.#text += text;
  }

  onClose(depth: number): void {
    if (depth === 3) this.#closeField();
    else if (depth === 2) this.#closeEntry();
  }

  #openRoot(tag: SaxesTagNS): void {
    if (tag.local !== "urlset" && tag.local !== "sitemapindex")
      this.xml.stop("not-a-sitemap", `the document is ${excerpt(tag.local)}, not a sitemap`);
    this.#kind = tag.local;
    this.#namespace = tag.uri;
    if (tag.uri !== sitemapNamespace)
      this.xml.warn("wrong-namespace", `${tag.local} is in the namespace ${excerpt(tag.uri)}`);
  }

  #openEntry(name: string): void {
    if (name !== (this.#kind === "urlset" ? "url" : "sitemap")) return;
    if (++this.#count > this.#maxEntries) this.xml.stop("too-many", `there are more than ${this.#maxEntries} entries`);
    this.#inEntry = true;
    this.#location = undefined;
    this.#lastModifiedText = undefined;
  }

  #openField(name: string): void {
    if (name !== "loc" && name !== "lastmod") return;
    this.#field = name;
    this.#text = "";
  }

  #closeField(): void {
    if (this.#field === "loc") this.#location ??= this.#text.trim();
    else if (this.#field === "lastmod") this.#lastModifiedText ??= this.#text.trim();
    this.#field = undefined;
  }

  #closeEntry(): void {
    if (!this.#inEntry) return;
    this.#inEntry = false;
    const location = this.#location ?? "";
    const refusal = refuseLocation(location);
    if (refusal !== undefined) {
      this.xml.warn(refusal, `entry ${this.#count} is left out: ${excerpt(location)}`);
      return;
    }
    const lastModifiedText = this.#lastModifiedText ?? "";
    if (lastModifiedText === "") {
      this.#entries.push({ location });
      return;
    }
    const lastModified = parseW3cDate(lastModifiedText);
    if (lastModified !== undefined) this.#entries.push({ location, lastModifiedText, lastModified });
    else {
      this.xml.warn("bad-date", `entry ${this.#count} has a lastmod that is no date: ${excerpt(lastModifiedText)}`);
      const kept = lastModifiedText.slice(0, maxReadCharacters);
      this.#entries.push({ location, lastModifiedText: kept });
    }
  }
}

function refuseLocation(location: string): string | undefined {
  if (location === "") return "no-location";
  if (location.length > maxReadCharacters) return "long-location";
  // What stood there is lost, so that no request for it could be right.
  return location.includes("\ufffd") ? "bad-characters" : undefined;
}

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
  readonly #receiver: EntryReceiver;

  constructor(limits: SitemapLimits = {}) {
    this.#receiver = new EntryReceiver(limits);
  }

  /** What the document is; undefined until its first tag was read. */
  get kind(): SitemapKind | undefined {
    return this.#receiver.kind;
  }

  /** Why the rest of the document was not read; undefined if all of it was, or while it goes well. */
  get problem(): Problem | undefined {
    return this.#receiver.xml.problem;
  }

  /** What was odd: entries that were left out, dates that are none. The first 20 of {@link warningCount}. */
  get warnings(): readonly Problem[] {
    return this.#receiver.xml.warnings;
  }

  /** How many warnings there were. */
  get warningCount(): number {
    return this.#receiver.xml.warningCount;
  }

  /**
   * Reads on.
   *
   * @param piece - the next bytes, as many as there are; they may be overwritten afterwards
   * @returns entries that are complete now, in their order; empty for ever once there is a {@link problem}
   */
  write(piece: Uint8Array): readonly SitemapEntry[] {
    this.#receiver.xml.write(piece);
    return this.#receiver.take();
  }

  /** Says that there are no more bytes. A document that is cut off has a {@link problem} then. */
  end(): readonly SitemapEntry[] {
    this.#receiver.xml.end();
    return this.#receiver.take();
  }
}
