// Lead bytes of the encodings of two bytes that an encoder writes (Encoding Standard, sections 11 to 14).
const leads: Readonly<Record<string, readonly [first: number, last: number]>> = {
  gbk: [0x81, 0xfe],
  gb18030: [0x81, 0xfe],
  big5: [0xa1, 0xf9],
  "euc-jp": [0xa1, 0xfe],
  "euc-kr": [0x81, 0xfd],
  shift_jis: [0x81, 0xfc],
};
// Read, never written: NEC's copies of IBM's characters (section 12.3.2).
const unwritten = (encoding: string, lead: number): boolean =>
  encoding === "shift_jis" && (lead === 0xed || lead === 0xee);

const tables = new Map<string, ReadonlyMap<string, string>>();
// A second byte that is ASCII stands for itself, as the standard has it.
const escaped = (byte: number): string =>
  byte < 0x80 ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase()}`;

/** Characters to their escaped bytes, found by decoding all bytes: nothing else knows the encodings here. */
function tableOf(encoding: string): ReadonlyMap<string, string> {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const table = new Map<string, string>();
  const decoder = new TextDecoder(encoding);
  const add = (bytes: readonly number[]): void => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if ([...text].length === 1 && text !== "\ufffd" && text > "\x7f" && !table.has(text))
      table.set(text, bytes.map(escaped).join(""));
  };
  for (let byte = 0x80; byte <= 0xff; byte++) add([byte]);
  const [first, last] = leads[encoding] ?? [1, 0];
  for (let lead = first; lead <= last; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) if (!unwritten(encoding, lead)) add([lead, trail]);
  }
  tables.set(encoding, table);
  return table;
}

/**
 * Writes a URL's query as a browser sends it from a page in another encoding than UTF-8: in the page's encoding, and
 * what that does not have as a character reference. Encodings with a state (ISO-2022-JP), UTF-16, and the characters
 * for which GB18030 needs four bytes go out as UTF-8 does.
 *
 * @param url - a URL as it is written, relative or not
 * @param encoding - the encoding's name, in lower case
 * @see URL Standard, section 4.4 "query state"; Encoding Standard, section 6
 */
export function encodeQuery(url: string, encoding: string): string {
  const start = url.indexOf("?");
  if (start === -1 || encoding === "utf-8" || encoding.startsWith("utf-16") || encoding === "iso-2022-jp") return url;
  const query = url.slice(start);
  if (!/[\x80-\u{10ffff}]/u.test(query)) return url;
  const table = tableOf(encoding);
  const encoded = query.replace(/[\x80-\u{10ffff}]/gu, (character) => {
    const bytes = table.get(character);
    if (bytes !== undefined || encoding === "gb18030") return bytes ?? character;
    return `%26%23${character.codePointAt(0)}%3B`;
  });
  return url.slice(0, start) + encoded;
}
