import { parseUrl } from "../../core/index.ts";
import type { FoundLink, LinkKind } from "./found-link.ts";
import { charsetOf, HtmlDecoder } from "./html-decoder.ts";
import { HtmlTags, maxValueLength } from "./html-tags.ts";
import {
  behindCodebase,
  decodeReferences,
  foreignLinks,
  htmlLinks,
  isNofollowRel,
  kindOfLink,
  linkAttributes,
  metaLinks,
  otherForeignLinks,
  readRefresh,
  styledAttributes,
} from "./link-attributes.ts";
import { readLinkField } from "./link-header.ts";
import { LinkList, type LinkOptions } from "./link-list.ts";
import { readSrcset } from "./srcset.ts";
import { maxStyleLength, readStyleReferences } from "./style-links.ts";

export type { LinkOptions } from "./link-list.ts";

/** What a page links to, and says of links. */
export interface PageLinks {
  /** Each once a kind, in the order in which they stand. */
  readonly links: readonly FoundLink[];
  /** What relative links are relative to. */
  readonly base: string;
  /** Where the page says that it belongs; the first such link. */
  readonly canonical: string | undefined;
  /** Whether the page says to everybody, or to us, that it is not to be indexed. */
  readonly isNoindex: boolean;
  /** The same of its links. */
  readonly isNofollow: boolean;
  /** Where the page sends whoever looks at it; the first such. */
  readonly refresh: string | undefined;
  /** How many links were found beyond the bounds, one by one: twice the same counts twice. */
  readonly dropped: number;
  /** Whether there were any. */
  readonly truncated: boolean;
}

type Attributes = ReadonlyMap<string, string>;

const sourceParameters: ReadonlySet<string> = new Set(["movie", "src", "url"]);
// Pages within pages within pages.
const maxFrameDepth = 3;

/**
 * Reads the links of a page of HTML as it comes. Memory and time for each piece are bounded, whatever is in it; nothing
 * fails. Links stay as they are written until the end, for a `<base>` holds wherever it stands.
 *
 * What is in `noscript`, `template`, `noframes` and the `srcdoc` of a frame counts; what scripts would make does not.
 */
export class LinkReader {
  readonly #page: string;
  readonly #robotsNames: readonly string[];
  readonly #list: LinkList;
  readonly #decoder: HtmlDecoder;
  readonly #tags: HtmlTags;
  #frameDepth = 0;
  #isGetForm = true;
  /** The action of a form that asks with GET, for as long as no field of it was seen. */
  #bareAction: string | undefined;
  #base: string | undefined;
  #canonical: string | undefined;
  #refresh: string | undefined;
  #isNoindex = false;
  #isNofollow = false;

  /**
   * @param page - the page's URL, after redirects
   * @param contentType - the answer's field, if there is one: its encoding holds
   */
  constructor(page: string, contentType?: string, options: LinkOptions = {}) {
    this.#page = page;
    this.#robotsNames = ["robots", ...(options.robotsNames ?? ["tidemark"])];
    this.#list = new LinkList(options);
    this.#readFields(options.fields);
    this.#decoder = new HtmlDecoder(contentType);
    const isXml = /^[\t ]*(?:application|text)\/(?:[\w.-]+\+)?xml\b/i.test(contentType ?? "");
    this.#tags = this.#open(isXml);
  }

  /** @param piece - bytes, or text that was decoded elsewhere; not both for one page */
  write(piece: Uint8Array | string): void {
    this.#tags.write(typeof piece === "string" ? piece : this.#decoder.decode(piece));
  }

  end(): PageLinks {
    this.#tags.write(this.#decoder.end());
    this.#tags.end();
    this.#endForm();
    const { encoding } = this.#decoder;
    const base = this.#findBase();
    const resolve = (text: string | undefined): string | undefined =>
      text === undefined ? undefined : this.#list.resolve(text, base, encoding);
    const { dropped } = this.#list;
    return {
      links: this.#list.resolveAll(this.#page, base, encoding),
      base,
      canonical: resolve(this.#canonical),
      isNoindex: this.#isNoindex,
      isNofollow: this.#isNofollow,
      refresh: resolve(this.#refresh),
      dropped,
      truncated: dropped > 0,
    };
  }

  // The first `base` with an `href` counts (HTML Living Standard, section 4.2.3).
  #findBase(): string {
    if (this.#base === undefined) return this.#page;
    try {
      const url = new URL(this.#base, this.#page);
      if (url.protocol !== "data:" && url.protocol !== "javascript:") return url.href;
    } catch {
      // It counts, and says nothing.
    }
    return this.#page;
  }

  #open(isXml: boolean): HtmlTags {
    const onTag = (name: string, attributes: Attributes, isForeign: boolean): void => {
      if (name === "form") this.#beginForm(attributes);
      if (attributes.size > 0) this.#readTag(name, attributes, isForeign);
    };
    return new HtmlTags({ wanted: linkAttributes, onTag, onStyle: (text) => this.#readStyle(text) }, isXml);
  }

  // RFC 8288; Refresh is what its meta element says, HTML Living Standard, section 7.4.2.
  #readFields({ link, refresh }: NonNullable<LinkOptions["fields"]> = {}): void {
    const resolve = (text: string): string | undefined => parseUrl(text, this.#page)?.href;
    for (const { url, rel } of link === undefined ? [] : readLinkField(link)) {
      const kind = kindOfLink(rel);
      const target = resolve(url);
      if (kind === undefined || target === undefined) continue;
      this.#list.add(kind, target, isNofollowRel(rel));
      if (kind === "canonical") this.#canonical ??= target;
    }
    const text = refresh === undefined ? undefined : readRefresh(refresh);
    const target = text === undefined ? undefined : resolve(text);
    if (target === undefined) return;
    this.#list.add("meta-refresh", target, false);
    this.#refresh ??= target;
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
    const isApplet = name === "applet";
    // What an applet names is a folder, with or without a slash.
    const base = isApplet && codebase !== undefined ? codebase.trim().replace(/\/?$/, "/") : codebase;
    const add = (text: string | undefined): void => {
      if (text !== undefined) this.#list.add("object", behindCodebase(base, text), false);
    };
    add(attributeOf(attributes, isApplet ? "code" : "data"));
    if (!isApplet) add(attributeOf(attributes, "classid"));
    const archives = attributeOf(attributes, "archive") ?? "";
    for (const archive of archives.split(isApplet ? "," : /[\t\n\f\r ]+/, this.#list.maxLinks)) add(archive);
  }

  #readTag(name: string, attributes: Attributes, isForeign: boolean): void {
    const links = isForeign ? (foreignLinks.get(name) ?? otherForeignLinks) : htmlLinks.get(name);
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
    for (const url of readSrcset(decodeReferences(text), this.#list.maxLinks)) this.#list.add(kind, url, isNofollow);
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
    if (kind === "canonical" && this.#frameDepth === 0) this.#canonical ??= attributeOf(attributes, "href");
  }

  #readMeta(attributes: Attributes): void {
    const content = attributeOf(attributes, "content");
    if (content === undefined || content.length >= maxValueLength) return;
    if (attributes.get("http-equiv")?.toLowerCase() === "refresh") {
      const url = readRefresh(content);
      if (url === undefined) return;
      this.#list.add("meta-refresh", url, false);
      if (this.#frameDepth === 0) this.#refresh ??= url;
      return;
    }
    const name = (attributeOf(attributes, "name") ?? "").trim().toLowerCase();
    if (this.#robotsNames.includes(name) && this.#frameDepth === 0) {
      const words = content.toLowerCase().split(/[\s,]+/);
      this.#isNoindex ||= words.includes("noindex") || words.includes("none");
      this.#isNofollow ||= words.includes("nofollow") || words.includes("none");
    }
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
    const inner = this.#open(false);
    inner.write(source);
    inner.end();
    this.#frameDepth -= 1;
  }

  #readStyle(css: string): void {
    for (const { kind, text } of readStyleReferences(css, this.#list.maxLinks)) this.#list.add(kind, text, false);
  }
}

function attributeOf(attributes: Attributes, name: string): string | undefined {
  const value = attributes.get(name);
  return value === undefined ? undefined : decodeReferences(value);
}

function isGet(method: string | undefined): boolean {
  const name = method?.toLowerCase();
  return name !== "post" && name !== "dialog";
}

/** {@link LinkReader} for a page that is there as a whole. */
export function readLinks(
  body: Uint8Array | string,
  contentType: string | undefined,
  page: string,
  options?: LinkOptions,
): PageLinks {
  const reader = new LinkReader(page, contentType, options);
  reader.write(body);
  return reader.end();
}

/**
 * The links of a style sheet: what it imports is of kind `style`, what `@font-face` names `font`, all else `image`.
 *
 * @param url - of the sheet, after redirects: its links are relative to it
 * @param contentType - the answer's field: its encoding holds, else that of a `@charset` at the start, else UTF-8
 */
export function readStyleLinks(
  sheet: Uint8Array | string,
  url: string,
  contentType?: string,
  options: LinkOptions = {},
): readonly FoundLink[] {
  const list = new LinkList(options);
  const css = typeof sheet === "string" ? sheet : decodeSheet(sheet.subarray(0, maxStyleLength), contentType);
  for (const { kind, text } of readStyleReferences(css, list.maxLinks)) list.add(kind, text, false);
  return list.resolveAll(url, url, "utf-8");
}

// CSS Syntax Module Level 3, section 3.2; TextDecoder itself takes a byte order mark away, but does not look for one.
function decodeSheet(bytes: Uint8Array, contentType: string | undefined): string {
  const [a, b] = bytes;
  const start = String.fromCharCode(...bytes.subarray(0, 128));
  const declared = /^@charset "([^"]{1,64})";/.exec(start)?.[1];
  const charset =
    (a === 0xfe && b === 0xff) || (a === 0xff && b === 0xfe)
      ? a === 0xfe
        ? "utf-16be"
        : "utf-16le"
      : (charsetOf(contentType ?? "") ?? (declared === undefined ? undefined : charsetOf(`charset="${declared}"`)));
  return new TextDecoder(charset ?? "utf-8").decode(bytes);
}
