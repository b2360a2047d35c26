import { memoize } from "../walk/memoize.ts";
import { parseListedDigest, parseListedSize, parseListedTime, parseListedType } from "./listed-page.ts";

export type ListColumn = "url" | "lastModified" | "size" | "digest" | "type";

/** How lists are written. */
export const listFormats = ["tsv", "csv", "jsonl"] as const;

/** One of {@link listFormats}: TAB between fields; comma; an object of JSON a line. */
export type ListFormat = (typeof listFormats)[number];

/** The order of columns where no header says another. */
export const plainColumns: readonly (ListColumn | undefined)[] = ["url", "lastModified", "size", "digest", "type"];

const namesOf: Readonly<Record<ListColumn, readonly string[]>> = {
  url: ["url", "loc", "path", "uri", "href", "link", "location", "address"],
  lastModified: ["lastmod", "lastmodified", "modified", "modifiedat", "updated", "updatedat", "lastchange", "mtime"],
  size: ["size", "sizebytes", "bytes", "length", "contentlength"],
  digest: ["digest", "sha256", "hash", "checksum"],
  type: ["type", "mediatype", "mimetype", "contenttype", "mime"],
};

const columnOfName = new Map(
  (Object.keys(namesOf) as ListColumn[]).flatMap((column) => namesOf[column].map((name) => [name, column] as const)),
);

/** The column that a name in a header or in an object stands for, however it is spelt: `Last-Modified`, `last_modified`. */
export const columnOf: (name: string) => ListColumn | undefined = memoize((name) => {
  if (name.length > 40 || name.includes("/") || name.includes(":")) return undefined;
  return columnOfName.get(name.toLowerCase().replace(/[^a-z0-9]/g, ""));
});

/** Reads a header. @returns the columns in their order, each once; undefined if none is the URL */
export function readHeader(fields: readonly string[]): (ListColumn | undefined)[] | undefined {
  const seen = new Set<ListColumn>();
  const columns = fields.map((field) => {
    const column = columnOf(field);
    if (column === undefined || seen.has(column)) return undefined;
    seen.add(column);
    return column;
  });
  return seen.has("url") ? columns : undefined;
}

/**
 * How a list is written, by its file's name or else its first line.
 *
 * A line with commas may be a URL with commas: without a header it is CSV only if what follows the first is what
 * would stand there.
 */
export function detectListFormat(name: string, firstLine: string): ListFormat {
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase();
  if (ending === "tsv" || ending === "csv") return ending;
  if (ending === "jsonl" || ending === "ndjson") return "jsonl";
  if (/^\s*\{/.test(firstLine)) return "jsonl";
  if (firstLine.includes("\t") || !firstLine.includes(",")) return "tsv";
  const fields = firstLine.split(",");
  if (firstLine.startsWith('"') || readHeader(fields) !== undefined) return "csv";
  const parsers = [parseListedTime, parseListedSize, parseListedDigest, parseListedType];
  const isRow =
    fields.length <= plainColumns.length &&
    fields.slice(1).every((field, at) => isUnsaid(field) || parsers[at]?.(field.trim()).ok === true);
  return isRow ? "csv" : "tsv";
}

export function isUnsaid(field: string): boolean {
  return field === "" || field === "-" || field.trim() === "";
}

/**
 * Splits a line of CSV. Quotes stand around a field, or are text of it.
 *
 * @returns the fields; undefined if a quote has no end, and the record goes on in the next line
 * @see RFC 4180 section 2
 */
export function splitCsvRecord(text: string): string[] | undefined {
  if (!text.includes('"')) return text.split(",");
  const fields: string[] = [];
  for (let at = 0; ; ) {
    if (text[at] !== '"') {
      const comma = text.indexOf(",", at);
      fields.push(text.slice(at, comma === -1 ? text.length : comma));
      if (comma === -1) return fields;
      at = comma + 1;
      continue;
    }
    const from = at + 1;
    let quote = text.indexOf('"', from);
    while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
    if (quote === -1) return undefined;
    const comma = text.indexOf(",", quote);
    const rest = text.slice(quote + 1, comma === -1 ? text.length : comma);
    fields.push(text.slice(from, quote).replaceAll('""', '"') + rest);
    if (comma === -1) return fields;
    at = comma + 1;
  }
}
