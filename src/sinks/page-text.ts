import { Readability } from "@mozilla/readability";
import { francAll } from "franc-min";
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { parseHTML } from "linkedom";

/** What a person reads on a page. */
export interface PageText {
  readonly title: string;
  /** Paragraphs, separated by one LF. */
  readonly text: string;
  /** Subtag of RFC 5646, such as `en`; empty if it is not known. */
  readonly language: string;
}

/**
 * With more elements, or deeper ones, the main content is not looked for: the extractor and its tree take time that
 * grows with the square of both.
 */
const mostElements = 20_000;
const deepest = 200;
/** Characters that are looked at to guess a language. */
const guessedFrom = 2000;
/** With fewer characters a guess is wrong too often. */
const leastGuessed = 60;

const blocks = new Set(
  (
    "address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);
/** Elements without content, and those whose end tag is mostly left out: they tell nothing of depth. */
const endsItself = new Set(
  "area base br col dd dt embed hr img input li link meta option p param source td tfoot th tr track wbr".split(" "),
);
const silent = new Set(["script", "style", "template", "noscript", "svg", "math", "title"]);

/** Reads a page of HTML: its main content as Mozilla's Readability finds it, else all text. Never throws. */
export function readHtmlText(html: string): PageText {
  const { title, language, text, elements, depth } = readWhole(html);
  const main = elements <= mostElements && depth <= deepest ? readMain(html) : undefined;
  const chosen = main ?? text;
  return { title, text: chosen, language: languageSubtag(language) ?? guessLanguage(chosen) };
}

/** What one pass over a page finds, in time that grows with its length. */
interface WholePage {
  readonly title: string;
  /** The root's `lang`; empty if it has none. */
  readonly language: string;
  /** All text, a line a block. */
  readonly text: string;
  readonly elements: number;
  readonly depth: number;
}

function readWhole(html: string): WholePage {
  const reader = new WholePageReader(html);
  // Not the parser: it keeps the open elements in an order in which each costs the depth that it stands at.
  const tokenizer = new Tokenizer({ decodeEntities: true }, reader);
  tokenizer.write(html);
  tokenizer.end();
  return reader.result();
}

/** Takes the tokens of a page. */
class WholePageReader implements TokenizerCallbacks {
  readonly #html: string;
  readonly #lines: string[] = [];
  #line: string[] = [];
  #title: string[] = [];
  #language = "";
  #name = "";
  #attribute = "";
  #elements = 0;
  #depth = 0;
  #deepest = 0;
  /** How many open elements are passed over. */
  #silent = 0;

  constructor(html: string) {
    this.#html = html;
  }

  result(): WholePage {
    this.#endLine();
    const [title, text] = [tidy(this.#title.join("")), this.#lines.join("\n")];
    return { title, language: this.#language, text, elements: this.#elements, depth: this.#deepest };
  }

  onopentagname(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase();
    this.#name = name;
    this.#elements++;
    if (!endsItself.has(name)) this.#deepest = Math.max(this.#deepest, ++this.#depth);
    if (silent.has(name)) this.#silent++;
    if (blocks.has(name)) this.#endLine();
  }

  onclosetag(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase();
    if (!endsItself.has(name)) this.#depth = Math.max(0, this.#depth - 1);
    if (silent.has(name)) this.#silent = Math.max(0, this.#silent - 1);
    if (blocks.has(name)) this.#endLine();
    this.#name = "";
  }

  onselfclosingtag(): void {
    // In HTML the slash means nothing; it ends what is of SVG or MathML, of which nothing is read.
    if (this.#name === "svg" || this.#name === "math") this.#silent = Math.max(0, this.#silent - 1);
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#html.slice(start, end).toLowerCase();
  }

  onattribdata(start: number, end: number): void {
    if (this.#name === "html" && this.#attribute === "lang") this.#language ||= this.#html.slice(start, end);
  }

  ontext(start: number, end: number): void {
    this.#add(this.#html.slice(start, end));
  }

  ontextentity(codepoint: number): void {
    this.#add(String.fromCodePoint(codepoint));
  }

  onattribentity(): void {}
  onattribend(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onopentagend(): void {}
  onprocessinginstruction(): void {}

  #add(text: string): void {
    // Not that of a drawing.
    if (this.#name === "title" && this.#silent === 1 && this.#lines.length === 0) this.#title.push(text);
    if (this.#silent === 0) this.#line.push(text);
  }

  #endLine(): void {
    if (this.#line.length === 0) return;
    const tidied = tidy(this.#line.join(""));
    this.#line = [];
    if (tidied !== "") this.#lines.push(tidied);
  }
}

/** The main content, a line a block; undefined if none is found. */
function readMain(html: string): string | undefined {
  const { document } = parseHTML(html);
  // The parser adds no body, and without one nothing is found.
  if (document.querySelector("body") === null) return undefined;
  try {
    const content = new Readability(document).parse()?.content;
    const text = content == null ? "" : readWhole(content).text;
    return text === "" ? undefined : text;
  } catch {
    // It expects a document as browsers make them; what it cannot read is taken whole.
    return undefined;
  }
}

/** Reads a plain text. */
export function readPlainText(content: string): PageText {
  const text = content
    .split(/\r?\n\s*\r?\n/)
    .map(tidy)
    .filter((line) => line !== "")
    .join("\n");
  const [title = ""] = text.split("\n", 1);
  return { title: title.slice(0, 200), text, language: guessLanguage(text) };
}

function tidy(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

/** The shortest subtag of a language tag, or of a code of ISO 639-3; undefined if it is none. */
function languageSubtag(tag: string): string | undefined {
  try {
    const { language } = new Intl.Locale(tag.trim());
    return language === "und" ? undefined : language;
  } catch {
    return undefined;
  }
}

function guessLanguage(text: string): string {
  if (text.length < leastGuessed) return "";
  const [best] = francAll(text.slice(0, guessedFrom), { minLength: leastGuessed });
  return languageSubtag(best?.[0] ?? "") ?? "";
}
