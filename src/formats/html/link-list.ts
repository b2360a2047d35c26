import { parseUrl } from "../../core/index.ts";

/**
 * What a link is for. `form` is a form that is sent by GET; `cite` the source of a quotation or a change, or a longer
 * description; `link` whatever `<link>` names and no other kind is for, such as `next` and `license`; `preload` what is
 * only fetched early; `meta` a picture or film for those who share the page.
 */
const linkKinds = [
  "anchor",
  "area",
  "frame",
  "meta-refresh",
  "form",
  "link",
  "alternate",
  "canonical",
  "cite",
  "image",
  "script",
  "style",
  "font",
  "media",
  "object",
  "icon",
  "manifest",
  "preload",
  "meta",
] as const;
export type LinkKind = (typeof linkKinds)[number];

/** A link of a page or a style sheet. */
export interface FoundLink {
  /** Absolute, `http:` or `https:`, without fragment. */
  readonly url: string;
  readonly kind: LinkKind;
  /** Whether each link of this kind to this URL says `nofollow`, `ugc` or `sponsored`. */
  readonly isNofollow: boolean;
  /** The first few different texts of these links, where texts were asked for and there are any. */
  readonly texts?: readonly string[];
}

/** Kinds that lead to other pages, rather than to parts of this one: what a crawler of pages follows. */
export const pageKinds: ReadonlySet<LinkKind> = new Set<LinkKind>([
  "anchor",
  "area",
  "frame",
  "meta-refresh",
  "link",
  "alternate",
  "canonical",
]);

/** At most so many distinct links of a page are kept, as they are written, and of one attribute looked at. */
export const maxLinks = 100_000;
// A longer link, in characters, is not kept: as it is written, and as a URL.
const maxUrlLength = 2048;
// Links that are relative to a longer URL are not kept: to make URLs of them takes its length for each.
export const maxBaseLength = 8192;
// Of all kept links together, in characters: as they are written, and as URLs.
const maxCharacters = 16 * 1024 * 1024;
// Of all their texts.
const maxTextCharacters = 4 * 1024 * 1024;
// Of one link, different ones.
const maxTexts = 4;
const kindNumbers: ReadonlyMap<LinkKind, number> = new Map(linkKinds.map((kind, at) => [kind, at]));

// What the URL parser leaves as it is behind a folder's URL or an origin: no dot segment in any spelling, nothing to be
// escaped, no scheme, no empty query.
const plainCharacters = "[A-Za-z0-9_~!$&()*+,;=@-]";
const plainSegments = `${plainCharacters}+(?:\\.+${plainCharacters}+)*`;
const plainLink = new RegExp(
  `^(?:/?${plainSegments}(?:/${plainSegments})*/?|/)(?:\\?[A-Za-z0-9_~!$&()*+,;=@/:.%-]+)?$`,
);

/** What plain links of a page are put behind. */
interface PlainBase {
  readonly origin: string;
  /** Up to the last slash of the path. */
  readonly folder: string;
}

function plainBaseOf(base: string): PlainBase | undefined {
  const parsed = parseUrl(base);
  if (parsed === undefined) return undefined;
  const { protocol, origin, pathname, username, password } = parsed;
  const isPlain = (protocol === "http:" || protocol === "https:") && username === "" && password === "";
  return isPlain ? { origin, folder: origin + pathname.slice(0, pathname.lastIndexOf("/") + 1) } : undefined;
}

/** The URL of a link that says it as plainly as the URL itself does; undefined of any other. */
function resolvePlainly(link: string, base: PlainBase | undefined): string | undefined {
  if (base === undefined) return undefined;
  const { origin, folder } = base;
  const isWhole = link.startsWith(origin) && link.charCodeAt(origin.length) === 0x2f;
  const rest = isWhole ? link.slice(origin.length) : link;
  if (!plainLink.test(rest)) return undefined;
  return rest.charCodeAt(0) === 0x2f ? origin + rest : folder + rest;
}

/**
 * One link as a URL without fragment.
 *
 * @param encoding - of the page, for the query
 * @returns undefined if it is none of `http:` or `https:`
 */
function resolve(text: string, base: string | undefined, encoding: string): string | undefined {
  const url = parseUrl(encodeQuery(text, encoding), base);
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return undefined;
  if (url.hash !== "" || url.href.endsWith("#")) url.hash = "";
  return url.href;
}

function withoutFragment(text: string): string {
  const fragment = text.indexOf("#");
  return fragment > 0 ? text.slice(0, fragment) : fragment === 0 ? "#" : text;
}

const keyOf = (kind: LinkKind, link: string): string => String.fromCharCode(kindNumbers.get(kind) ?? 0) + link;

const withText = (texts: readonly string[], text: string): readonly string[] =>
  texts.length >= maxTexts || texts.includes(text) ? texts : [...texts, text];

/** Collects links as they are written, each once, within bounds; makes URLs of them when the base is known. */
export class LinkList {
  // The kind as one character, then the link: so one table does, and nothing of the page's text is held by it.
  readonly #links = new Map<string, boolean>();
  readonly #texts = new Map<string, readonly string[]>();
  #characters = 0;
  #textCharacters = 0;

  /** @param text - a link as it is written, character references resolved */
  add(kind: LinkKind, text: string, isNofollow: boolean): void {
    const link = withoutFragment(text);
    if (link.length > maxUrlLength) return;
    const key = keyOf(kind, link);
    const known = this.#links.get(key);
    if (known === undefined) {
      if (this.#links.size >= maxLinks || this.#characters + link.length > maxCharacters || link.trim() === "") return;
      this.#characters += link.length;
      this.#links.set(key, isNofollow);
    } else if (known && !isNofollow) this.#links.set(key, false);
  }

  /** Adds the text of a link that was added. @param text - shown characters and single spaces */
  addText(kind: LinkKind, link: string, text: string): void {
    const key = keyOf(kind, withoutFragment(link));
    if (!this.#links.has(key) || this.#textCharacters + text.length > maxTextCharacters) return;
    const texts = withText(this.#texts.get(key) ?? [], text);
    if (texts !== this.#texts.get(key)) this.#textCharacters += text.length;
    this.#texts.set(key, texts);
  }

  /**
   * All that are URLs of `http:` or `https:`, each once a kind, in order, within bounds.
   *
   * @param page - a fragment alone that leads here is no link
   */
  resolveAll(page: string, base: string, encoding: string): FoundLink[] {
    const found = new Map<string, FoundLink>();
    const own = resolve("", page, encoding);
    const isLong = base.length > maxBaseLength;
    const plainBase = isLong ? undefined : plainBaseOf(base);
    let characters = 0;
    for (const [key, isNofollow] of this.#links) {
      const text = key.slice(1);
      // Nearly all are plain, and no URL need be made of them.
      const url = resolvePlainly(text, plainBase) ?? resolve(text, isLong ? undefined : base, encoding);
      const kind = linkKinds[key.charCodeAt(0)];
      if (url === undefined || kind === undefined || (url === own && key.endsWith("#"))) continue;
      if (url.length > maxUrlLength || characters + url.length > maxCharacters) continue;
      // An anchor goes by its URL alone: most are, and whoever asks for the URL next finds its hash made.
      const name = kind === "anchor" ? url : key[0] + url;
      const texts = this.#texts.get(key);
      const before = found.get(name);
      if (before !== undefined && isNofollow && texts === undefined) continue;
      if (before === undefined) characters += url.length;
      const link = { url, kind, isNofollow: isNofollow && before?.isNofollow !== false };
      const all = texts?.reduce(withText, before?.texts ?? []) ?? before?.texts;
      found.set(name, all === undefined ? link : { ...link, texts: all });
    }
    return [...found.values()];
  }
}

// Lead bytes of the encodings of two bytes that an encoder writes (Encoding Standard, sections 11 to 14).
const leads: Readonly<Record<string, readonly [first: number, last: number]>> = {
  gbk: [0x81, 0xfe],
  gb18030: [0x81, 0xfe],
  big5: [0xa1, 0xf9],
  "euc-jp": [0xa1, 0xfe],
  "euc-kr": [0x81, 0xfd],
  shift_jis: [0x81, 0xfc],
};
// Read, never written: NEC's copies of IBM's characters (section 12.3.2).
const unwritten = (encoding: string, lead: number): boolean =>
  encoding === "shift_jis" && (lead === 0xed || lead === 0xee);

const tables = new Map<string, ReadonlyMap<string, string>>();
// A second byte that is ASCII stands for itself, as the standard has it.
const escaped = (byte: number): string =>
  byte < 0x80 ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase()}`;

/** Characters to their escaped bytes, found by decoding all bytes: nothing else knows the encodings here. */
function tableOf(encoding: string): ReadonlyMap<string, string> {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const table = new Map<string, string>();
  const decoder = new TextDecoder(encoding);
  const add = (bytes: readonly number[]): void => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if ([...text].length === 1 && text !== "\ufffd" && text > "\x7f" && !table.has(text))
      table.set(text, bytes.map(escaped).join(""));
  };
  for (let byte = 0x80; byte <= 0xff; byte++) add([byte]);
  const [first, last] = leads[encoding] ?? [1, 0];
  for (let lead = first; lead <= last; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) if (!unwritten(encoding, lead)) add([lead, trail]);
  }
  tables.set(encoding, table);
  return table;
}

/**
 * Writes a URL's query as a browser sends it from a page in another encoding than UTF-8: in the page's encoding, and
 * what that does not have as a character reference. Encodings with a state (ISO-2022-JP), UTF-16, and the characters
 * for which GB18030 needs four bytes go out as UTF-8 does.
 *
 * @param url - a URL as it is written, relative or not
 * @param encoding - the encoding's name, in lower case
 * @see URL Standard, section 4.4 "query state"; Encoding Standard, section 6
 */
function encodeQuery(url: string, encoding: string): string {
  const start = url.indexOf("?");
  if (start === -1 || encoding === "utf-8" || encoding.startsWith("utf-16") || encoding === "iso-2022-jp") return url;
  const query = url.slice(start);
  if (!/[\x80-\u{10ffff}]/u.test(query)) return url;
  const table = tableOf(encoding);
  const encoded = query.replace(/[\x80-\u{10ffff}]/gu, (character) => {
    const bytes = table.get(character);
    if (bytes !== undefined || encoding === "gb18030") return bytes ?? character;
    return `%26%23${character.codePointAt(0)}%3B`;
  });
  return url.slice(0, start) + encoded;
}
