import {
  escapeXml,
  maxReadCharacters,
  maxSitemapBytes,
  maxSitemapEntries,
  sitemapNamespace,
} from "../sitemap/index.ts";
import { W3cDateWriter } from "../time/index.ts";
import {
  type Capability,
  type ResourceSyncEntry,
  type ResourceSyncHeader,
  type ResourceSyncLink,
  type ResourceSyncTimes,
  resourceSyncNamespace,
} from "./resource-sync.ts";
import { checkHeader, EntryRules } from "./resource-sync-rules.ts";

const hashForm = /^[a-z0-9-]+:[0-9a-f]+(?: [a-z0-9-]+:[0-9a-f]+)*$/;
// What XML cannot hold, and what it would not give back as it was.
const notText = /[^\P{Cc}]|[\ufffd-\uffff]|\p{Cs}/u;
const notAscii = /[^ -~\n]/;

/**
 * Writes a document of ResourceSync, entry by entry: at most 50,000 and 50 MiB, as for sitemaps. It holds only what
 * was not taken yet. What the specification demands of each document (which times it has, that a change has its time
 * and comes in order, that a path begins with `/`) is checked, so that no wrong document can be written.
 *
 * A document without entries is valid, unlike a sitemap.
 *
 * @see ANSI/NISO Z39.99-2017 sections 7 to 13
 * @example
 * const up = { rel: "up", href: "https://www.example.org/.well-known/tidemark/capabilitylist.xml" };
 * const writer = new ResourceSyncWriter({ kind: "urlset", capability: "resourcelist", at: 1783157400, links: [up] });
 * writer.add({ location: "https://www.example.org/about.html", lastModified: 1783157000, sizeBytes: 62 });
 * const bytes = writer.end();
 */
export class ResourceSyncWriter {
  readonly #rules: EntryRules;
  readonly #date: W3cDateWriter = new W3cDateWriter();
  readonly #open: string;
  readonly #close: string;
  readonly #last: string;
  #pending: string;
  #pendingBytes: number;
  #sizeBytes: number;
  #entries = 0;
  #ended = false;

  /** @throws RangeError if the specification allows no such document */
  constructor(header: ResourceSyncHeader) {
    checkHeader(header);
    this.#rules = new EntryRules(header);
    const name = header.kind === "urlset" ? "url" : "sitemap";
    this.#open = `<${name}><loc>`;
    this.#close = `</${name}>\n`;
    this.#last = `</${header.kind}>\n`;
    let text = `<?xml version="1.0" encoding="UTF-8"?>\n<${header.kind} xmlns="${sitemapNamespace}"`;
    text += ` xmlns:rs="${resourceSyncNamespace}">\n`;
    for (const link of header.links) text += `${this.#formatLink(link)}\n`;
    text += `<rs:md${this.#formatTimes(header.capability, header)}/>\n`;
    this.#pending = text;
    this.#pendingBytes = byteLength(text);
    this.#sizeBytes = this.#pendingBytes;
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
    return this.#pendingBytes;
  }

  /**
   * Adds an entry.
   *
   * @param entry - its location is a whole URL, as `formatLocation` writes it
   * @returns false if the document is full: nothing was added then, and the next document is to be begun
   * @throws RangeError if the specification does not allow the entry there, or XML cannot hold its text
   */
  add(entry: ResourceSyncEntry): boolean {
    if (this.#ended) throw new TypeError("a document that has ended is added to");
    if (this.#entries === maxSitemapEntries) return false;
    const text = this.#formatEntry(entry);
    const entryBytes = byteLength(text);
    if (this.#sizeBytes + entryBytes + this.#last.length > maxSitemapBytes) return false;
    this.#rules.check(entry);
    this.#pending += text;
    this.#pendingBytes += entryBytes;
    this.#sizeBytes += entryBytes;
    this.#entries++;
    return true;
  }

  /** What was written since the last time; to be asked for whenever {@link pendingBytes} has become large. */
  take(): Uint8Array {
    const bytes = new TextEncoder().encode(this.#pending);
    this.#pending = "";
    this.#pendingBytes = 0;
    return bytes;
  }

  /** Ends the document. @returns the rest of it */
  end(): Uint8Array {
    if (this.#ended) throw new TypeError("a document is ended twice");
    this.#ended = true;
    this.#pending += this.#last;
    this.#sizeBytes += this.#last.length;
    return this.take();
  }

  #formatEntry(entry: ResourceSyncEntry): string {
    const { location, lastModified, change, changedAt, links } = entry;
    if (location === "" || location.trim() !== location) throw new RangeError("a location that is empty or has space");
    let text = `${this.#open}${asText(location)}</loc>`;
    if (lastModified !== undefined) text += `<lastmod>${this.#date.format(lastModified)}</lastmod>`;
    let metadata = this.#formatTimes(entry.capability, entry);
    if (change !== undefined) metadata += attribute("change", change);
    if (changedAt !== undefined) metadata += attribute("datetime", this.#date.format(changedAt));
    metadata += formatRepresentation(entry);
    if (metadata !== "") text += `<rs:md${metadata}/>`;
    if (links !== undefined) for (const link of links) text += this.#formatLink(link);
    return text + this.#close;
  }

  #formatTimes(capability: Capability | undefined, times: ResourceSyncTimes): string {
    const { at, completed, from, until } = times;
    let text = capability === undefined ? "" : attribute("capability", capability);
    if (at !== undefined) text += attribute("at", this.#date.format(at));
    if (completed !== undefined) text += attribute("completed", this.#date.format(completed));
    if (from !== undefined) text += attribute("from", this.#date.format(from));
    if (until !== undefined) text += attribute("until", this.#date.format(until));
    return text;
  }

  #formatLink(link: ResourceSyncLink): string {
    const { rel, href, modified, priority } = link;
    let text = `<rs:ln${attribute("rel", rel)}${attribute("href", href)}`;
    if (modified !== undefined) text += attribute("modified", this.#date.format(modified));
    text += formatRepresentation(link);
    if (priority !== undefined) text += attribute("pri", asCount(priority));
    return `${text}/>`;
  }
}

function formatRepresentation(of: ResourceSyncEntry | ResourceSyncLink): string {
  const { hash, sizeBytes, mediaType, encoding, path } = of;
  let text = "";
  if (hash !== undefined) {
    if (!hashForm.test(hash)) throw new RangeError(`not a hash in hex: ${hash}`);
    text += attribute("hash", hash);
  }
  if (sizeBytes !== undefined) text += attribute("length", asCount(sizeBytes));
  if (mediaType !== undefined) text += attribute("type", mediaType);
  if (encoding !== undefined) text += attribute("encoding", encoding);
  if (path !== undefined) text += attribute("path", path);
  return text;
}

function attribute(name: string, value: string): string {
  return ` ${name}="${asText(value)}"`;
}

function asText(text: string): string {
  if (text.length > maxReadCharacters || notText.test(text)) throw new RangeError("text that XML cannot hold");
  return escapeXml(text);
}

function asCount(count: number): string {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`not a count: ${count}`);
  return String(count);
}

function byteLength(text: string): number {
  return notAscii.test(text) ? new TextEncoder().encode(text).length : text.length;
}
