import { type Field, staticTable } from "./hpack-table.ts";

const wholeFields = new Map(staticTable.map((field, at) => [field.join("\n"), at + 1]));
// Of the entries of one name the first is meant.
const names = new Map(staticTable.map(([name], at) => [name, at + 1] as const).reverse());

/**
 * Writes fields without a table of their own and without a code, so that no state is shared with the server: of a
 * request a hundred bytes are not worth it.
 *
 * @param fields - one character (0 to 255) a byte
 * @see RFC 7541 sections 6.1 and 6.2.2
 */
export function encodeFields(fields: readonly Field[]): Buffer {
  const bytes: number[] = [];
  for (const field of fields) {
    const whole = wholeFields.get(field.join("\n"));
    if (whole !== undefined) {
      writeInteger(bytes, whole, 7, 128);
      continue;
    }
    const [name, value] = field;
    const index = names.get(name) ?? 0;
    writeInteger(bytes, index, 4, 0);
    if (index === 0) writeString(bytes, name);
    writeString(bytes, value);
  }
  return Buffer.from(bytes);
}

function writeString(bytes: number[], text: string): void {
  writeInteger(bytes, text.length, 7, 0);
  for (let at = 0; at < text.length; at++) bytes.push(text.charCodeAt(at) & 0xff);
}

function writeInteger(bytes: number[], value: number, prefixBits: number, pattern: number): void {
  const mask = 2 ** prefixBits - 1;
  if (value < mask) {
    bytes.push(pattern | value);
    return;
  }
  bytes.push(pattern | mask);
  let rest = value - mask;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
}
