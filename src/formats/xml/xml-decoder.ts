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

const mark = /&|<[!?]|<$/g;
const reference = /&(?:amp|lt|gt|quot|apos|#(\d{1,7})|#x([\dA-Fa-f]{1,6}));/y;
// What may become a reference once more of the text is there.
const beginning = /^&(?:[a-z]{0,4}|#\d{0,7}|#x[\dA-Fa-f]{0,6})$/;
const cdata = "<![CDATA[";
const comment = "<!--";

/** Whether XML can hold a character (XML 1.0 section 2.2). */
function isXmlCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return (code < 0xd800 || code > 0xdfff) && code !== 0xfffe && code !== 0xffff && code <= 0x10_ffff;
}

/**
 * Writes `&` as `&amp;` where it begins none of XML's references, as in `?a=1&b=2` and `&nbsp;`, or a reference of no
 * character, such as half of an emoji. Many sitemaps and feeds have one, and XML would have its reading end there. CDATA
 * sections, comments and processing instructions stay as they are.
 */
export class BareAmpersands {
  #held = "";
  #literalEnd: string | undefined;
  #count = 0;

  /** How many were found. */
  get count(): number {
    return this.#count;
  }

  /**
   * @param text - the next piece of the document
   * @param isLast - whether no more of it comes
   * @returns what can be told by now of all the pieces so far; the rest, of few characters, comes with the next one
   */
  repair(text: string, isLast: boolean): string {
    const all = this.#held + text;
    this.#held = "";
    let done = "";
    let at = 0;
    while (at < all.length) {
      const from = at;
      const passesText = this.#literalEnd === undefined;
      at = passesText ? this.#passText(all, from, isLast) : this.#passLiteral(all, from, isLast);
      done += all.slice(from, at);
      if (this.#held !== "") return done;
      if (passesText && all[at] === "&" && this.#isBare(all, at)) {
        done += "&amp;";
        at++;
        this.#count++;
      }
    }
    return done;
  }

  #isBare(all: string, at: number): boolean {
    if (this.#literalEnd !== undefined) return false;
    reference.lastIndex = at;
    const found = reference.exec(all);
    if (found === null) return true;
    const [, decimal, hex] = found;
    if (decimal !== undefined) return !isXmlCharacter(Number(decimal));
    return hex !== undefined && !isXmlCharacter(Number.parseInt(hex, 16));
  }

  // Goes to the next bare ampersand, past the beginning of a literal section, or to what must be held.
  #passText(all: string, from: number, isLast: boolean): number {
    mark.lastIndex = from;
    for (let found = mark.exec(all); found !== null; found = mark.exec(all)) {
      const at = found.index;
      const rest = all.slice(at, at + cdata.length);
      const mayGoOn = at + rest.length === all.length && rest !== comment && rest.length < cdata.length;
      if (!isLast && mayGoOn && (cdata.startsWith(rest) || comment.startsWith(rest))) return this.#hold(all, at);
      if (found[0] === "&") {
        if (!this.#isBare(all, at)) continue;
        if (!isLast && beginning.test(all.slice(at, at + 12))) return this.#hold(all, at);
        return at;
      }
      if (found[0] === "<?") return this.#begin("?>", at + 2);
      if (rest === cdata) return this.#begin("]]>", at + cdata.length);
      if (rest.startsWith(comment)) return this.#begin("-->", at + comment.length);
    }
    return all.length;
  }

  #passLiteral(all: string, from: number, isLast: boolean): number {
    const end = this.#literalEnd ?? "";
    const at = all.indexOf(end, from);
    if (at === -1) return isLast ? all.length : this.#hold(all, Math.max(from, all.length - end.length + 1));
    this.#literalEnd = undefined;
    return at + end.length;
  }

  #begin(end: string, at: number): number {
    this.#literalEnd = end;
    return at;
  }

  #hold(all: string, at: number): number {
    this.#held = all.slice(at);
    return at;
  }
}
