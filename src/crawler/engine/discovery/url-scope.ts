import type { MediaTypes } from "../../../core/index.ts";
import { type PageFilter, parseUrl } from "../../../core/index.ts";
import { isCanonicalPath } from "../../../formats/url/index.ts";
import { withoutSession } from "./trap-guard.ts";

// What the WHATWG URL parser leaves in a path or a query and a path of ours does not carry.
const unescaped = /[\\^`{}"<>]/g;

/** Path and query of a whole URL. */
export function pathOfUrl(url: string): string {
  return url.slice(url.indexOf("/", url.indexOf("//") + 2));
}

/**
 * The URL that a crawl of the Web asks for when it follows a link.
 *
 * @param link - absolute, in the URL parser's form, without fragment
 * @returns undefined if the link has a login: it is not followed
 */
export function pageUrlOf(link: string): string | undefined {
  if (link.slice(0, link.indexOf("/", link.indexOf("//") + 2)).includes("@")) return undefined;
  const stripped = withoutSession(link);
  return (stripped === link ? link : new URL(stripped).href).replace(unescaped, encodeURIComponent);
}

/** Types of pages that lead to others. */
const leadingTypes: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"]);

/** Whether pages of a media type lead to others. */
export function leadsOn(mediaType: string): boolean {
  return leadingTypes.has(mediaType);
}

/** Types of bodies in which links are looked for. */
export const linkedTypes: readonly string[] = [...leadingTypes, "text/css"];

/** Whether links are looked for in a page of a media type. */
export function hasLinks(mediaType: string): boolean {
  return linkedTypes.includes(mediaType);
}

/** Which of a site's URLs are asked for. */
export class UrlScope {
  readonly #filter: PageFilter;
  readonly #mediaTypes: MediaTypes;

  constructor(filter: PageFilter, mediaTypes: MediaTypes) {
    this.#filter = filter;
    this.#mediaTypes = mediaTypes;
  }

  /**
   * A URL as a path of the site with query, its fragment dropped.
   *
   * @param text - absolute, or relative to the base
   * @param base - a URL; default: the origin
   * @returns undefined if it is of another site, or cannot be kept
   */
  pathOf(text: string, origin: string, base: string = origin): string | undefined {
    const rest = text.startsWith(origin) ? text.slice(origin.length) : text;
    // Nearly all are as they should be, and no URL need be made of them.
    const isOwn = rest !== text || base === origin || base.startsWith(`${origin}/`);
    if (isOwn && isCanonicalPath(rest)) return rest;
    const url = parseUrl(text, base);
    if (url === undefined || url.origin !== origin || url.username !== "" || url.password !== "") return undefined;
    const path = (url.pathname + url.search).replace(unescaped, encodeURIComponent);
    return isCanonicalPath(path) ? path : undefined;
  }

  /** As {@link pathOf}, but only if the page may be requested at all. */
  pageOf(text: string, origin: string, base?: string): string | undefined {
    const path = this.pathOf(text, origin, base);
    return path !== undefined && this.#filter.admits(path) ? path : undefined;
  }

  /** Whether a page may have a wanted type, as far as its path says. */
  mayBeWanted(path: string): boolean {
    const type = this.#mediaTypes.typeOf(path);
    return type === undefined || this.#filter.matches(type);
  }

  /** Whether a page may lead to wanted ones, as far as its path says. */
  mayLeadOn(path: string): boolean {
    const type = this.#mediaTypes.typeOf(path);
    return type === undefined || leadsOn(type);
  }
}
