import { type EpochSeconds, excerpt } from "../../core/index.ts";
import { parseW3cDate } from "../time/index.ts";
import { EntryReader, XmlReader, type XmlReceiver, type XmlTag } from "../xml/index.ts";
import { maxReadCharacters, maxSitemapBytes, maxSitemapEntries } from "./sitemap.ts";
import type { SitemapEntry, SitemapLimits } from "./sitemap-document.ts";

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const zones: Readonly<Record<string, string>> = {
  ut: "Z",
  utc: "Z",
  gmt: "Z",
  z: "Z",
  est: "-0500",
  edt: "-0400",
  cst: "-0600",
  cdt: "-0500",
  mst: "-0700",
  mdt: "-0600",
  pst: "-0800",
  pdt: "-0700",
};
const form =
  /^(?:[a-z]{3,9}(?:, ?| ))?(\d{1,2}) ([a-z]{3})[a-z]{0,6} (\d{4}|\d\d) (\d{1,2}):(\d\d)(?::(\d\d))? ([a-z]{1,3}|[+-]\d{4})(?: ?\([^()]*\))?$/;

/**
 * Reads a date as feeds write it: of RFC 822 with years of two or four digits, as RSS 2.0 has it, or of RFC 3339, as Atom
 * and Dublin Core have it.
 *
 * @returns seconds since 1970; undefined for what is no such date, also for one of RFC 822 without a time zone
 * @see RFC 822 section 5.1, RFC 5322 section 3.3, RFC 4287 section 3.3
 */
export function parseFeedDate(text: string): EpochSeconds | undefined {
  if (text.length > 64) return undefined;
  const match = form.exec(text.trim().toLowerCase().replace(/\s+/g, " "));
  if (match === null) return parseW3cDate(text);
  const [, day = "", name = "", year = "", hour = "", minute = "", second = "00", zone = ""] = match;
  const month = months.indexOf(name) + 1;
  const offset = zones[zone] ?? zone;
  // RFC 5322 section 4.3: two digits from 50 on are of the last century.
  const fullYear = year.length === 4 ? year : `${Number(year) < 50 ? "20" : "19"}${year}`;
  const two = (part: string | number): string => String(part).padStart(2, "0");
  return parseW3cDate(`${fullYear}-${two(month)}-${two(day)}T${two(hour)}:${minute}:${second}${offset}`);
}

/** Which feed a document is: RSS 0.9x or 2.0, RSS 1.0, Atom. */
export type FeedKind = "rss" | "rdf" | "atom";

const kinds: Readonly<Record<string, FeedKind>> = { rss: "rss", RDF: "rdf", feed: "atom" };
const itemDepths: Readonly<Record<FeedKind, number>> = { rss: 3, rdf: 2, atom: 2 };
/** Fields of an item, the best first: of its location and of its date. */
const locationFields: readonly string[] = ["link", "guid"];
const dateFields: readonly string[] = ["updated", "modified", "pubDate", "date", "published", "issued"];

/** Links of an Atom entry that lead to its page (RFC 4287 section 4.2.7.2). */
function leadsToPage({ attributes }: XmlTag): boolean {
  const rel = attributes.rel?.value.trim().toLowerCase() ?? "alternate";
  return rel === "alternate" || rel === "http://www.iana.org/assignments/relation/alternate";
}

function pickFirst(fields: ReadonlyMap<string, string>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields.get(name)?.trim();
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

class FeedDocument implements XmlReceiver {
  readonly xml: XmlReader;
  readonly #maxEntries: number;
  readonly #onEntry: (entry: SitemapEntry) => void;
  #kind: FeedKind | undefined;
  #count = 0;
  #fields: Map<string, string> | undefined;
  #field: string | undefined;
  #text = "";
  /** `xml:base` of the open elements, by depth. */
  readonly #bases: (string | undefined)[] = [];
  /** Those that hold for the location. */
  #locationBases: readonly string[] = [];

  constructor(limits: SitemapLimits, onEntry: (entry: SitemapEntry) => void) {
    this.#maxEntries = limits.maxEntries ?? maxSitemapEntries;
    this.#onEntry = onEntry;
    this.xml = new XmlReader(this, limits.maxBytes ?? maxSitemapBytes);
  }

  get kind(): FeedKind | undefined {
    return this.#kind;
  }

  onOpen(tag: XmlTag, depth: number): void {
    this.#bases.length = depth - 1;
    this.#bases.push(tag.attributes["xml:base"]?.value.trim().slice(0, maxReadCharacters));
    if (depth === 1) {
      this.#kind = kinds[tag.local];
      if (this.#kind === undefined) this.xml.stop("not-a-feed", `the document is ${excerpt(tag.local)}, not a feed`);
      return;
    }
    const itemDepth = this.#itemDepth();
    if (depth === itemDepth && tag.local === (this.#kind === "atom" ? "entry" : "item")) this.#openItem();
    else if (depth === itemDepth + 1 && this.#fields !== undefined) this.#openField(tag, this.#fields);
  }

  onText(text: string): void {
    // One character too many is kept, so that it can be told from a text that just fits.
    if (this.#field !== undefined && this.#text.length <= maxReadCharacters) this.#text += text;
  }

  onClose(depth: number): void {
    const itemDepth = this.#itemDepth();
    if (depth === itemDepth + 1 && this.#field !== undefined) {
      // An element of an extension may have the name and no text.
      if (this.#text.trim() !== "" && !this.#fields?.has(this.#field)) this.#fields?.set(this.#field, this.#text);
      this.#field = undefined;
    } else if (depth === itemDepth && this.#fields !== undefined) {
      this.#closeItem(this.#fields);
      this.#fields = undefined;
    }
  }

  #itemDepth(): number {
    return itemDepths[this.#kind ?? "rss"];
  }

  #openItem(): void {
    if (++this.#count > this.#maxEntries) this.xml.stop("too-many", `there are more than ${this.#maxEntries} entries`);
    this.#fields = new Map();
    this.#locationBases = [];
  }

  #openField(tag: XmlTag, fields: Map<string, string>): void {
    const { attributes, local } = tag;
    if (local === "link" && this.#kind === "atom") {
      const href = attributes.href?.value;
      if (href === undefined || fields.has("link") || !leadsToPage(tag)) return;
      fields.set("link", href);
      this.#noteBases();
      return;
    }
    // An <atom:link> in RSS names the feed, or what belongs to the page; an <itunes:link> something else again.
    const isOwn = tag.prefix === "" || local === "date" || this.#kind !== "rss";
    if (!isOwn || !(locationFields.includes(local) || dateFields.includes(local))) return;
    this.#field = local;
    this.#text = "";
    if (local === "link" && !fields.has("link")) this.#noteBases();
  }

  #noteBases(): void {
    this.#locationBases = this.#bases.filter((base) => base !== undefined && base !== "") as string[];
  }

  #closeItem(fields: ReadonlyMap<string, string>): void {
    const location = pickFirst(fields, locationFields) ?? "";
    const isLink = fields.has("link") && fields.get("link")?.trim() === location;
    // A guid is a location if it looks like one.
    if (location === "" || location.length > maxReadCharacters || (!isLink && !/^https?:\/\//i.test(location))) {
      this.xml.warn("no-location", `entry ${this.#count} is left out: ${excerpt(location)}`);
      return;
    }
    if (location.includes("\ufffd")) {
      this.xml.warn("bad-characters", `entry ${this.#count} is left out: ${excerpt(location)}`);
      return;
    }
    const lastModifiedText = pickFirst(fields, dateFields)?.slice(0, maxReadCharacters);
    const lastModified = lastModifiedText === undefined ? undefined : parseFeedDate(lastModifiedText);
    if (lastModifiedText !== undefined && lastModified === undefined)
      this.xml.warn("bad-date", `entry ${this.#count} has a date that is none: ${excerpt(lastModifiedText)}`);
    this.#onEntry({
      location,
      ...(this.#locationBases.length === 0 ? {} : { bases: this.#locationBases }),
      ...(lastModifiedText === undefined ? {} : { lastModifiedText }),
      ...(lastModified === undefined ? {} : { lastModified }),
    });
  }
}

/**
 * Reads the pages that a feed names, within the bounds of {@link SitemapReader}: RSS 0.9x and 2.0
 * (`link`, else a `guid` that is a URL; `pubDate`), RSS 1.0 (`link`, `dc:date`), Atom (the first `link` to a page;
 * `updated`, else `published`). A feed names the newest pages of a site, hardly ever all.
 *
 * Locations are as written: they may be relative to the feed, or to an `xml:base` in it.
 *
 * @see RSS 2.0 specification; RFC 4287 (section 2 for `xml:base`); sitemaps.org/protocol, "Syndication feed"
 */
export class FeedReader extends EntryReader<SitemapEntry> {
  readonly #document: FeedDocument;

  constructor(limits: SitemapLimits = {}) {
    const entries: SitemapEntry[] = [];
    const document = new FeedDocument(limits, (entry) => entries.push(entry));
    super(document.xml, entries);
    this.#document = document;
  }

  /** What the document is; undefined until its first tag was read. */
  get kind(): FeedKind | undefined {
    return this.#document.kind;
  }
}
