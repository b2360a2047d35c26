import {
  type EpochSeconds,
  excerpt,
  formatCompactTime,
  ok,
  type Problem,
  parseCompactTime,
  problem,
  type Result,
} from "../../core/index.ts";
import { maxArchiveChanges } from "./archive.ts";
import { type ArchiveName, baseGroup, formatArchiveName, parseArchiveName } from "./archive-name.ts";

/** First line of the index. */
export const indexHeader = "tidemark-index 1";
/** First line of the immutable list of a base's archives. */
export const baseListHeader = "tidemark-base 1";
/** Folder below the site's root where index and archives are published. RFC 8615 reserves `/.well-known/`. */
export const publishedFolder = "/.well-known/tidemark/";
/** The index's file name in {@link publishedFolder}. */
export const indexFileName = "index.gz";
/** Largest uncompressed index or base list that is read, in bytes: some 600,000 archives, 1.2 thousand million pages. */
export const maxIndexBytes: number = 64 * 1024 * 1024;
/** Most lines that an index or a base list may have above its empty line. */
export const maxIndexKeys = 64;

/** A line of the index: an archive that exists. */
export interface ArchiveEntry {
  readonly name: ArchiveName;
  /** Lines in it, without the header. */
  readonly changes: number;
  /** Length of the gzip'd file in bytes. */
  readonly sizeBytes: number;
}

/** What the one mutable file says. */
export interface ArchiveIndex {
  /** The site's base URL: an origin with `/`. */
  readonly site: string;
  readonly epoch: string;
  /** The newest publication that the archives hold. */
  readonly publication: EpochSeconds;
  /** Number of live pages at that publication. */
  readonly pages: number;
  /** The oldest publication from which a chain of intervals leads to now. */
  readonly completeFrom: EpochSeconds;
  /** The list of the base's archives; its `to` is the base's publication, `changes` its pages. */
  readonly base: ArchiveEntry;
  /** Archives of the tiers, newest first. */
  readonly archives: readonly ArchiveEntry[];
}

/** What the immutable file that lists a base's archives says. */
export interface BaseList {
  readonly publication: EpochSeconds;
  readonly pages: number;
  /** Archives of the base, newest last-modified first. */
  readonly archives: readonly ArchiveEntry[];
}

/** An archive as a line of an index, without what may follow it and the LF. */
export function formatEntryFields({ name, changes, sizeBytes }: ArchiveEntry): string {
  return `${formatArchiveName(name)}\t${changes}\t${sizeBytes}`;
}

function formatEntry(entry: ArchiveEntry): string {
  return `${formatEntryFields(entry)}\n`;
}

/** Writes the index. What {@link parseArchiveIndex} reads back is equal. */
export function formatArchiveIndex(index: ArchiveIndex): string {
  let text = `${indexHeader}\nsite\t${index.site}\nepoch\t${index.epoch}\n`;
  text += `publication\t${formatCompactTime(index.publication)}\npages\t${index.pages}\n`;
  text += `complete-from\t${formatCompactTime(index.completeFrom)}\nbase\t${formatEntry(index.base)}\n`;
  for (const entry of index.archives) text += formatEntry(entry);
  return text;
}

/** Writes a base's list. */
export function formatBaseList(list: BaseList): string {
  let text = `${baseListHeader}\npublication\t${formatCompactTime(list.publication)}\npages\t${list.pages}\n\n`;
  for (const entry of list.archives) text += formatEntry(entry);
  return text;
}

const count = /^(?:0|[1-9]\d{0,15})$/;
const epochForm = /^[A-Za-z0-9_-]{8,64}$/;

function parseCount(text: string | undefined): number | undefined {
  return text !== undefined && count.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

function parseEntry(fields: readonly string[]): Result<ArchiveEntry, Problem> {
  const name = parseArchiveName(fields[0] ?? "");
  if (!name.ok) return name;
  const changes = parseCount(fields[1]);
  const sizeBytes = parseCount(fields[2]);
  if (changes === undefined || sizeBytes === undefined)
    return problem("bad-line", `not counts: ${excerpt(fields.join("\t"))}`);
  return ok({ name: name.value, changes, sizeBytes });
}

interface Sections {
  readonly fields: ReadonlyMap<string, string>;
  readonly entries: readonly ArchiveEntry[];
  /** What stands in the line of each entry after its fields and a TAB; empty if nothing. */
  readonly further: readonly string[];
}

/** The texts before the first TABs, and all that comes after them. */
function splitEntry(line: string): readonly [fields: readonly string[], further: string] {
  const fields = line.split("\t", 3);
  return [fields, line.slice(fields.join("\t").length + 1)];
}

// Unknown keys above the empty line, and further fields in a line below it, are room for later versions.
// Lines are looked for one at a time: a split of 64 MiB of line ends would take half a gigabyte.
/** Reads a list of archives: its header, its keys, and a line an archive. */
export function parseSections(content: Uint8Array, header: string): Result<Sections, Problem> {
  if (content.length > maxIndexBytes) return problem("too-large", `a list of ${content.length} bytes`);
  const text = new TextDecoder("latin1").decode(content);
  if (!text.startsWith(`${header}\n`))
    return problem("bad-header", `it begins with ${excerpt(text)}, not with ${excerpt(header)}`);
  if (!text.endsWith("\n")) return problem("truncated", "the last line has no end");
  const fields = new Map<string, string>();
  const entries: ArchiveEntry[] = [];
  const further: string[] = [];
  let belowKeys = false;
  let number = 1;
  for (let from = header.length + 1; from < text.length; ) {
    const to = text.indexOf("\n", from);
    const line = text.slice(from, to);
    from = to + 1;
    number += 1;
    if (belowKeys) {
      const [named, rest] = splitEntry(line);
      const entry = parseEntry(named);
      if (!entry.ok) return problem(entry.error.code, `line ${number}: ${entry.error.message}`);
      if (entry.value.name.group === baseGroup || entry.value.changes > maxArchiveChanges) {
        return problem("bad-line", `line ${number}: not an archive of changes`);
      }
      entries.push(entry.value);
      further.push(rest);
      continue;
    }
    if (line === "") {
      belowKeys = true;
      continue;
    }
    const tab = line.indexOf("\t");
    if (tab <= 0 || number > maxIndexKeys + 1) return problem("bad-line", `line ${number} is no key: ${excerpt(line)}`);
    const key = line.slice(0, tab);
    if (!fields.has(key)) fields.set(key, line.slice(tab + 1));
  }
  return belowKeys ? ok({ fields, entries, further }) : problem("truncated", "there is no empty line after the keys");
}

/** Reads an index. Times must agree with each other; nothing in it is trusted further than that. */
export function parseArchiveIndex(content: Uint8Array): Result<ArchiveIndex, Problem> {
  const sections = parseSections(content, indexHeader);
  if (!sections.ok) return sections;
  const { fields, entries } = sections.value;
  const site = fields.get("site") ?? "";
  const epoch = fields.get("epoch") ?? "";
  const publication = parseCompactTime(fields.get("publication") ?? "");
  const pages = parseCount(fields.get("pages"));
  const completeFrom = parseCompactTime(fields.get("complete-from") ?? "");
  const base = parseEntry((fields.get("base") ?? "").split("\t", 3));
  if (!epochForm.test(epoch)) return problem("bad-epoch", `not an epoch: ${excerpt(epoch)}`);
  if (publication === undefined || publication === 0) return problem("bad-publication", "there is no publication");
  if (pages === undefined) return problem("bad-pages", "there is no number of pages");
  if (!base.ok) return base;
  if (base.value.name.group !== baseGroup || base.value.name.from !== 0)
    return problem("bad-base", "the base is not a list of a whole site");
  if (completeFrom === undefined || completeFrom > base.value.name.to || base.value.name.to > publication) {
    return problem("bad-times", "complete-from, base and publication are not in that order");
  }
  if (entries.some((entry) => entry.name.to > publication || entry.name.from < completeFrom)) {
    return problem("bad-times", "an archive lies outside the interval that is complete");
  }
  return ok({ site, epoch, publication, pages, completeFrom, base: base.value, archives: entries });
}

/** Reads a base's list. */
export function parseBaseList(content: Uint8Array): Result<BaseList, Problem> {
  const sections = parseSections(content, baseListHeader);
  if (!sections.ok) return sections;
  const publication = parseCompactTime(sections.value.fields.get("publication") ?? "");
  const pages = parseCount(sections.value.fields.get("pages"));
  if (publication === undefined || pages === undefined)
    return problem("bad-base", "a base list without publication or pages");
  return ok({ publication, pages, archives: sections.value.entries });
}
