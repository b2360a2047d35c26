/** Fields of a line of an access log that are understood, by their number in {@link LogLine}. */
export const logField = {
  address: 0,
  time: 1,
  request: 2,
  method: 3,
  target: 4,
  status: 5,
  bytes: 6,
  agent: 7,
  ifModifiedSince: 8,
  ifNoneMatch: 9,
  etag: 10,
  host: 11,
  signatureInput: 12,
  signatureAgent: 13,
} as const;

/** A number of {@link logField}. */
export type LogField = (typeof logField)[keyof typeof logField];

const fieldCount = Object.keys(logField).length;
const dash = 0x2d;
const backslash = 0x5c;
const hexEscape = 0x78;

const plainEscapes: Readonly<Record<number, number>> = { 98: 8, 110: 10, 114: 13, 116: 9, 118: 11, 102: 12 };

/** One line: the bytes that it stands in, and where its fields are. One object serves all lines of a log in turn. */
export class LogLine {
  bytes: Uint8Array = new Uint8Array();
  /** Whether the servers' escapes are still in the fields. */
  isEscaped = true;
  /** Where fields begin; -1 for those that the format does not have. */
  readonly from: Int32Array = new Int32Array(fieldCount).fill(-1);
  readonly to: Int32Array = new Int32Array(fieldCount);

  clear(): void {
    this.from.fill(-1);
  }

  /** Whether the line's format has a field. */
  knows(field: LogField): boolean {
    return (this.from[field] as number) >= 0;
  }

  /** Whether the line has a value for a field: `-` and nothing mean that there is none. */
  has(field: LogField): boolean {
    const from = this.from[field] as number;
    const length = (this.to[field] as number) - from;
    return from >= 0 && length > 0 && !(length === 1 && this.bytes[from] === dash);
  }

  /** Whether a field is this text, which is ASCII. */
  equals(field: LogField, text: string): boolean {
    const from = this.from[field] as number;
    if (from < 0 || (this.to[field] as number) - from !== text.length) return false;
    for (let at = 0; at < text.length; at++) if (this.bytes[from + at] !== text.charCodeAt(at)) return false;
    return true;
  }

  /** Whether a field begins with this text, which is ASCII. */
  startsWith(field: LogField, text: string): boolean {
    const from = this.from[field] as number;
    if (from < 0 || (this.to[field] as number) - from < text.length) return false;
    for (let at = 0; at < text.length; at++) if (this.bytes[from + at] !== text.charCodeAt(at)) return false;
    return true;
  }

  /** A field of digits; 0 if it has none or another byte. */
  numberOf(field: LogField): number {
    if (!this.has(field)) return 0;
    const to = this.to[field] as number;
    let value = 0;
    for (let at = this.from[field] as number; at < to; at++) {
      const digit = (this.bytes[at] as number) - 0x30;
      if (digit < 0 || digit > 9) return 0;
      value = value * 10 + digit;
    }
    return Number.isSafeInteger(value) ? value : 0;
  }

  /**
   * A field as text, a character a byte, with the escapes of Apache and nginx undone: `\"`, `\\`, `\xHH`, `\n`.
   *
   * @param most - bytes that are read; the rest is left out
   */
  textOf(field: LogField, most: number): string {
    if (!this.has(field)) return "";
    const from = this.from[field] as number;
    const to = Math.min(this.to[field] as number, from + most);
    const codes: number[] = [];
    for (let at = from; at < to; at++) {
      let byte = this.bytes[at] as number;
      if (byte === backslash && this.isEscaped && at + 1 < to) {
        const next = this.bytes[++at] as number;
        const value = next === hexEscape && at + 2 < to ? hexPair(this.bytes, at + 1) : -1;
        if (value >= 0) at += 2;
        byte = value >= 0 ? value : (plainEscapes[next] ?? next);
      }
      codes.push(byte);
    }
    // One string: a sum of characters would hold an object for each as long as nobody reads it.
    return String.fromCharCode(...codes);
  }
}

function hexPair(bytes: Uint8Array, at: number): number {
  const pair = String.fromCharCode(bytes[at] as number, bytes[at + 1] as number);
  return /^[0-9a-fA-F]{2}$/.test(pair) ? Number.parseInt(pair, 16) : -1;
}

/** Bytes of unknown origin for a terminal: printable ASCII as it is, all else as `\xHH`; at most `most` bytes. */
export function formatLogBytes(bytes: Uint8Array, from: number, to: number, most: number): string {
  let text = "";
  for (let at = from; at < Math.min(to, from + most); at++) {
    const byte = bytes[at] as number;
    text +=
      byte >= 0x20 && byte < 0x7f
        ? String.fromCharCode(byte)
        : `\\x${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return to - from > most ? `${text}...` : text;
}
