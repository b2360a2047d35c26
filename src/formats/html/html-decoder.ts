import { readTags } from "./html-tags.ts";

// Where a declaration of the encoding must stand (HTML Living Standard, section 4.2.5.4).
const prescanBytes = 1024;
const charsetForm = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^"'\t\n\f\r ;][^\t\n\f\r ;]*))/i;
const xmlForm = /^<\?xml[\t\n\f\r ][^>]*?encoding[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^">]*)"|'([^'>]*)')/;
const metaFields: ReadonlySet<string> = new Set(["charset", "http-equiv", "content"]);

/** The encoding that a `Content-Type`, or the `content` of such a `meta` element, names. */
function charsetOf(contentType: string | undefined): string | undefined {
  const [, double, single, bare] = charsetForm.exec(contentType ?? "") ?? [];
  return encodingOf(double ?? single ?? bare);
}

/** The name of an encoding by one of its labels (WHATWG Encoding Standard, section 4.2). */
function encodingOf(label: string | undefined): string | undefined {
  if (label === undefined || label.length > 64) return undefined;
  try {
    return new TextDecoder(label.trim()).encoding;
  } catch {
    return undefined;
  }
}

function markOf([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0xff && b === 0xfe ? "utf-16le" : undefined;
}

/** A character a byte: declarations of encodings are ASCII. A hundred times as fast as `String.fromCharCode(...bytes)`. */
const byteText = new TextDecoder("windows-1252");

/** The encoding that a `meta` element, else an XML declaration, names in the first bytes (section 13.2.3.2, the prescan). */
function declaredIn(head: Uint8Array): string | undefined {
  let declared: string | undefined;
  const onTag = (name: string, attributes: ReadonlyMap<string, string>): void => {
    if (name !== "meta" || declared !== undefined) return;
    const charset = attributes.get("charset");
    if (charset !== undefined) declared = encodingOf(charset);
    else if (attributes.get("http-equiv")?.toLowerCase() === "content-type")
      declared = charsetOf(attributes.get("content"));
  };
  const text = byteText.decode(head);
  readTags(text, { wanted: metaFields, onTag }, false);
  const [, double, single] = xmlForm.exec(text) ?? [];
  declared ??= encodingOf(double ?? single);
  // What could be read byte by byte is not UTF-16, whatever it says.
  return declared?.startsWith("utf-16") ? "utf-8" : declared;
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

/** Bytes without a character that their end cuts off. */
function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  const isContinuation = (byte: number | undefined): boolean => ((byte ?? 0) & 0xc0) === 0x80;
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 3 && isContinuation(bytes[end - 1])) end--;
  const lead = bytes[end - 1] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  const isCut = lead >= 0xc2 && lead <= 0xf4 && bytes.length - end + 1 < length;
  return isCut ? bytes.subarray(0, end - 1) : bytes;
}

/** Whether the first bytes of a page are UTF-8. Decoded whole: a decoder of a stream is made anew, which takes longer. */
function beginsAsUtf8(body: Uint8Array): boolean {
  try {
    strictUtf8.decode(body.length > prescanBytes ? withoutCutCharacter(body.subarray(0, prescanBytes)) : body);
    return true;
  } catch {
    return false;
  }
}

/** Decoders by the names of their encodings: to make one takes longer than to decode a page. */
const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

function decoderOf(encoding: string): InstanceType<typeof TextDecoder> {
  const decoder = decoders.get(encoding) ?? new TextDecoder(encoding);
  decoders.set(encoding, decoder);
  return decoder;
}

/**
 * Turns the bytes of a page into text: by its byte order mark, else by the encoding of its `Content-Type`, else by a
 * `meta` element in the first 1024 bytes, else by its XML declaration, else as UTF-8, or as windows-1252 where those bytes are not UTF-8. Bytes that
 * are wrong become U+FFFD.
 *
 * @param contentType - the field's value, if there is one
 * @returns the text, and the encoding's name in the Encoding Standard, in lower case
 * @see HTML Living Standard, section 13.2.3.2; a `meta` element further down changes nothing
 */
export function decodeHtml(
  body: Uint8Array,
  contentType: string | undefined,
): { readonly text: string; readonly encoding: string } {
  const named = markOf(body) ?? charsetOf(contentType) ?? declaredIn(body.subarray(0, prescanBytes));
  const encoding = named ?? (beginsAsUtf8(body) ? "utf-8" : "windows-1252");
  return { text: decoderOf(encoding).decode(body), encoding };
}

/**
 * Turns the bytes of a style sheet into text, likewise; it declares its encoding by a `@charset` at its start.
 *
 * @see CSS Syntax Module Level 3, section 3.2
 */
export function decodeSheet(body: Uint8Array, contentType: string | undefined): string {
  const start = byteText.decode(body.subarray(0, 128));
  const declared = /^@charset "([^"]{1,64})";/.exec(start)?.[1];
  return decoderOf(markOf(body) ?? charsetOf(contentType) ?? encodingOf(declared) ?? "utf-8").decode(body);
}
