import { parseUrl } from "../../core/index.ts";
import { escapeBytes } from "../url/index.ts";
import { decodeHtml, decodeSheet } from "./html-decoder.ts";
import { maxValueLength, readTags } from "./html-tags.ts";
import { isNofollowRel, kindOfLink, linkAttributes, linksOf, metaLinks, styledAttributes } from "./link-attributes.ts";
import { type FoundLink, type LinkKind, LinkList, maxBaseLength, maxLinks } from "./link-list.ts";
import { LinkTexts } from "./link-texts.ts";
import { behindCodebase, decodeReferences, readLinkField, readRefresh, readSrcset } from "./link-values.ts";
import { isNofollow, readRobotsTag } from "./robots-tag.ts";
import { maxStyleLength, readStyleReferences } from "./style-links.ts";

/** What is known of a page beside its bytes. */
export interface LinkOptions {
  /** Names in `meta` elements and `X-Robots-Tag` that speak to us, beside `robots`, in lower case. Default: that of this program. */
  readonly robotsNames?: readonly string[];
  /** Fields of the response that say what elements of the page could, as received. */
  readonly fields?: {
    readonly link?: string | undefined;
    readonly refresh?: string | undefined;
    readonly contentLanguage?: string | undefined;
    /** With `X-Robots-Tag`, one field a line. */
    readonly usage?: { readonly robotsTag?: string | undefined } | undefined;
  };
  /** Whether the texts of `a` and `area` elements are read. @default false */
  readonly hasTexts?: boolean;
}

/** What a page links to, and says of links and of itself. */
export interface PageLinks {
  /** Each once a kind, in the order in which they stand. */
  readonly links: readonly FoundLink[];
  /** Whether the page, or its response, says to everybody, or to us, that its links are not to be followed. */
  readonly isNofollow: boolean;
  /**
   * The language tag of its `html` element, else of a `meta` element, else of its field, in lower case; undefined if it names none, or
   * several (HTML Living Standard, section 3.2.6.2).
   */
  readonly language: string | undefined;
}

type Attributes = ReadonlyMap<string, string>;

const sourceParameters: ReadonlySet<string> = new Set(["movie", "src", "url"]);
// Pages within pages within pages.
const maxFrameDepth = 3;
const attributesAndAlt: ReadonlySet<string> = new Set([...linkAttributes, "alt"]);

/**
 * Reads the links of a page of HTML, in memory and time that grow as the page does, whatever is in it; nothing fails.
 *
 * What is in `noscript`, `template`, `noframes` and the `srcdoc` of a frame counts; what scripts would make does not.
 *
 * @param contentType - the field's value, if there is one: its encoding holds
 * @param page - the page's URL, after redirects
 */
export function readLinks(
  body: Uint8Array,
  contentType: string | undefined,
  page: string,
  options: LinkOptions = {},
): PageLinks {
  const { text, encoding } = decodeHtml(body, contentType);
  const isXml = /^[\t ]*(?:application|text)\/(?:[\w.-]+\+)?xml\b/i.test(contentType ?? "");
  const reader = new LinkReader(page, options);
  reader.read(text, isXml);
  return reader.end(encoding);
}

class LinkReader {
  readonly #page: string;
  readonly #robotsNames: readonly string[];
  readonly #fieldLanguage: string | undefined;
  readonly #hasTexts: boolean;
  /** Links stay as they are written until the end, for a `<base>` holds wherever it stands. */
  readonly #list = new LinkList();
  #frameDepth = 0;
  #isGetForm = true;
  /** The action of a form that asks with GET, for as long as no field of it was seen. */
  #bareAction: string | undefined;
  /** Each may cost the length of a codebase. */
  #archivesLeft = maxLinks;
  #base: string | undefined;
  #isNofollow = false;
  /** Of the `html` element; empty if it says that none is known. */
  #language: string | undefined;
  #declaredLanguage: string | undefined;

  constructor(page: string, { robotsNames = ["tidemark"], fields, hasTexts = false }: LinkOptions) {
    this.#page = page;
    this.#hasTexts = hasTexts;
    this.#robotsNames = ["robots", ...robotsNames];
    this.#fieldLanguage = fields?.contentLanguage;
    this.#readFields(fields);
  }

  read(html: string, isXml: boolean): void {
    const onTag = (name: string, attributes: Attributes, isForeign: boolean): void => {
      if (name === "form") this.#beginForm(attributes);
      if (attributes.size > 0) this.#readTag(name, attributes, isForeign);
    };
    const onStyle = (text: string): void => this.#readStyle(text);
    if (!this.#hasTexts) {
      readTags(html, { wanted: linkAttributes, onTag, onStyle }, isXml);
      return;
    }
    const texts = new LinkTexts((kind, link, text) => this.#list.addText(kind, link, text));
    readTags(
      html,
      {
        wanted: attributesAndAlt,
        onTag: (name, attributes, isForeign) => {
          onTag(name, attributes, isForeign);
          texts.beginTag(name, attributes);
        },
        onEndTag: (name) => texts.endTag(name),
        onText: (text) => texts.add(text),
        onStyle,
      },
      isXml,
    );
    texts.end();
  }

  end(encoding: string): PageLinks {
    this.#endForm();
    return {
      links: this.#list.resolveAll(this.#page, this.#findBase(), encoding),
      isNofollow: this.#isNofollow,
      language: languageOf(this.#language ?? this.#declaredLanguage ?? this.#fieldLanguage),
    };
  }

  // The first `base` with an `href` counts, also one that is no URL to use (HTML Living Standard, section 4.2.3).
  #findBase(): string {
    const url = this.#base === undefined ? undefined : parseUrl(this.#base, this.#page);
    return url === undefined || url.protocol === "data:" || url.protocol === "javascript:" ? this.#page : url.href;
  }

  // RFC 8288; Refresh is what its meta element says, HTML Living Standard, section 7.4.2.
  #readFields({ link, refresh, usage }: NonNullable<LinkOptions["fields"]> = {}): void {
    for (const directive of readRobotsTag(usage?.robotsTag ?? "", (name) => this.#robotsNames.includes(name)))
      this.#isNofollow ||= isNofollow(directive);
    const resolve = (text: string): string | undefined => parseUrl(escapeBytes(text), this.#page)?.href;
    for (const { url, rel } of link === undefined ? [] : readLinkField(link)) {
      const kind = kindOfLink(rel);
      const target = resolve(url);
      if (kind === undefined || target === undefined) continue;
      this.#list.add(kind, target, isNofollowRel(rel));
    }
    const text = refresh === undefined ? undefined : readRefresh(refresh);
    const target = text === undefined ? undefined : resolve(text);
    if (target !== undefined) this.#list.add("meta-refresh", target, false);
  }

  #beginForm(attributes: Attributes): void {
    this.#endForm();
    this.#isGetForm = isGet(attributes.get("method"));
    if (this.#isGetForm) this.#bareAction = attributeOf(attributes, "action");
  }

  /** A form that asks for nothing is a link: its fields, of which there are none, take the place of a query. */
  #endForm(): void {
    const action = this.#bareAction?.replace(/\?[^#]*/, "");
    this.#bareAction = undefined;
    if (action !== undefined) this.#list.add("anchor", action, false);
  }

  #readField(name: string, attributes: Attributes): void {
    const type = attributes.get("type")?.trim().toLowerCase() ?? "";
    const isButton = name === "input" && (type === "submit" || type === "button" || type === "reset");
    // An image that submits says where it was hit.
    const isSent = type === "image" || (!isButton && (attributes.get("name") ?? "") !== "");
    if (isSent) this.#bareAction = undefined;
  }

  #readObject(name: string, attributes: Attributes): void {
    const codebase = attributeOf(attributes, "codebase");
    // Its length would be paid for each link again.
    if (codebase !== undefined && codebase.length > maxBaseLength) return;
    const isApplet = name === "applet";
    // What an applet names is a folder, with or without a slash.
    const base = isApplet && codebase !== undefined ? codebase.trim().replace(/\/?$/, "/") : codebase;
    const add = (text: string | undefined): void => {
      if (text !== undefined) this.#list.add("object", behindCodebase(base, text), false);
    };
    add(attributeOf(attributes, isApplet ? "code" : "data"));
    if (!isApplet) add(attributeOf(attributes, "classid"));
    const archives =
      attributeOf(attributes, "archive")?.split(isApplet ? "," : /[\t\n\f\r ]+/, this.#archivesLeft) ?? [];
    this.#archivesLeft -= archives.length;
    for (const archive of archives) add(archive);
  }

  #readTag(name: string, attributes: Attributes, isForeign: boolean): void {
    const links = linksOf(name, isForeign);
    if (links !== undefined) {
      const isNofollow = isNofollowRel(attributes.get("rel"));
      for (const [attribute, kind] of links) {
        const text = attributes.get(attribute);
        if (text !== undefined) this.#addAttribute(attribute, kind, text, isNofollow);
      }
    }
    const style = attributes.get("style");
    if (style !== undefined) this.#readStyle(decodeReferences(style));
    if (isForeign) {
      for (const attribute of styledAttributes) {
        const text = attributes.get(attribute);
        if (text?.includes("(")) this.#readStyle(decodeReferences(text));
      }
      return;
    }
    switch (name) {
      case "html":
        if (this.#frameDepth === 0)
          this.#language ??= attributeOf(attributes, "lang") ?? attributeOf(attributes, "xml:lang");
        break;
      case "base":
        if (this.#frameDepth === 0) this.#base ??= attributeOf(attributes, "href");
        break;
      case "link":
        this.#readLink(attributes);
        break;
      case "meta":
        this.#readMeta(attributes);
        break;
      case "form":
        if (this.#isGetForm) this.#addOwn("form", attributes, "action");
        break;
      case "input":
        if (attributes.get("type")?.trim().toLowerCase() === "image") this.#addOwn("image", attributes, "src");
        this.#readSubmit(attributes);
        this.#readField(name, attributes);
        break;
      case "button":
        this.#readSubmit(attributes);
        this.#readField(name, attributes);
        break;
      case "select":
      case "textarea":
        this.#readField(name, attributes);
        break;
      case "object":
      case "applet":
        this.#readObject(name, attributes);
        break;
      case "param":
        if (
          attributes.get("valuetype")?.toLowerCase() === "ref" ||
          sourceParameters.has((attributes.get("name") ?? "").toLowerCase())
        )
          this.#addOwn("object", attributes, "value");
        break;
      case "iframe":
        this.#readFrame(attributeOf(attributes, "srcdoc"));
        break;
    }
  }

  #addAttribute(attribute: string, kind: LinkKind, text: string, isNofollow: boolean): void {
    if (!attribute.endsWith("srcset")) {
      this.#list.add(kind, decodeReferences(text), isNofollow);
      return;
    }
    for (const url of readSrcset(decodeReferences(text), maxLinks)) this.#list.add(kind, url, isNofollow);
  }

  #addOwn(kind: LinkKind, attributes: Attributes, attribute: string): void {
    const text = attributes.get(attribute);
    if (text !== undefined) this.#addAttribute(attribute, kind, text, isNofollowRel(attributes.get("rel")));
  }

  #readLink(attributes: Attributes): void {
    const kind = kindOfLink(attributeOf(attributes, "rel"));
    if (kind === undefined) return;
    this.#addOwn(kind, attributes, "href");
    this.#addOwn("image", attributes, "imagesrcset");
  }

  #readMeta(attributes: Attributes): void {
    const content = attributeOf(attributes, "content");
    if (content === undefined || content.length >= maxValueLength) return;
    const field = attributes.get("http-equiv")?.toLowerCase();
    if (field === "content-language" && this.#frameDepth === 0) this.#declaredLanguage ??= content;
    if (field === "refresh") {
      const url = readRefresh(content);
      if (url !== undefined) this.#list.add("meta-refresh", url, false);
      return;
    }
    const name = (attributeOf(attributes, "name") ?? "").trim().toLowerCase();
    if (this.#robotsNames.includes(name) && this.#frameDepth === 0) this.#isNofollow ||= isNofollow(content);
    const property = (attributeOf(attributes, "property") ?? name).trim().toLowerCase();
    if (metaLinks.has(property)) this.#list.add("meta", content, false);
  }

  #readSubmit(attributes: Attributes): void {
    const method = attributes.get("formmethod");
    if (method === undefined ? this.#isGetForm : isGet(method)) this.#addOwn("form", attributes, "formaction");
  }

  #readFrame(source: string | undefined): void {
    if (source === undefined || this.#frameDepth === maxFrameDepth) return;
    this.#frameDepth += 1;
    this.read(source, false);
    this.#frameDepth -= 1;
  }

  #readStyle(css: string): void {
    for (const { kind, text } of readStyleReferences(css, maxLinks)) this.#list.add(kind, text, false);
  }
}

function attributeOf(attributes: Attributes, name: string): string | undefined {
  const value = attributes.get(name);
  return value === undefined ? undefined : decodeReferences(value);
}

function languageOf(text: string | undefined): string | undefined {
  const tag = text?.trim().toLowerCase() ?? "";
  return isLanguageTag(tag) ? tag : undefined;
}

/** Whether a text has the form of a language tag, or of a range of them (RFC 4647 section 2.1). */
export function isLanguageTag(text: string): boolean {
  return /^[a-z]{1,8}(?:-[a-z\d]{1,8}){0,10}$/i.test(text);
}

function isGet(method: string | undefined): boolean {
  const name = method?.toLowerCase();
  return name !== "post" && name !== "dialog";
}

/**
 * The links of a style sheet: what it imports is of kind `style`, what `@font-face` names `font`, all else `image`.
 *
 * @param url - of the sheet, after redirects: its links are relative to it
 * @param contentType - the answer's field: its encoding holds, else that of a `@charset` at the start, else UTF-8
 */
export function readStyleLinks(sheet: Uint8Array, url: string, contentType?: string): readonly FoundLink[] {
  const list = new LinkList();
  const css = decodeSheet(sheet.subarray(0, maxStyleLength), contentType);
  for (const { kind, text } of readStyleReferences(css, maxLinks)) list.add(kind, text, false);
  return list.resolveAll(url, url, "utf-8");
}
