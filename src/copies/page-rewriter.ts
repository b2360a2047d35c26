import { QuoteType, Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { parseUrl } from "../core/index.ts";
import { decodeReferences, kindOfLink, readRefresh, readSrcset, readStyleReferences } from "../formats/html/index.ts";

/**
 * Where a link of a copy leads.
 *
 * @param url - absolute, with fragment
 * @returns a relative link to the file of a page that the copy has; undefined if it has not
 */
export type FindFile = (url: string) => string | undefined;

/** Stands for what a page would load from elsewhere: loading it is no request. */
const nothing = "data:,";
/** Lets a page load what lies beside it, and nothing else, whatever its scripts try. */
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src file: data: blob: 'unsafe-inline' 'unsafe-eval'" />`;
/** White space, a comment and fields of a tag, where all readers find the same ends. */
const space = "[ \\t\\n\\f\\r]";
const comment = "<!--(?!-?>)(?:(?!--!?>)[^])*-->";
const fields = `(?:${space}+[\\w:-]+(?:=(?:"[^"]*"|'[^']*'|[\\w:/.-]+))?)*${space}*`;
/** In UTF-16 code units. */
const longestPreamble = 16_384;
/** What may stand before the policy: nothing that loads, or begins the body, in which a policy does not count. */
const preamble = new RegExp(
  `^(?:${space}|<\\?xml[^>]*>|${comment})*(?:<!doctype[^>[]*>)?(?:${space}|${comment})*(?:<html${fields}>)?(?:${space}|${comment})*(?:<head${fields}>)?`,
  "i",
);

/** Attributes whose URL is loaded with the page. */
const loaded = new Set(["src", "poster", "background", "data", "lowsrc", "dynsrc", "xlink:href", "manifest"]);
/** Attributes whose URL a reader may go to. */
const followed = new Set(["href", "cite", "longdesc", "action", "formaction"]);
const lists = new Set(["srcset", "imagesrcset"]);
/** Attributes of a style. */
const styled = new Set([
  "style",
  "fill",
  "stroke",
  "filter",
  "mask",
  "clip-path",
  "marker-start",
  "marker-mid",
  "marker-end",
]);
/** What holds for the site's own bytes, or asks a server, and would keep a browser from showing the copy. */
const dropped = new Set(["integrity", "crossorigin", "ping"]);
/** `link` of these kinds is only followed by readers. */
const pageLinks = new Set(["canonical", "alternate", "cite", "link", "anchor"]);

/** Frames within frames (`srcdoc`) that are rewritten; each level is read again, and escaped once more. */
const deepestFrame = 5;

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Attribute {
  readonly name: string;
  /** Of the name, and behind the value and its quote. */
  readonly start: number;
  end: number;
  valueStart: number;
  valueEnd: number;
  quote: QuoteType;
}

function apply(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: replacement } of edits) {
    if (start < at) continue;
    parts.push(text.slice(at, start), replacement);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}

function escapeValue(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("'", "&#39;").replaceAll("<", "&lt;");
}

/** Links that name no document: kept as they are. */
function isLocal(link: string): boolean {
  return link === "" || link.startsWith("#") || /^(?:data|blob|javascript|mailto|tel|about):/i.test(link);
}

/** Resolves links of one document against its base. */
class LinkTurner {
  readonly #base: string;
  readonly #find: FindFile;

  constructor(base: string, find: FindFile) {
    this.#base = base;
    this.#find = find;
  }

  /** @returns the link of the copy; a page that it has not is named in full, and what would be loaded is left out */
  turn(link: string, isLoaded: boolean): string {
    const trimmed = link.trim();
    if (isLocal(trimmed)) return link;
    // Against a base such as mailto:x no path means anything; in the copy, which has no base, it would.
    const { href = "", protocol } = parseUrl(trimmed, this.#base) ?? {};
    if (protocol !== "http:" && protocol !== "https:") return isLoaded ? nothing : link;
    return this.#find(href) ?? (isLoaded ? nothing : href);
  }
}

/**
 * Rewrites a style sheet so that it loads files of the copy and nothing else.
 *
 * @param page - URL of the style sheet
 */
export function rewriteStyle(css: string, page: string, find: FindFile): string {
  return turnStyle(css, new LinkTurner(page, find));
}

function turnStyle(css: string, turner: LinkTurner): string {
  const edits: Edit[] = [];
  for (const { text, start, end } of readStyleReferences(css, Number.POSITIVE_INFINITY)) {
    const turned = turner.turn(text, true);
    if (turned === text) continue;
    const quoted = `"${turned.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
    edits.push({ start, end, text: css.slice(start, end).includes("(") ? `url(${quoted})` : quoted });
  }
  return apply(css, edits);
}

/**
 * Rewrites a page of HTML so that it can be opened as a file: links lead to files of the copy, or name their page in
 * full; what would be loaded from elsewhere is left out, and so is the `srcdoc` of a frame within five others.
 *
 * @param page - URL of the page
 */
export function rewritePage(html: string, page: string, find: FindFile): string {
  return rewriteFrame(html, page, find, 0);
}

function rewriteFrame(html: string, page: string, find: FindFile, depth: number): string {
  const reader = new PageReader(html, page, find, depth);
  const tokenizer = new Tokenizer({ decodeEntities: false }, reader);
  tokenizer.write(html);
  tokenizer.end();
  return apply(html, reader.edits());
}

/** Collects the edits of a page. */
class PageReader implements TokenizerCallbacks {
  readonly #html: string;
  readonly #page: string;
  readonly #find: FindFile;
  /** Frames that it is within. */
  readonly #depth: number;
  readonly #edits: Edit[] = [];
  #turner: LinkTurner;
  #hasBase = false;
  #element = "";
  #attributes: Attribute[] = [];

  constructor(html: string, page: string, find: FindFile, depth: number) {
    this.#html = html;
    this.#page = page;
    this.#find = find;
    this.#depth = depth;
    this.#turner = new LinkTurner(page, find);
  }

  edits(): Edit[] {
    const at = preamble.exec(this.#html.slice(0, longestPreamble))?.[0].length ?? 0;
    return [...this.#edits, { start: at, end: at, text: policy }].sort((a, b) => a.start - b.start);
  }

  onopentagname(start: number, end: number): void {
    this.#element = this.#html.slice(start, end).toLowerCase();
    this.#attributes = [];
  }

  onattribname(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase();
    this.#attributes.push({ name, start, end, valueStart: end, valueEnd: end, quote: QuoteType.NoValue });
  }

  onattribdata(start: number, end: number): void {
    const attribute = this.#attributes.at(-1);
    if (attribute === undefined) return;
    if (attribute.valueStart === attribute.valueEnd) attribute.valueStart = start;
    attribute.valueEnd = end;
  }

  onattribend(quote: QuoteType, end: number): void {
    const attribute = this.#attributes.at(-1);
    if (attribute === undefined) return;
    attribute.quote = quote;
    attribute.end = end;
  }

  onopentagend(): void {
    this.#endTag();
  }

  onselfclosingtag(): void {
    this.#endTag();
  }

  ontext(start: number, end: number): void {
    if (this.#element !== "style") return;
    const css = this.#html.slice(start, end);
    const turned = turnStyle(css, this.#turner);
    if (turned !== css) this.#edits.push({ start, end, text: turned });
  }

  onclosetag(): void {
    this.#element = "";
  }

  ondeclaration(): void {}
  onattribentity(): void {}
  oncdata(): void {}
  oncomment(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}
  ontextentity(): void {}

  #endTag(): void {
    // The first of two attributes of a name counts.
    const attributes = new Map(this.#attributes.toReversed().map((one) => [one.name, one]));
    for (const attribute of attributes.values()) this.#turn(attribute, attributes);
  }

  #valueOf(attribute: Attribute | undefined): string {
    return attribute === undefined ? "" : decodeReferences(this.#html.slice(attribute.valueStart, attribute.valueEnd));
  }

  #turn(attribute: Attribute, attributes: ReadonlyMap<string, Attribute>): void {
    const { name, start, end } = attribute;
    if (dropped.has(name)) {
      this.#edits.push({ start, end, text: "" });
      return;
    }
    const value = this.#valueOf(attribute);
    const turned = this.#turnValue(name, value, attributes);
    if (turned === value) return;
    this.#edits.push({ start, end, text: `${this.#html.slice(start, start + name.length)}="${escapeValue(turned)}"` });
  }

  #turnValue(name: string, value: string, attributes: ReadonlyMap<string, Attribute>): string {
    const element = this.#element;
    if (element === "base" && name === "href") return this.#turnBase(value);
    if (element === "meta" && name === "content") return this.#turnMeta(value, attributes);
    if (lists.has(name)) return this.#turnList(value);
    if (styled.has(name)) return turnStyle(value, this.#turner);
    if (name === "srcdoc") return this.#turnFrame(value);
    if (element === "link" && name === "href") {
      const kind = kindOfLink(this.#valueOf(attributes.get("rel")));
      return this.#turner.turn(value, kind === undefined || !pageLinks.has(kind));
    }
    const isImage = element === "image" || element === "use" || element === "feimage";
    if (loaded.has(name)) return this.#turner.turn(value, true);
    return followed.has(name) ? this.#turner.turn(value, isImage) : value;
  }

  #turnFrame(value: string): string {
    return this.#depth === deepestFrame ? "" : rewriteFrame(value, this.#page, this.#find, this.#depth + 1);
  }

  /** Links are turned against the base here, so the copy has none. */
  #turnBase(value: string): string {
    const base = this.#hasBase ? undefined : parseUrl(value, this.#page);
    if (base !== undefined) {
      this.#hasBase = true;
      this.#turner = new LinkTurner(base.href, this.#find);
    }
    return "";
  }

  #turnMeta(value: string, attributes: ReadonlyMap<string, Attribute>): string {
    const equivalent = this.#valueOf(attributes.get("http-equiv")).toLowerCase();
    if (equivalent === "content-security-policy") return "";
    const link = equivalent === "refresh" ? readRefresh(value) : undefined;
    return link === undefined ? value : value.replace(link, () => this.#turner.turn(link, false));
  }

  #turnList(value: string): string {
    const edits: Edit[] = [];
    let at = 0;
    for (const link of readSrcset(value, Number.POSITIVE_INFINITY)) {
      const start = value.indexOf(link, at);
      at = start + link.length;
      const turned = this.#turner.turn(link, true);
      // A comma within a URL belongs to it, one at its end does not.
      edits.push({ start, end: at, text: turned.replace(/,$/, "%2C").replaceAll(" ", "%20") });
    }
    return apply(value, edits);
  }
}
