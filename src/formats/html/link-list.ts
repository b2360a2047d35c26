import { parseUrl } from "../../core/index.ts";
import { type FoundLink, type LinkKind, linkKinds } from "./found-link.ts";
import { encodeQuery } from "./query-encoding.ts";

/** Bounds of what is kept of a page's links, and how a URL is written. */
export interface LinkOptions {
  /** So many distinct links are kept at most, as they are written. Default 100,000. */
  readonly maxLinks?: number;
  /** Names of `meta` elements that speak to us, beside `robots`, in lower case. Default: that of this program. */
  readonly robotsNames?: readonly string[];
  /** Fields of the answer that say of links what elements of the page could: `Link` and `Refresh`, as they came. */
  readonly fields?: { readonly link?: string | undefined; readonly refresh?: string | undefined };
  /** A link that is longer, in characters, is not kept. Default 2048. */
  readonly maxUrlLength?: number;
  /**
   * The one spelling of a URL; undefined leaves it out. Default: as the URL Standard serialises it, without fragment.
   */
  readonly normalise?: (url: URL) => string | undefined;
}

// Of all kept links together, in characters.
const maxCharacters = 16 * 1024 * 1024;
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

function withoutFragment(url: URL): string {
  if (url.hash !== "" || url.href.endsWith("#")) url.hash = "";
  return url.href;
}

/** Collects links as they are written, each once, within bounds; makes URLs of them when the base is known. */
export class LinkList {
  readonly #maxLinks: number;
  readonly #maxUrlLength: number;
  readonly #normalise: (url: URL) => string | undefined;
  // The kind as one character, then the link: so one table does, and nothing of the page's text is held by it.
  readonly #links = new Map<string, boolean>();
  #characters = 0;
  #dropped = 0;

  constructor({ maxLinks = 100_000, maxUrlLength = 2048, normalise = withoutFragment }: LinkOptions) {
    this.#maxLinks = maxLinks;
    this.#maxUrlLength = maxUrlLength;
    this.#normalise = normalise;
  }

  /** How many links were found, one by one, beyond the bounds. */
  get dropped(): number {
    return this.#dropped;
  }

  /** At most so many links of one attribute are looked at. */
  get maxLinks(): number {
    return this.#maxLinks;
  }

  /** @param text - a link as it is written, character references resolved */
  add(kind: LinkKind, text: string, isNofollow: boolean): void {
    const fragment = text.indexOf("#");
    const link = fragment > 0 ? text.slice(0, fragment) : fragment === 0 ? "#" : text;
    if (link.length > this.#maxUrlLength) {
      if (!/^[\x00-\x20]*(?:data|javascript):/i.test(link.slice(0, 64))) this.#dropped += 1;
      return;
    }
    const key = String.fromCharCode(kindNumbers.get(kind) ?? 0) + link;
    const known = this.#links.get(key);
    if (known === undefined) {
      if (link.trim() === "") return;
      if (this.#links.size >= this.#maxLinks || this.#characters + link.length > maxCharacters) {
        this.#dropped += 1;
        return;
      }
      this.#characters += link.length;
      this.#links.set(key, isNofollow);
    } else if (known && !isNofollow) this.#links.set(key, false);
  }

  /**
   * One link as a URL.
   *
   * @param encoding - of the page, for the query
   * @returns undefined if it is none of `http:` or `https:`
   */
  resolve(text: string, base: string, encoding: string): string | undefined {
    let url: URL;
    try {
      url = new URL(encodeQuery(text, encoding), base);
    } catch {
      return undefined;
    }
    return url.protocol === "https:" || url.protocol === "http:" ? this.#normalise(url) : undefined;
  }

  /**
   * All that are URLs of `http:` or `https:`, each once a kind, in order.
   *
   * @param page - a fragment alone that leads here is no link
   */
  resolveAll(page: string, base: string, encoding: string): FoundLink[] {
    const found = new Map<string, FoundLink>();
    const own = this.resolve("", page, encoding);
    const plainBase = this.#normalise === withoutFragment ? plainBaseOf(base) : undefined;
    for (const [key, isNofollow] of this.#links) {
      const text = key.slice(1);
      // Nearly all are plain, and no URL need be made of them.
      const url = resolvePlainly(text, plainBase) ?? this.resolve(text, base, encoding);
      const kind = linkKinds[key.charCodeAt(0)];
      if (url === undefined || kind === undefined || (url === own && key.endsWith("#"))) continue;
      // An anchor goes by its URL alone: most are, and whoever asks for the URL next finds its hash made.
      const name = kind === "anchor" ? url : key[0] + url;
      if (!found.has(name) || !isNofollow) found.set(name, { url, kind, isNofollow });
    }
    return [...found.values()];
  }
}
