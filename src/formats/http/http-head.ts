/** The head of an HTTP/1.1 message: its start line and fields, as one character (0 to 255) a byte. */
export interface HttpHead {
  readonly startLine: string;
  /** Names as they were sent. */
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>;
}

/** A head may have this many bytes. */
export const maxHttpHeadBytes: number = 128 * 1024;

const control = /[\x00-\x08\x0a-\x1f\x7f]/g;

/** Writes a head with the empty line after it. Control characters, which no head can carry, become spaces. */
export function encodeHttpHead({ startLine, fields }: HttpHead): Uint8Array {
  let text = `${startLine.replace(control, " ")}\r\n`;
  for (const [name, value] of fields) text += `${name.replace(control, " ")}: ${value.replace(control, " ")}\r\n`;
  text += "\r\n";
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at) & 0xff;
  return bytes;
}

// RFC 9110 section 5.5: blanks only. Other white space of JavaScript may be the last byte of a character.
function trimBlanks(text: string): string {
  const isBlank = (at: number): boolean => text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09;
  let from = 0;
  let to = text.length;
  while (isBlank(from)) from++;
  while (to > from && isBlank(to - 1)) to--;
  return text.slice(from, to);
}

/** Reads a head; lines that are no fields are passed over. What follows the empty line is not looked at. */
export function decodeHttpHead(bytes: Uint8Array): HttpHead {
  let text = "";
  for (const byte of bytes.subarray(0, maxHttpHeadBytes)) {
    text += String.fromCharCode(byte);
    if (byte === 10 && text.endsWith("\r\n\r\n")) break;
  }
  const [startLine = "", ...lines] = text.split("\r\n");
  const fields: [string, string][] = [];
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon > 0) fields.push([line.slice(0, colon), trimBlanks(line.slice(colon + 1))]);
  }
  return { startLine, fields };
}

/** The status of an answer's start line, or undefined. */
export function statusOf({ startLine }: HttpHead): number | undefined {
  const match = /^HTTP\/\d(?:\.\d)? (\d{3})(?: |$)/.exec(startLine);
  return match === null ? undefined : Number(match[1]);
}

/** The first value of a field, by its name in lower case. */
export function fieldOf({ fields }: HttpHead, name: string): string | undefined {
  return fields.find(([other]) => other.toLowerCase() === name)?.[1];
}

/**
 * The fields that say what the bytes of an answer are and how they are shown, as text: two answers of one text and one
 * body are the same page, whatever else their servers said.
 *
 * @see RFC 9110 section 8, representation data and metadata
 */
export function describeRepresentation({ fields }: HttpHead): string {
  const lines = fields.map(([name, value]) => `${name.toLowerCase()}: ${value}`);
  return lines.filter((line) => /^(?:content-(?!length:)|link:|refresh:)/.test(line)).join("\n");
}

/**
 * The head of an answer as it is recorded beside a body whose transfer coding was undone: what speaks of that
 * coding stays readable under names that no reader acts on, and so does the length of a body that was cut off.
 * Content codings stay as they are, as does the body.
 */
export function headOfRecordedBody(head: HttpHead, isWhole: boolean): HttpHead {
  if (isWhole && fieldOf(head, "transfer-encoding") === undefined) return head;
  const fields = head.fields.map(([name, value]) => {
    // RFC 9112 section 6.3: beside a transfer coding, a length means nothing.
    const isUndone = /^(?:transfer-encoding|content-length|trailer)$/i.test(name);
    return [isUndone ? `X-Archive-Orig-${name}` : name, value] as const;
  });
  return { startLine: head.startLine, fields };
}
