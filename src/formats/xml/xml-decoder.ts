import { excerpt, type Problem } from "../../core/index.ts";

// An XML declaration that is longer than this is taken for none.
const maxDeclarationBytes = 512;

const declaredEncoding = /^<\?xml\s[^>]{0,400}?encoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]{0,63})["']/;

/**
 * Turns the bytes of an XML document into text: by its byte order mark, else by how `<` is written in its first
 * bytes, else by the encoding that its declaration names, else as UTF-8. Bytes that are wrong become U+FFFD.
 *
 * @see Extensible Markup Language (XML) 1.0 (Fifth Edition), appendix F; the labels are those of the WHATWG Encoding
 *   Standard, so `iso-8859-1` is windows-1252
 */
export class XmlDecoder {
  readonly #warn: (warning: Problem) => void;
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  #head: Uint8Array = new Uint8Array(0);
  #began = false;

  /** @param warn - told once of an encoding that nobody knows, and of white space before the document */
  constructor(warn: (warning: Problem) => void) {
    this.#warn = warn;
  }

  /** @returns the text of these bytes; may be empty while the encoding is not known yet */
  decode(piece: Uint8Array): string {
    if (this.#decoder !== undefined) return this.#begin(this.#decoder.decode(piece, { stream: true }));
    this.#head = this.#head.length === 0 ? piece.slice() : joined(this.#head, piece);
    return this.#isUndecided() ? "" : this.#decodeHead(true);
  }

  /** @returns what was left of the text */
  end(): string {
    return this.#decoder === undefined ? this.#decodeHead(false) : this.#begin(this.#decoder.decode());
  }

  #isUndecided(): boolean {
    const head = this.#head;
    if (head.length < 4) return true;
    return head[0] === 0x3c && head[1] === 0x3f && head.length < maxDeclarationBytes && !head.includes(0x3e);
  }

  #decodeHead(stream: boolean): string {
    const head = this.#head;
    this.#head = new Uint8Array(0);
    this.#decoder = new TextDecoder(this.#chooseLabel(head));
    return this.#begin(this.#decoder.decode(head, { stream }));
  }

  #chooseLabel(head: Uint8Array): string {
    const [a, b, c] = head;
    if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
    if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return "utf-16be";
    if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return "utf-16le";
    let start = "";
    for (const byte of head.subarray(0, maxDeclarationBytes)) start += String.fromCharCode(byte);
    const label = declaredEncoding.exec(start.trimStart())?.[1];
    // Whose declaration could be read byte by byte is not UTF-16, whatever it says.
    if (label === undefined || /^(?:utf-?16|ucs-?2|utf-?32|iso-10646)/i.test(label)) return "utf-8";
    try {
      return new TextDecoder(label).encoding;
    } catch {
      this.#warn({ code: "unknown-encoding", message: `read as UTF-8, not as ${excerpt(label)}` });
      return "utf-8";
    }
  }

  // Many a generator prints an empty line first, which XML forbids before a declaration.
  #begin(text: string): string {
    if (this.#began || text === "") return text;
    const trimmed = text.trimStart();
    this.#began = trimmed !== "";
    if (trimmed.length < text.length) this.#warn({ code: "leading-space", message: "white space before the document" });
    return trimmed;
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
