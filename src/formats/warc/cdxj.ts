import { type EpochSeconds, excerpt, ok, parseUrl, problem, type Result } from "../../core/index.ts";
import { formatW3cDate, parseW3cDate } from "../time/index.ts";

const maxRounds = 8;

/** Undoes percent-encoding again and again, as far as it goes; one character a byte. */
function unescapeAll(text: string): string {
  let before = text;
  for (let round = 0; round < maxRounds; round++) {
    const after = before.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (after === before) break;
    before = after;
  }
  return before;
}

function escapeRest(text: string): string {
  return text.replace(
    /[\x00-\x20\x7f-\xff#%]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

function resolveDots(path: string): string {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

/**
 * The key under which a URL is found in an index: host names from right to left, then path and query in lower case,
 * without what seldom tells two pages apart (`www`, a slash at the end, the order of a query).
 *
 * Agrees with the Python package `surt`, which pywb and cdxj-indexer ask, on all but session ids: those stay.
 *
 * @param url - an absolute URL; one that is none is its own key, in lower case and cut
 * @see https://specs.webrecorder.net/cdxj/0.1.0/ section "Searchable URL"
 */
export function surtOf(url: string): string {
  const parsed = parseUrl(url);
  if (parsed === undefined || parsed.host === "")
    return url === ""
      ? "-"
      : escapeRest(String.fromCharCode(...new TextEncoder().encode(url.toLowerCase().slice(0, 4096))));
  const host = parsed.hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .replace(/^www\d*\./, "");
  const port = parsed.port === "" ? "" : `:${parsed.port}`;
  const path = escapeRest(resolveDots(unescapeAll(parsed.pathname))).toLowerCase();
  const asked = escapeRest(unescapeAll(parsed.search.slice(1))).toLowerCase();
  const query = asked === "" ? "" : `?${asked.split("&").sort().join("&")}`;
  return `${host.split(".").reverse().join(",")}${port})${path}${query}`;
}

/** A capture in an index. */
export interface CdxjEntry {
  readonly url: string;
  readonly date: EpochSeconds;
  /** Media type of the payload, without parameters; `warc/revisit` for a revisit. */
  readonly mediaType: string;
  /** HTTP status. */
  readonly status: number | undefined;
  /** Of the payload, such as `sha1:…`. */
  readonly digest: string | undefined;
  /** Name of the WARC file. */
  readonly filename: string;
  /** Where the record's gzip member begins in it, in bytes. */
  readonly offset: number;
  /** Of the member, in bytes. */
  readonly lengthBytes: number;
}

/** A line may have this many characters. */
export const maxCdxjLine: number = 128 * 1024;

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * Writes a line without its line feed. It is ASCII, so that the order of strings is that of bytes; numbers are
 * strings, as cdxj-indexer has them, because readers take them for such.
 *
 * @see https://specs.webrecorder.net/cdxj/0.1.0/
 */
export function formatCdxjLine(entry: CdxjEntry): string {
  const time = formatW3cDate(entry.date).replace(/\D/g, "");
  const block = JSON.stringify({
    url: entry.url,
    mime: entry.mediaType,
    ...(entry.status === undefined ? {} : { status: String(entry.status) }),
    ...(entry.digest === undefined ? {} : { digest: entry.digest }),
    length: String(entry.lengthBytes),
    offset: String(entry.offset),
    filename: entry.filename,
  });
  return `${surtOf(entry.url)} ${time} ${block.replace(/[\x7f-\uffff]/g, escapeUnit)}`;
}

function wholeNumber(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Reads a line. The key is not looked at. @returns a problem `bad-line` for what is no entry */
export function parseCdxjLine(line: string): Result<CdxjEntry> {
  const match =
    line.length > maxCdxjLine ? null : /^\S+ (\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d{0,3} (\{.*\})$/.exec(line);
  if (match === null) return problem("bad-line", `not a line of an index: ${excerpt(line)}`);
  const [, year, month, day, hour, minute, second, json = ""] = match;
  const date = parseW3cDate(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  let block: Record<string, unknown>;
  try {
    block = JSON.parse(json) as Record<string, unknown>;
  } catch {
    return problem("bad-line", `not JSON: ${excerpt(json)}`);
  }
  const { url, mime, digest, filename } = block;
  const offset = wholeNumber(block.offset);
  const lengthBytes = wholeNumber(block.length);
  if (date === undefined || offset === undefined || lengthBytes === undefined)
    return problem("bad-line", `no time or place: ${excerpt(line)}`);
  if (typeof url !== "string" || typeof filename !== "string")
    return problem("bad-line", `no URL or file: ${excerpt(line)}`);
  return ok({
    url,
    date,
    mediaType: typeof mime === "string" ? mime : "unk",
    status: wholeNumber(block.status),
    digest: typeof digest === "string" ? digest : undefined,
    filename,
    offset,
    lengthBytes,
  });
}
