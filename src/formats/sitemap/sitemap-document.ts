import { type EpochSeconds, excerpt } from "../../core/index.ts";
import { parseW3cDate } from "../time/index.ts";
import { XmlReader, type XmlReceiver, type XmlTag } from "../xml/index.ts";
import {
  maxReadCharacters,
  maxSitemapBytes,
  maxSitemapEntries,
  type SitemapKind,
  sitemapNamespace,
} from "./sitemap.ts";

/** A page of a `urlset`, or a sitemap of a `sitemapindex`. */
export interface SitemapEntry {
  /** As written, without white space around it; nobody has checked that it is a URL, nor of which site. */
  readonly location: string;
  /** Each `xml:base` that holds for the location, the outermost first, as written; absent if there is none. */
  readonly bases?: readonly string[];
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

/** What a document's reader does with what it finds; the methods are called in the document's order. */
export interface DocumentListener {
  /** An element of another namespace, below the root or below an entry. */
  onExtension?(tag: XmlTag, inEntry: boolean): void;
  /** An entry begins; what stands before the first one is the document's own. */
  onEntryStart?(): void;
  /** An entry that has a location is complete. */
  onEntry(entry: SitemapEntry): void;
  /** The document ends as it should. */
  onRootEnd?(): void;
}

/** The parts that sitemaps and ResourceSync documents have in common: the root, entries, `loc` and `lastmod`. */
export class SitemapDocument implements XmlReceiver {
  /** The reader that feeds it. */
  readonly xml: XmlReader;
  readonly #maxEntries: number;
  readonly #listener: DocumentListener;
  #kind: SitemapKind | undefined;
  #namespace = "";
  #count = 0;
  #inEntry = false;
  #field: Field | undefined;
  #text = "";
  #location: string | undefined;
  #lastModifiedText: string | undefined;

  constructor(limits: SitemapLimits, listener: DocumentListener) {
    this.#listener = listener;
    this.#maxEntries = limits.maxEntries ?? maxSitemapEntries;
    this.xml = new XmlReader(this, limits.maxBytes ?? maxSitemapBytes);
  }

  /** Undefined until the first tag was read. */
  get kind(): SitemapKind | undefined {
    return this.#kind;
  }

  onOpen(tag: XmlTag, depth: number): void {
    if (depth === 1) this.#openRoot(tag);
    else if (!this.#isOwn(tag.uri)) this.#openExtension(tag, depth);
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
    else if (depth === 1) this.#listener.onRootEnd?.();
  }

  #openRoot(tag: XmlTag): void {
    if (tag.local !== "urlset" && tag.local !== "sitemapindex")
      this.xml.stop("not-a-sitemap", `the document is ${excerpt(tag.local)}, not a sitemap`);
    this.#kind = tag.local;
    this.#namespace = tag.uri;
    if (tag.uri !== sitemapNamespace)
      this.xml.warn("wrong-namespace", `${tag.local} is in the namespace ${excerpt(tag.uri)}`);
  }

  // Many a generator forgets the namespace behind the root, and writes `<url xmlns="">`.
  #isOwn(uri: string): boolean {
    return uri === this.#namespace || uri === sitemapNamespace || uri === "";
  }

  #openExtension(tag: XmlTag, depth: number): void {
    if (depth === 2 || (depth === 3 && this.#inEntry)) this.#listener.onExtension?.(tag, depth === 3);
  }

  #openEntry(name: string): void {
    if (name !== (this.#kind === "urlset" ? "url" : "sitemap")) return;
    if (++this.#count > this.#maxEntries) this.xml.stop("too-many", `there are more than ${this.#maxEntries} entries`);
    this.#inEntry = true;
    this.#location = undefined;
    this.#lastModifiedText = undefined;
    this.#listener.onEntryStart?.();
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
      this.#listener.onEntry({ location });
      return;
    }
    const lastModified = parseW3cDate(lastModifiedText);
    if (lastModified !== undefined) this.#listener.onEntry({ location, lastModifiedText, lastModified });
    else {
      this.xml.warn("bad-date", `entry ${this.#count} has a lastmod that is no date: ${excerpt(lastModifiedText)}`);
      const kept = lastModifiedText.slice(0, maxReadCharacters);
      this.#listener.onEntry({ location, lastModifiedText: kept });
    }
  }
}

function refuseLocation(location: string): string | undefined {
  if (location === "") return "no-location";
  if (location.length > maxReadCharacters) return "long-location";
  // What stood there is lost, so that no request for it could be right.
  return location.includes("\ufffd") ? "bad-characters" : undefined;
}
