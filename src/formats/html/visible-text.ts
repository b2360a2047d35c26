import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { ForeignContent } from "./foreign-content.ts";

const unseen: ReadonlySet<string> = new Set(["script", "style", "template"]);

/**
 * The text of an HTML page that a reader sees, its title included: without tags, comments, scripts,
 * styles and templates, entities resolved, a space where a tag stood. Never fails; linear in time.
 *
 * @param html - the page, decoded
 * @param isXml - whether it is XHTML: an empty-element tag has no content
 */
export function visibleText(html: string, isXml: boolean): string {
  const reader = new VisibleTextReader(html, isXml);
  // Not the parser: it keeps the open elements in an order in which each costs the depth that it stands at.
  const tokenizer = new Tokenizer({ decodeEntities: true, recognizeSelfClosing: isXml }, reader);
  tokenizer.write(html);
  tokenizer.end();
  return reader.parts.join("");
}

/** Takes the tokens of a page. */
class VisibleTextReader implements TokenizerCallbacks {
  readonly parts: string[] = [];
  readonly #html: string;
  readonly #isXml: boolean;
  readonly #foreign = new ForeignContent();
  #name = "";
  /** Whether the tag that is being read is one of SVG or MathML. */
  #isForeign = false;
  /** How many open elements are not seen. */
  #unseen = 0;

  constructor(html: string, isXml: boolean) {
    this.#html = html;
    this.#isXml = isXml;
  }

  isInForeignContext(): boolean {
    return this.#foreign.isForeign;
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#html.slice(start, end).toLowerCase();
    this.#isForeign = this.#foreign.open(this.#name, false);
    if (unseen.has(this.#name)) this.#unseen += 1;
    this.parts.push(" ");
  }

  onclosetag(start: number, end: number): void {
    this.#close(this.#html.slice(start, end).toLowerCase());
    this.parts.push(" ");
  }

  onselfclosingtag(): void {
    // In HTML the slash means nothing.
    if (this.#isForeign || this.#isXml) this.#close(this.#name);
  }

  ontext(start: number, end: number): void {
    if (this.#unseen === 0) this.parts.push(this.#html.slice(start, end));
  }

  ontextentity(codepoint: number): void {
    if (this.#unseen === 0) this.parts.push(String.fromCodePoint(codepoint));
  }

  onattribname(): void {}
  onattribdata(): void {}
  onattribentity(): void {}
  onattribend(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onopentagend(): void {}
  onprocessinginstruction(): void {}

  #close(name: string): void {
    this.#foreign.close(name);
    if (unseen.has(name)) this.#unseen = Math.max(0, this.#unseen - 1);
  }
}
