// What a line is about; keys that are none of these are passed over.
type RobotsKey =
  | "user-agent"
  | "allow"
  | "disallow"
  | "sitemap"
  | "crawl-delay"
  | "archive-index"
  | "archive"
  | "content-usage"
  | "content-signal";

/** A line with a key that we know, its value without comment and surrounding white space. */
export interface RobotsLine {
  readonly key: RobotsKey;
  /** One character (0 to 255) a byte, as in the file. */
  readonly value: string;
}

/** Bytes of one line that are read, as in google/robotstxt (8 times 2083, less the end); the rest of the line is ignored. */
export const maxRobotsLineBytes: number = 8 * 2083 - 1;

// google/robotstxt takes any key that begins with one of these, and these misspellings. The order matters nowhere:
// none begins with another's beginning.
const keysByPrefix: ReadonlyArray<readonly [string, RobotsKey]> = [
  ["user-agent", "user-agent"],
  ["useragent", "user-agent"],
  ["user agent", "user-agent"],
  ["disallow", "disallow"],
  ["dissallow", "disallow"],
  ["dissalow", "disallow"],
  ["disalow", "disallow"],
  ["diasllow", "disallow"],
  ["disallaw", "disallow"],
  ["allow", "allow"],
  ["sitemap", "sitemap"],
  ["site-map", "sitemap"],
];

const keysByName: ReadonlyMap<string, RobotsKey> = new Map([
  ["archive-index", "archive-index"],
  ["archive", "archive"],
  ["crawl-delay", "crawl-delay"],
  ["crawldelay", "crawl-delay"],
  ["crawl delay", "crawl-delay"],
  ["content-usage", "content-usage"],
  ["content-signal", "content-signal"],
]);

const space = 0x20;
const tab = 0x09;
/** The bytes of U+00A0, which a text copied from a web page may have for a space. */
const hardSpace = "\xc2\xa0";

function isWhite(code: number): boolean {
  return code === space || (code >= tab && code <= 0x0d);
}

// String.prototype.trim would also take the byte A0, which ends many a character of UTF-8, and a
// regular expression for trailing white space takes quadratic time on a long run of it.
function trimWhite(text: string): string {
  let from = 0;
  let to = text.length;
  for (;;) {
    if (from < to && isWhite(text.charCodeAt(from))) from++;
    else if (text.startsWith(hardSpace, from)) from += hardSpace.length;
    else break;
  }
  for (;;) {
    if (to > from && isWhite(text.charCodeAt(to - 1))) to--;
    else if (to > from && text.endsWith(hardSpace, to)) to -= hardSpace.length;
    else break;
  }
  return text.slice(from, to);
}

function knownKey(text: string): RobotsKey | undefined {
  const key = text.toLowerCase();
  return keysByPrefix.find(([prefix]) => key.startsWith(prefix))?.[1] ?? keysByName.get(key);
}

/**
 * Reads one line.
 *
 * @param text - the line without its end
 * @returns undefined for an empty line, a comment, a line without a separator, an unknown key
 */
export function parseRobotsLine(text: string): RobotsLine | undefined {
  const whole = text.length > maxRobotsLineBytes ? text.slice(0, maxRobotsLineBytes) : text;
  // A NUL ends a line's meaning as it does in google/robotstxt: no path has one.
  const end = whole.search(/[#\0]/);
  const line = trimWhite(end === -1 ? whole : whole.slice(0, end));
  let separator = line.indexOf(":");
  if (separator === -1) {
    // A forgotten colon is forgiven where exactly two words leave no doubt.
    const words = /^([^ \t]+)[ \t]+[^ \t]+$/.exec(line);
    if (words === null) return undefined;
    separator = (words[1] ?? "").length;
  }
  const key = knownKey(trimWhite(line.slice(0, separator)));
  return key === undefined ? undefined : { key, value: trimWhite(line.slice(separator + 1)) };
}

/**
 * Splits text at LF, CR and CRLF.
 *
 * @returns the lines one by one; an empty last line is none
 */
export function* splitRobotsLines(text: string): Generator<string> {
  const end = /\r\n?|\n/g;
  let from = 0;
  for (let match = end.exec(text); match !== null; match = end.exec(text)) {
    yield text.slice(from, match.index);
    from = end.lastIndex;
  }
  if (from < text.length) yield text.slice(from);
}

/**
 * Bytes of a robots.txt that are read (RFC 9309 section 2.5 asks for at least 500 KiB). Who fetches
 * one keeps a byte more than this, so that {@link readRobotsText} can tell that it was longer.
 */
export const maxRobotsBytes: number = 500 * 1024;

const utf8Mark: readonly number[] = [0xef, 0xbb, 0xbf];

type Utf16 = "utf-16le" | "utf-16be";

// RFC 9309 section 2.3 asks for UTF-8. A file that an editor saved as UTF-16 begins with its mark or, as any line that
// we could read, with a character of ASCII: a byte and a NUL, twice.
function utf16Of(content: Uint8Array): Utf16 | undefined {
  const [a, b, c, d] = content;
  if (a === 0xff && b === 0xfe) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined;
  if (a !== 0 && b === 0 && c !== 0 && d === 0) return "utf-16le";
  return a === 0 && b !== 0 && c === 0 && d !== 0 ? "utf-16be" : undefined;
}

/** Whether the bytes of a robots.txt are in UTF-16. Ours is read, but others' readers and writers take it for UTF-8. */
export function isUtf16Robots(content: Uint8Array): boolean {
  return utf16Of(content) !== undefined;
}

function toUtf8(content: Uint8Array, encoding: Utf16): Uint8Array {
  const units = content.subarray(0, content.length - (content.length % 2));
  return new TextEncoder().encode(new TextDecoder(encoding).decode(units));
}

// One character a byte: a TextDecoder of "latin1" is one of windows-1252, which moves 80 to 9F.
function byteString(content: Uint8Array, from: number, to: number): string {
  let text = "";
  for (let at = from; at < to; at += 4096)
    text += String.fromCharCode(...content.subarray(at, Math.min(at + 4096, to)));
  return text;
}

/**
 * Reads the bytes of a robots.txt as characters, one (0 to 255) a byte of UTF-8, without a byte order mark.
 * UTF-16, with its mark or without, is brought to UTF-8 first.
 *
 * @returns at most {@link maxRobotsBytes}, of a longer file up to its last whole line
 */
export function readRobotsText(content: Uint8Array): string {
  const encoding = utf16Of(content);
  const truncated = content.length > maxRobotsBytes;
  const whole = truncated ? content.subarray(0, maxRobotsBytes) : content;
  const bytes = encoding === undefined ? whole : toUtf8(whole, encoding);
  let from = 0;
  // Also a part of a byte order mark is passed over, as google/robotstxt does.
  while (from < utf8Mark.length && bytes[from] === utf8Mark[from]) from++;
  const text = byteString(bytes, from, bytes.length);
  if (!truncated) return text;
  // The last line may be cut in its middle, unless so much of it is there as is read of any line.
  const lineEnd = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"));
  return text.length - lineEnd > maxRobotsLineBytes ? text : text.slice(0, lineEnd + 1);
}
