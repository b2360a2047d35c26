import { ForeignContent } from "./foreign-content.ts";
import { ScriptEnd } from "./script-end.ts";
import { WholeTag } from "./whole-tag.ts";

/** What is told of a page's markup. */
export interface TagListener {
  /** Names of attributes, in lower case, whose values are told; of others nothing is kept. */
  readonly wanted: ReadonlySet<string>;
  /**
   * A start tag that has a wanted attribute; of `form`, and of those that change how the page is read, each.
   *
   * @param name - in lower case
   * @param attributes - the wanted ones, of two of a name the first, as they are written; lives until the next tag
   * @param isForeign - whether the element is one of SVG or MathML
   */
  readonly onTag: (name: string, attributes: ReadonlyMap<string, string>, isForeign: boolean) => void;
  /** The text of a `style` element; what is longer than {@link maxValueLength} is cut. */
  readonly onStyle?: (text: string) => void;
}

/** Of an attribute's value and of a style sheet this many characters are kept. */
export const maxValueLength: number = 1024 * 1024;

// Longer ones have no meaning.
const maxNameLength = 64;
// Elements whose content is text (sections 13.2.6.4.4 and 13.2.6.4.7). `noscript` is none without scripts, and
// `noframes` is read for the links that it has for those who show no frames.
const textElements: ReadonlySet<string> = new Set(["style", "title", "textarea", "xmp", "iframe", "noembed", "script"]);
const commentEnd = /--!?>/g;

const states = {
  text: 0,
  tagOpen: 1,
  endTagOpen: 2,
  tagName: 3,
  beforeAttribute: 4,
  attributeName: 5,
  afterAttributeName: 6,
  beforeValue: 7,
  quotedValue: 8,
  bareValue: 9,
  declaration: 10,
  comment: 11,
  bogus: 12,
  cdata: 13,
  raw: 14,
  script: 15,
  plain: 16,
} as const;
type State = (typeof states)[keyof typeof states];

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 9 || code === 13 || code === 12;
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

/**
 * Reads the tags of HTML as they come, piece by piece, in time linear in the text and memory that does not grow
 * with it: no tree is built and no element remembered, so that nothing that is left open costs anything. Nothing fails.
 *
 * @see HTML Living Standard, section 13.2.5
 */
export class HtmlTags {
  readonly #listener: TagListener;
  readonly #isXml: boolean;
  readonly #foreign = new ForeignContent();
  readonly #attributes = new Map<string, string>();
  readonly #whole: WholeTag;
  #state: State = states.text;
  // The last few characters, where what they mean is not known before the next ones.
  #rest = "";
  #name = "";
  #isEndTag = false;
  #isSelfClosing = false;
  #attribute = "";
  #value = "";
  #quote = '"';
  #isFresh = false;
  #script = new ScriptEnd();
  #style: string | undefined;

  /** @param isXml - whether it is XHTML served as XML: an empty-element tag has no content, CDATA is everywhere */
  constructor(listener: TagListener, isXml = false) {
    this.#listener = listener;
    this.#isXml = isXml;
    this.#whole = new WholeTag(listener.wanted, this.#attributes, maxValueLength);
  }

  write(piece: string): void {
    const text = this.#rest === "" ? piece : this.#rest + piece;
    this.#rest = "";
    let at = 0;
    while (at < text.length) {
      const next = this.#step(text, at);
      if (next === -1) return;
      at = next;
    }
  }

  end(): void {
    // A sheet that is not closed is one all the same; an open tag is none.
    if (this.#state === states.raw) this.#keepStyle(this.#rest);
    this.#closeStyle();
  }

  // Gives where to go on; -1 where the text is used up.
  #step(text: string, at: number): number {
    switch (this.#state) {
      case states.text:
        return this.#readText(text, at);
      case states.tagOpen:
        return this.#openTag(text.charCodeAt(at), at);
      case states.endTagOpen:
        return this.#openEndTag(text.charCodeAt(at), at);
      case states.tagName:
        return this.#readTagName(text, at);
      case states.beforeAttribute:
        return this.#beforeAttribute(text, at);
      case states.attributeName:
        return this.#readAttributeName(text, at);
      case states.afterAttributeName:
        return this.#afterAttributeName(text, at);
      case states.beforeValue:
        return this.#beforeValue(text, at);
      case states.quotedValue:
        return this.#readQuoted(text, at);
      case states.bareValue:
        return this.#readBare(text, at);
      case states.declaration:
        return this.#readDeclaration(text, at);
      case states.comment:
        return this.#skipComment(text, at);
      case states.bogus: {
        const end = text.indexOf(">", at);
        if (end !== -1) this.#state = states.text;
        return end === -1 ? -1 : end + 1;
      }
      case states.cdata:
        return this.#readCdata(text, at);
      case states.raw:
        return this.#readRaw(text, at);
      case states.script:
        return this.#skipScript(text, at);
      case states.plain:
        return -1;
    }
  }

  #readText(text: string, at: number): number {
    for (let next = at; this.#state === states.text; ) {
      const open = text.indexOf("<", next);
      if (this.#style !== undefined) this.#keepStyle(text.slice(next, open === -1 ? text.length : open));
      if (open === -1) return -1;
      // In SVG and MathML each tag counts.
      next = this.#foreign.isEmpty && this.#style === undefined ? this.#whole.read(text, open) : -1;
      if (next === -1) {
        this.#state = states.tagOpen;
        return open + 1;
      }
      if (this.#whole.name !== "") {
        this.#name = this.#whole.name;
        this.#isEndTag = false;
        this.#isSelfClosing = this.#whole.isSelfClosing;
        this.#closeTag(next);
      }
      at = next;
    }
    return at;
  }

  #openTag(code: number, at: number): number {
    if (isLetter(code)) {
      this.#isEndTag = false;
      this.#name = "";
      this.#state = states.tagName;
      return at;
    }
    this.#state =
      code === 47 ? states.endTagOpen : code === 33 ? states.declaration : code === 63 ? states.bogus : states.text;
    return this.#state === states.text ? at : at + 1;
  }

  #openEndTag(code: number, at: number): number {
    this.#isEndTag = isLetter(code);
    this.#name = "";
    this.#state = this.#isEndTag ? states.tagName : states.bogus;
    return at;
  }

  #readTagName(text: string, at: number): number {
    let end = at;
    for (let code = text.charCodeAt(end); end < text.length; code = text.charCodeAt(++end))
      if (isSpace(code) || code === 62 || code === 47) break;
    if (this.#name.length < maxNameLength) this.#name += text.slice(at, Math.min(end, at + maxNameLength));
    if (end === text.length) return -1;
    this.#name = this.#name.toLowerCase();
    this.#attributes.clear();
    this.#isSelfClosing = false;
    this.#state = states.beforeAttribute;
    return end;
  }

  #beforeAttribute(text: string, at: number): number {
    for (let end = at; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === 62) return this.#closeTag(end + 1);
      if (code === 47) this.#isSelfClosing = true;
      else if (!isSpace(code)) {
        this.#isSelfClosing = false;
        this.#attribute = "";
        this.#state = states.attributeName;
        return end;
      }
    }
    return -1;
  }

  #readAttributeName(text: string, at: number): number {
    let end = at;
    // An equals sign at the start is part of the name.
    if (this.#attribute === "") end += 1;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === 61 || code === 62 || code === 47 || isSpace(code)) break;
    }
    if (this.#attribute.length < maxNameLength) this.#attribute += text.slice(at, Math.min(end, at + maxNameLength));
    if (end === text.length) return -1;
    this.#attribute = this.#attribute.toLowerCase();
    this.#state = states.afterAttributeName;
    return end;
  }

  #afterAttributeName(text: string, at: number): number {
    for (let end = at; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (isSpace(code)) continue;
      this.#value = "";
      if (code === 61) {
        this.#state = states.beforeValue;
        return end + 1;
      }
      this.#keepAttribute();
      return end;
    }
    return -1;
  }

  #beforeValue(text: string, at: number): number {
    for (let end = at; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (isSpace(code)) continue;
      if (code === 34 || code === 39) {
        this.#quote = code === 34 ? '"' : "'";
        this.#state = states.quotedValue;
        return end + 1;
      }
      if (code === 62) this.#keepAttribute();
      else this.#state = states.bareValue;
      return end;
    }
    return -1;
  }

  #readQuoted(text: string, at: number): number {
    const end = text.indexOf(this.#quote, at);
    this.#keepValue(text, at, end === -1 ? text.length : end);
    if (end === -1) return -1;
    this.#keepAttribute();
    return end + 1;
  }

  #readBare(text: string, at: number): number {
    let end = at;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === 62 || isSpace(code)) break;
    }
    this.#keepValue(text, at, end);
    if (end === text.length) return -1;
    this.#keepAttribute();
    return end;
  }

  #keepValue(text: string, start: number, end: number): void {
    const room = maxValueLength - this.#value.length;
    if (room > 0 && this.#listener.wanted.has(this.#attribute))
      this.#value += text.slice(start, Math.min(end, start + room));
  }

  #keepAttribute(): void {
    const name = this.#attribute;
    if (this.#listener.wanted.has(name) && !this.#attributes.has(name)) this.#attributes.set(name, this.#value);
    this.#value = "";
    this.#state = states.beforeAttribute;
  }

  #closeTag(next: number): number {
    const name = this.#name;
    this.#state = states.text;
    if (this.#isEndTag) {
      if (name === "style") this.#closeStyle();
      this.#foreign.close(name);
      return next;
    }
    const isForeign = this.#foreign.open(name, this.#isSelfClosing);
    this.#listener.onTag(name, this.#attributes, isForeign);
    if (this.#isSelfClosing && (isForeign || this.#isXml)) return next;
    if (name === "style" && this.#listener.onStyle !== undefined) this.#style = "";
    if (isForeign) return next;
    if (name === "script") {
      this.#script = new ScriptEnd();
      this.#state = states.script;
    } else if (textElements.has(name)) this.#state = states.raw;
    else if (name === "plaintext") this.#state = states.plain;
    return next;
  }

  // Behind "<!": a comment, a section of CDATA, or anything up to ">".
  #readDeclaration(text: string, at: number): number {
    const opening = text.slice(at, at + 7);
    if (opening.startsWith("--")) {
      this.#isFresh = true;
      this.#state = states.comment;
      return at;
    }
    const isCdata = this.#isXml || this.#foreign.isForeign;
    if (at + 7 > text.length && ("--".startsWith(opening) || (isCdata && "[CDATA[".startsWith(opening)))) {
      this.#rest = opening;
      return -1;
    }
    this.#state = isCdata && opening === "[CDATA[" ? states.cdata : states.bogus;
    return this.#state === states.cdata ? at + 7 : at;
  }

  // Begins at the dashes that opened it, for "<!-->" and "<!--->" are whole comments; "<!--!>" is none.
  #skipComment(text: string, at: number): number {
    if (this.#isFresh && text.length < at + 4) return this.#wait(text, at);
    commentEnd.lastIndex = this.#isFresh && text.startsWith("--!>", at) ? at + 2 : at;
    this.#isFresh = false;
    if (!commentEnd.test(text)) return this.#wait(text, Math.max(at, text.length - 3));
    this.#state = states.text;
    return commentEnd.lastIndex;
  }

  #readCdata(text: string, at: number): number {
    const end = text.indexOf("]]>", at);
    const stop = end === -1 ? Math.max(at, text.length - 2) : end;
    if (this.#style !== undefined) this.#keepStyle(text.slice(at, stop));
    if (end === -1) return this.#wait(text, stop);
    this.#state = states.text;
    return end + 3;
  }

  #readRaw(text: string, at: number): number {
    for (let close = text.indexOf("</", at); close !== -1; close = text.indexOf("</", close + 2)) {
      const end = close + 2 + this.#name.length;
      const code = text.charCodeAt(end);
      if (end < text.length && code !== 62 && code !== 47 && !isSpace(code)) continue;
      const name = text.slice(close + 2, end).toLowerCase();
      if (end < text.length ? name !== this.#name : !this.#name.startsWith(name)) continue;
      if (this.#style !== undefined) this.#keepStyle(text.slice(at, close));
      if (end >= text.length) return this.#wait(text, close);
      this.#state = states.text;
      return close;
    }
    const stop = text.endsWith("<") ? text.length - 1 : text.length;
    if (this.#style !== undefined) this.#keepStyle(text.slice(at, stop));
    return this.#wait(text, stop);
  }

  #skipScript(text: string, at: number): number {
    const end = this.#script.find(text, at);
    if (end === -1) return this.#wait(text, this.#script.rest);
    this.#state = states.text;
    return end;
  }

  #wait(text: string, from: number): -1 {
    this.#rest = text.slice(from);
    return -1;
  }

  #keepStyle(text: string): void {
    if (this.#style === undefined) return;
    const room = maxValueLength - this.#style.length;
    if (room > 0) this.#style += text.slice(0, room);
  }

  #closeStyle(): void {
    if (this.#style !== undefined) this.#listener.onStyle?.(this.#style);
    this.#style = undefined;
  }
}
