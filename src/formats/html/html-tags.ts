import { ForeignContent } from "./foreign-content.ts";

/** What is told of a page's markup. */
export interface TagListener {
  /** Names of attributes, in lower case and of at most 31 letters, whose values are told; others are passed over. */
  readonly wanted: ReadonlySet<string>;
  /**
   * Called for each start tag that has a wanted attribute, and for each of `form`; with `onText` for each.
   *
   * @param name - in lower case
   * @param attributes - the wanted ones, of two of a name the first, as they are written; valid until the next tag
   * @param isForeign - whether the element is one of SVG or MathML
   */
  readonly onTag: (name: string, attributes: ReadonlyMap<string, string>, isForeign: boolean) => void;
  /** The text of a `style` element; what is longer than {@link maxValueLength} is cut. */
  readonly onStyle?: (text: string) => void;
  /** The text of a `title` element of HTML, as it is written; cut as a style sheet is. */
  readonly onTitle?: (text: string) => void;
  /** A piece of the text between tags, as it is written. Elements whose content is text, as a style sheet is, are not told. */
  readonly onText?: (text: string) => void;
  /** With `onText`: called for each end tag. @param name - in lower case */
  readonly onEndTag?: (name: string) => void;
}

/** Most characters that are kept of an attribute's value and of a style sheet. */
export const maxValueLength: number = 1024 * 1024;

// Longer ones have no meaning.
const maxNameLength = 64;
// Elements whose content is text (sections 13.2.6.4.4 and 13.2.6.4.7). Without scripts `noscript` is none, and
// `noframes` is read for the links that it has for those who show no frames.
const textElements: ReadonlySet<string> = new Set(["style", "title", "textarea", "xmp", "iframe", "noembed"]);
const commentEnd = /--!?>/g;
const scriptMark = /<!--|-->|<\/?script(?=[\t\n\f\r />])/gi;

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 9 || code === 13 || code === 12;
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
const endsName = (code: number): boolean => code === 62 || code === 47 || isSpace(code);

/** Names by first letter and length, as 26 sets of bits: nearly all other names are told apart without being copied. */
function maskOf(names: Iterable<string>): Int32Array {
  const mask = new Int32Array(32);
  for (const name of names) {
    const letter = name.charCodeAt(0) & 31;
    mask[letter] = (mask[letter] ?? 0) | (1 << name.length);
  }
  return mask;
}

// The reader must know these even where they have no wanted attribute.
const namedMask = maskOf([...textElements, "script", "plaintext", "svg", "math", "form"]);

/**
 * Reads the tags of a page of HTML, in time linear in its length. No tree is built and no element remembered, so that
 * nothing that is left open costs anything. Nothing fails.
 *
 * @param isXml - whether it is XHTML served as XML: an empty-element tag has no content, CDATA is everywhere
 * @see HTML Living Standard, section 13.2.5
 */
export function readTags(html: string, listener: TagListener, isXml: boolean): void {
  new TagReader(html, listener, isXml).run();
}

class TagReader {
  readonly #text: string;
  readonly #listener: TagListener;
  readonly #isXml: boolean;
  readonly #mask: Int32Array;
  readonly #foreign = new ForeignContent();
  readonly #attributes = new Map<string, string>();
  #isSelfClosing = false;
  /** The element whose text is kept, and the text so far. */
  #kept: { readonly name: "style" | "title"; text: string } | undefined;

  constructor(text: string, listener: TagListener, isXml: boolean) {
    this.#text = text;
    this.#listener = listener;
    this.#isXml = isXml;
    this.#mask = maskOf(listener.wanted);
  }

  run(): void {
    for (let at = 0; at !== -1; ) {
      const open = this.#text.indexOf("<", at);
      this.#takeText(at, open);
      at = open === -1 ? -1 : this.#readMarkup(open);
      // It began no tag.
      if (at === open + 1) this.#tellText(open, at);
    }
    // A sheet that is not closed is one all the same.
    this.#closeText();
  }

  // Each of these gives where to go on; -1 where the text is used up. A tag that the text's end cuts off is none.
  #readMarkup(open: number): number {
    const code = this.#text.charCodeAt(open + 1);
    if (isLetter(code)) return this.#readStartTag(open + 1);
    if (code === 33) return this.#readDeclaration(open + 2);
    if (code === 63) return this.#skipTo(">", open + 2);
    if (code !== 47) return open + 1;
    return isLetter(this.#text.charCodeAt(open + 2)) ? this.#readEndTag(open + 2) : this.#skipTo(">", open + 2);
  }

  #skipTo(mark: string, from: number): number {
    const at = this.#text.indexOf(mark, from);
    return at === -1 ? -1 : at + mark.length;
  }

  #readStartTag(start: number): number {
    const end = this.#findNameEnd(start);
    if (this.#attributes.size > 0) this.#attributes.clear();
    const next = this.#readAttributes(end);
    if (next === -1) return -1;
    const isNamed = this.#isIn(namedMask, start, end);
    const isUntold = !isNamed && this.#attributes.size === 0 && this.#listener.onText === undefined;
    if (isUntold && this.#foreign.isEmpty) return next;
    const name = this.#nameAt(start, end);
    const isForeign = this.#foreign.open(name, this.#isSelfClosing);
    this.#listener.onTag(name, this.#attributes, isForeign);
    if (this.#isSelfClosing && (isForeign || this.#isXml)) return next;
    if (name === "style" && this.#listener.onStyle !== undefined) this.#kept = { name, text: "" };
    if (name === "title" && !isForeign && this.#listener.onTitle !== undefined) this.#kept = { name, text: "" };
    if (isForeign) return next;
    if (name === "script") return this.#findScriptEnd(next);
    if (name === "plaintext") return -1;
    return textElements.has(name) ? this.#readRaw(name, next) : next;
  }

  #readEndTag(start: number): number {
    const end = this.#findNameEnd(start);
    const next = this.#readAttributes(end);
    const isUntold = this.#kept === undefined && this.#listener.onEndTag === undefined;
    if (next === -1 || (isUntold && this.#foreign.isEmpty)) return next;
    const name = this.#nameAt(start, end);
    this.#listener.onEndTag?.(name);
    if (name === this.#kept?.name) this.#closeText();
    this.#foreign.close(name);
    return next;
  }

  #findNameEnd(start: number): number {
    let end = start + 1;
    while (end < this.#text.length && !endsName(this.#text.charCodeAt(end))) end++;
    return end;
  }

  #nameAt(start: number, end: number): string {
    return this.#text.slice(start, Math.min(end, start + maxNameLength)).toLowerCase();
  }

  #isIn(mask: Int32Array, start: number, end: number): boolean {
    const size = end - start;
    return size < 32 && ((mask[this.#text.charCodeAt(start) & 31] ?? 0) & (1 << size)) !== 0;
  }

  #readAttributes(start: number): number {
    const text = this.#text;
    const { length } = text;
    this.#isSelfClosing = false;
    for (let at = start; at < length; ) {
      let code = text.charCodeAt(at);
      if (code === 62) return at + 1;
      if (code === 47 || isSpace(code)) {
        if (code === 47) this.#isSelfClosing = true;
        at += 1;
        continue;
      }
      this.#isSelfClosing = false;
      const nameStart = at;
      // An equals sign at the start is part of the name.
      do code = text.charCodeAt(++at);
      while (at < length && code !== 61 && !endsName(code));
      const nameEnd = at;
      while (at < length && isSpace(code)) code = text.charCodeAt(++at);
      if (at >= length) return -1;
      let valueStart = at;
      let valueEnd = at;
      if (code === 61) {
        do code = text.charCodeAt(++at);
        while (at < length && isSpace(code));
        valueStart = at;
        if (code === 34 || code === 39) {
          valueStart = at + 1;
          valueEnd = text.indexOf(code === 34 ? '"' : "'", valueStart);
          if (valueEnd === -1) return -1;
          at = valueEnd + 1;
        } else {
          while (at < length && code !== 62 && !isSpace(code)) code = text.charCodeAt(++at);
          if (at >= length) return -1;
          valueEnd = at;
        }
      }
      if (this.#isIn(this.#mask, nameStart, nameEnd)) this.#keep(text.slice(nameStart, nameEnd), valueStart, valueEnd);
    }
    return -1;
  }

  #keep(spelling: string, valueStart: number, valueEnd: number): void {
    const name = spelling.toLowerCase();
    if (this.#listener.wanted.has(name) && !this.#attributes.has(name))
      this.#attributes.set(name, this.#text.slice(valueStart, Math.min(valueEnd, valueStart + maxValueLength)));
  }

  // Behind "<!": a comment, a section of CDATA, or anything up to ">".
  #readDeclaration(at: number): number {
    const text = this.#text;
    if (text.startsWith("--", at)) {
      // "<!-->" and "<!--->" are whole comments; "<!--!>" is none.
      commentEnd.lastIndex = text.startsWith("--!>", at) ? at + 2 : at;
      return commentEnd.test(text) ? commentEnd.lastIndex : -1;
    }
    if (!(this.#isXml || this.#foreign.isForeign) || !text.startsWith("[CDATA[", at)) return this.#skipTo(">", at);
    const end = text.indexOf("]]>", at + 7);
    this.#takeText(at + 7, end);
    return end === -1 ? -1 : end + 3;
  }

  #readRaw(name: string, start: number): number {
    let close = this.#text.indexOf("</", start);
    for (; close !== -1; close = this.#text.indexOf("</", close + 2)) {
      const end = close + 2 + name.length;
      if (endsName(this.#text.charCodeAt(end)) && this.#text.slice(close + 2, end).toLowerCase() === name) break;
    }
    this.#keepText(start, close);
    return close;
  }

  // In "<!-- <script>" the next "</script>" does not end the element (sections 13.2.5.15 to 13.2.5.31).
  #findScriptEnd(start: number): number {
    let state: "plain" | "escaped" | "escaped twice" = "plain";
    scriptMark.lastIndex = start;
    for (let found = scriptMark.exec(this.#text); found !== null; found = scriptMark.exec(this.#text)) {
      const [mark] = found;
      if (mark === "<!--") {
        if (state === "plain") state = "escaped";
        scriptMark.lastIndex -= 2;
      } else if (mark === "-->") state = "plain";
      else if (mark.charCodeAt(1) !== 47) state = state === "plain" ? "plain" : "escaped twice";
      else if (state === "escaped twice") state = "escaped";
      else return found.index;
    }
    return -1;
  }

  /** @param end - -1 for the text's end */
  #takeText(start: number, end: number): void {
    if (this.#kept === undefined) this.#tellText(start, end);
    else this.#keepText(start, end);
  }

  #tellText(start: number, end: number): void {
    if (start !== end) this.#listener.onText?.(this.#text.slice(start, end === -1 ? undefined : end));
  }

  #keepText(start: number, end: number): void {
    if (this.#kept === undefined) return;
    const room = maxValueLength - this.#kept.text.length;
    const stop = end === -1 ? this.#text.length : end;
    if (room > 0) this.#kept.text += this.#text.slice(start, Math.min(stop, start + room));
  }

  #closeText(): void {
    const kept = this.#kept;
    this.#kept = undefined;
    if (kept?.name === "style") this.#listener.onStyle?.(kept.text);
    else if (kept !== undefined) this.#listener.onTitle?.(kept.text);
  }
}
