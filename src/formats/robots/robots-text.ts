import { maxRobotsLineBytes } from "./robots-line.ts";

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
