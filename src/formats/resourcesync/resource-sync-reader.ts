import { changeKinds, type EpochSeconds, excerpt } from "../../core/index.ts";
import { maxReadCharacters, SitemapDocument, type SitemapEntry, type SitemapLimits } from "../sitemap/index.ts";
import { parseW3cDate } from "../time/index.ts";
import { EntryReader, type XmlTag } from "../xml/index.ts";
import {
  capabilities,
  maxResourceSyncLinks,
  type ResourceSyncEntry,
  type ResourceSyncHeader,
  type ResourceSyncLink,
  type ResourceSyncTimes,
  resourceSyncNamespace,
} from "./resource-sync.ts";

type Writable<T> = { -readonly [K in keyof T]?: T[K] };

/**
 * Reads a document of ResourceSync, within the bounds of sitemaps; any bytes give what could be
 * read of them. What an attribute says that cannot be read is left out with a warning. A sitemap without
 * ResourceSync's `rs:md` at its beginning is refused, as is a capability that the specification does not name.
 *
 * Times are cut to whole seconds.
 *
 * @see ANSI/NISO Z39.99-2017 section 7
 * @example
 * const reader = new ResourceSyncReader();
 * for await (const piece of body) for (const entry of reader.write(piece)) use(reader.header, entry);
 * for (const entry of reader.end()) use(reader.header, entry);
 */
export class ResourceSyncReader extends EntryReader<ResourceSyncEntry> {
  readonly #document: SitemapDocument;
  readonly #attributes: AttributeReader;
  readonly #entries: ResourceSyncEntry[];
  #header: ResourceSyncHeader | undefined;
  #headerParts: Writable<ResourceSyncHeader> = {};
  #headerLinks: ResourceSyncLink[] = [];
  #parts: Writable<ResourceSyncEntry> = {};
  #links: ResourceSyncLink[] = [];

  constructor(limits: SitemapLimits = {}) {
    const entries: ResourceSyncEntry[] = [];
    const document = new SitemapDocument(limits, {
      onExtension: (tag, inEntry) => this.#readExtension(tag, inEntry),
      onEntryStart: () => {
        this.#completeHeader();
        this.#parts = {};
        this.#links = [];
      },
      onEntry: (entry) => this.#completeEntry(entry),
      onRootEnd: () => this.#completeHeader(),
    });
    super(document.xml, entries);
    this.#document = document;
    this.#entries = entries;
    this.#attributes = new AttributeReader((code, message) => this.#document.xml.warn(code, message));
  }

  /** What the document is; there before its first entry is given, and else at its end. */
  get header(): ResourceSyncHeader | undefined {
    return this.#header;
  }

  #readExtension(tag: XmlTag, inEntry: boolean): void {
    if (tag.uri !== resourceSyncNamespace) return;
    // A document's own elements stand before its entries; later ones would come too late for who reads as they come.
    if (!inEntry && this.#header !== undefined) return;
    if (tag.local === "md") {
      if (inEntry) this.#attributes.readEntry(tag, this.#parts);
      else this.#readHeader(tag);
    } else if (tag.local === "ln") this.#readLink(tag, inEntry ? this.#links : this.#headerLinks);
  }

  #readHeader(tag: XmlTag): void {
    const word = this.#attributes.text(tag, "capability");
    const capability = capabilities.find((known) => known === word);
    if (capability === undefined)
      this.#document.xml.stop("unknown-capability", `the document's capability is ${excerpt(word ?? "")}`);
    this.#headerParts.capability = capability;
    this.#attributes.readTimes(tag, this.#headerParts);
  }

  #readLink(tag: XmlTag, links: ResourceSyncLink[]): void {
    const link = this.#attributes.readLink(tag);
    if (link !== undefined && links.length < maxResourceSyncLinks) links.push(link);
    else if (link !== undefined) this.#document.xml.warn("many-links", `a link after ${maxResourceSyncLinks} others`);
  }

  #completeHeader(): void {
    if (this.#header !== undefined) return;
    const { kind } = this.#document;
    const { capability } = this.#headerParts;
    if (kind === undefined || capability === undefined)
      this.#document.xml.stop("not-resourcesync", "the document does not say which capability of ResourceSync it is");
    this.#header = { ...this.#headerParts, kind, capability, links: this.#headerLinks };
  }

  #completeEntry({ location, lastModified }: SitemapEntry): void {
    const entry: Writable<ResourceSyncEntry> & { location: string } = { ...this.#parts, location };
    if (lastModified !== undefined) entry.lastModified = lastModified;
    if (this.#links.length > 0) entry.links = this.#links;
    this.#entries.push(entry);
  }
}

/** Reads what stands in the attributes of `rs:md` and `rs:ln`. */
class AttributeReader {
  readonly #warn: (code: string, message: string) => void;

  constructor(warn: (code: string, message: string) => void) {
    this.#warn = warn;
  }

  text(tag: XmlTag, name: string): string | undefined {
    const value = tag.attributes[name]?.value;
    if (value === undefined || value.length <= maxReadCharacters) return value;
    this.#warn("long-attribute", `${name} has ${value.length} characters`);
    return undefined;
  }

  readTimes(tag: XmlTag, into: Writable<ResourceSyncTimes>): void {
    for (const name of ["at", "completed", "from", "until"] as const) {
      const time = this.#time(tag, name);
      if (time !== undefined) into[name] = time;
    }
  }

  readEntry(tag: XmlTag, into: Writable<ResourceSyncEntry>): void {
    this.readTimes(tag, into);
    this.#readRepresentation(tag, into);
    const capability = this.#word(tag, "capability", capabilities);
    if (capability !== undefined) into.capability = capability;
    const change = this.#word(tag, "change", changeKinds);
    if (change !== undefined) into.change = change;
    const changedAt = this.#time(tag, "datetime");
    if (changedAt !== undefined) into.changedAt = changedAt;
  }

  readLink(tag: XmlTag): ResourceSyncLink | undefined {
    const rel = this.text(tag, "rel");
    const href = this.text(tag, "href");
    if (rel === undefined || href === undefined) {
      this.#warn("bad-link", "a link without rel or without href");
      return undefined;
    }
    const link: Writable<ResourceSyncLink> & { rel: string; href: string } = { rel, href };
    const modified = this.#time(tag, "modified");
    if (modified !== undefined) link.modified = modified;
    this.#readRepresentation(tag, link);
    const priority = this.#count(tag, "pri");
    if (priority !== undefined) link.priority = priority;
    return link;
  }

  #readRepresentation(tag: XmlTag, into: Writable<ResourceSyncEntry | ResourceSyncLink>): void {
    const hash = this.text(tag, "hash");
    if (hash !== undefined) into.hash = hash.trim().split(/\s+/).join(" ");
    const sizeBytes = this.#count(tag, "length");
    if (sizeBytes !== undefined) into.sizeBytes = sizeBytes;
    for (const [name, key] of [
      ["type", "mediaType"],
      ["encoding", "encoding"],
      ["path", "path"],
    ] as const) {
      const text = this.text(tag, name);
      if (text !== undefined) into[key] = text;
    }
  }

  #time(tag: XmlTag, name: string): EpochSeconds | undefined {
    const text = this.text(tag, name);
    if (text === undefined) return undefined;
    const time = parseW3cDate(text.trim());
    if (time === undefined) this.#warn("bad-date", `${name} is no date: ${excerpt(text)}`);
    return time;
  }

  #count(tag: XmlTag, name: string): number | undefined {
    const text = this.text(tag, name);
    if (text === undefined) return undefined;
    const count = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(count)) return count;
    this.#warn("bad-count", `${name} is no count: ${excerpt(text)}`);
    return undefined;
  }

  #word<T extends string>(tag: XmlTag, name: string, words: readonly T[]): T | undefined {
    const text = this.text(tag, name);
    const word = words.find((known) => known === text);
    if (text !== undefined && word === undefined) this.#warn("unknown-word", `${name} is ${excerpt(text)}`);
    return word;
  }
}
