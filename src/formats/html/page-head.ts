import { parseUrl } from "../../core/index.ts";
import { decodeHtml } from "./html-decoder.ts";
import { readTags } from "./html-tags.ts";
import { decodeReferences } from "./link-values.ts";

/** What a page says of itself. */
export interface PageHead {
  /** The URL by which it wants to be known, absolute and without fragment. */
  readonly canonical: string | undefined;
  /** The first `title` that is not empty, white space collapsed; at most {@link maxTitleLength} characters. */
  readonly title: string | undefined;
}

const maxTitleLength = 512;
const wanted: ReadonlySet<string> = new Set(["rel", "href"]);

/**
 * Reads what an HTML page says of itself, in time linear in its length; nothing fails.
 *
 * @param head - the page, or its beginning
 * @param page - the page's URL
 * @see RFC 6596 for `rel=canonical`
 */
export function readPageHead(head: Uint8Array, page: string): PageHead {
  const found: { canonical?: string; base?: string; title?: string } = {};
  const onTag = (name: string, attributes: ReadonlyMap<string, string>): void => {
    const href = attributes.get("href");
    if (href === undefined) return;
    if (name === "base") found.base ??= decodeReferences(href);
    const relations = name === "link" ? (attributes.get("rel") ?? "").toLowerCase().split(/[\t\n\f\r ]+/) : [];
    if (relations.includes("canonical")) found.canonical ??= decodeReferences(href);
  };
  const onTitle = (text: string): void => {
    const plain = decodeReferences(text.slice(0, 8 * maxTitleLength))
      .replace(/\s+/g, " ")
      .trim();
    if (plain !== "") found.title ??= [...plain].slice(0, maxTitleLength).join("");
  };
  readTags(decodeHtml(head, undefined).text, { wanted, onTag, onTitle }, false);
  const { canonical, base, title } = found;
  const folder = (base === undefined ? undefined : parseUrl(base, page)?.href) ?? page;
  const url = canonical === undefined ? undefined : parseUrl(canonical.trim(), folder);
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return { canonical: undefined, title };
  url.hash = "";
  return { canonical: url.href, title };
}
