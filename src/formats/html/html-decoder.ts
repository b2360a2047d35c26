import { HtmlTags } from "./html-tags.ts";

// Where a declaration of the encoding must stand (HTML Living Standard, section 4.2.5.4).
const prescanBytes = 1024;
const charsetForm = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^"'\t\n\f\r ;][^\t\n\f\r ;]*))/i;
const metaFields: ReadonlySet<string> = new Set(["charset", "http-equiv", "content"]);

/** The encoding that a `Content-Type`, or the `content` of such a `meta` element, names. */
export function charsetOf(contentType: string): string | undefined {
  const [, double, single, bare] = charsetForm.exec(contentType) ?? [];
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

/** The encoding that a `meta` element declares in the first bytes (section 13.2.3.2, the prescan). */
function declaredIn(head: Uint8Array): string | undefined {
  let declared: string | undefined;
  const tags = new HtmlTags({
    wanted: metaFields,
    onTag: (name, attributes) => {
      if (name !== "meta" || declared !== undefined) return;
      const charset = attributes.get("charset");
      if (charset !== undefined) declared = encodingOf(charset);
      else if (attributes.get("http-equiv")?.toLowerCase() === "content-type")
        declared = charsetOf(attributes.get("content") ?? "");
    },
  });
  let text = "";
  for (const byte of head) text += String.fromCharCode(byte);
  tags.write(text);
  // What could be read byte by byte is not UTF-16, whatever it says.
  return declared?.startsWith("utf-16") ? "utf-8" : declared;
}

function isUtf8(head: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/**
 * Turns the bytes of a page into text: by its byte order mark, else by the encoding of its `Content-Type`, else by a
 * `meta` element in the first 1024 bytes, else as UTF-8, or as windows-1252 where those bytes are not UTF-8. Bytes that
 * are wrong become U+FFFD.
 *
 * @see HTML Living Standard, section 13.2.3.2; a `meta` element further down changes nothing
 */
export class HtmlDecoder {
  readonly #charset: string | undefined;
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  #head: Uint8Array = new Uint8Array(0);

  /** @param contentType - the field's value, if there is one */
  constructor(contentType: string | undefined) {
    this.#charset = contentType === undefined ? undefined : charsetOf(contentType);
  }

  /** The encoding's name in the Encoding Standard, in lower case; `utf-8` as long as it is not known. */
  get encoding(): string {
    return this.#decoder?.encoding ?? "utf-8";
  }

  /** @returns the text of these bytes; empty while the encoding is not known yet */
  decode(piece: Uint8Array): string {
    if (this.#decoder !== undefined) return this.#decoder.decode(piece, { stream: true });
    const head = new Uint8Array(this.#head.length + piece.length);
    head.set(this.#head);
    head.set(piece, this.#head.length);
    this.#head = head;
    const enough = this.#charset === undefined ? prescanBytes : 3;
    return head.length < enough ? "" : this.#decodeHead();
  }

  /** @returns what was left of the text */
  end(): string {
    return (this.#decoder === undefined ? this.#decodeHead() : "") + (this.#decoder?.decode() ?? "");
  }

  #decodeHead(): string {
    const head = this.#head;
    this.#head = new Uint8Array(0);
    const start = head.subarray(0, prescanBytes);
    const encoding = markOf(head) ?? this.#charset ?? declaredIn(start);
    this.#decoder = new TextDecoder(encoding ?? (isUtf8(start) ? "utf-8" : "windows-1252"));
    return this.#decoder.decode(head, { stream: true });
  }
}
