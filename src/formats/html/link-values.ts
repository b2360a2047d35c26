import { decodeHTMLAttribute } from "entities/decode";
import { parseUrl } from "../../core/index.ts";

/**
 * Resolves the character references of an attribute's value: `&amp;`, `&#38;`, and by the rule for attributes
 * `&copy=1` not (HTML Living Standard, section 13.2.5.73).
 */
export function decodeReferences(value: string): string {
  return value.includes("&") ? decodeHTMLAttribute(value) : value;
}

const absoluteLink = /^(?:[a-z][a-z0-9+.-]*:|\/)/i;

/**
 * A link of `object` or `applet` behind its `codebase`, both as they are written.
 *
 * @see HTML 4.01 sections 13.3 and 13.4
 */
export function behindCodebase(codebase: string | undefined, text: string): string {
  const base = codebase?.trim() ?? "";
  const link = text.trim();
  if (base === "" || link === "") return link;
  if (/^https?:\/\//i.test(base)) return parseUrl(link, base)?.href ?? link;
  return absoluteLink.test(link) ? link : base.slice(0, base.lastIndexOf("/") + 1) + link;
}

const refreshForm =
  /^[\t\n\f\r ]*(?:[0-9]|(?=\.))[0-9.]*(?:[\t\n\f\r ]*[;,]|[\t\n\f\r ])[\t\n\f\r ]*([^\t\n\f\r ].*)$/s;
const refreshPrefix = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i;

/**
 * The URL, as it is written, that the `content` of `<meta http-equiv="refresh">` leads to: `0; url=a`, `0;URL='a'`,
 * `5,a`, `0 a`, `.5; url = a`.
 *
 * @returns undefined if it means nothing, or only loads the page again
 * @see HTML Living Standard, section 4.2.5.3 "shared declarative refresh steps"
 */
export function readRefresh(content: string): string | undefined {
  const rest = refreshForm.exec(content)?.[1];
  if (rest === undefined) return undefined;
  const url = rest.replace(refreshPrefix, "");
  const quote = url[0];
  if (quote !== '"' && quote !== "'") return url === "" ? undefined : url;
  const end = url.indexOf(quote, 1);
  return url.slice(1, end === -1 ? undefined : end) || undefined;
}

const spaces = /[\t\n\f\r ]*/y;
const separators = /[\t\n\f\r ,]*/y;
const notSpaces = /[^\t\n\f\r ]+/y;

/**
 * The URLs of a `srcset`, as they are written. What stands behind each (`2x`, `640w`, anything) is passed over; a comma
 * within a URL belongs to it, one at its end does not.
 *
 * @param limit - at most so many are given
 * @see HTML Living Standard, section 4.8.4.3.10 "Parsing a srcset attribute"
 */
export function readSrcset(srcset: string, limit: number): string[] {
  const urls: string[] = [];
  for (let at = 0; urls.length < limit; ) {
    separators.lastIndex = at;
    separators.exec(srcset);
    notSpaces.lastIndex = separators.lastIndex;
    const url = notSpaces.exec(srcset)?.[0];
    if (url === undefined) break;
    at = notSpaces.lastIndex;
    if (url.endsWith(",")) {
      let end = url.length;
      while (url.charCodeAt(end - 1) === 44) end -= 1;
      urls.push(url.slice(0, end));
      continue;
    }
    urls.push(url);
    at = behindDescriptors(srcset, at);
  }
  return urls;
}

// Descriptors end at a comma outside of parentheses.
function behindDescriptors(srcset: string, start: number): number {
  spaces.lastIndex = start;
  spaces.exec(srcset);
  let isWithin = false;
  for (let at = spaces.lastIndex; at < srcset.length; at++) {
    const code = srcset.charCodeAt(at);
    if (code === 40) isWithin = true;
    else if (code === 41) isWithin = false;
    else if (code === 44 && !isWithin) return at + 1;
  }
  return srcset.length;
}

/** A link of a field `Link`, as it is written. */
export interface HeaderLink {
  readonly url: string;
  readonly rel: string | undefined;
}

const maxFieldLinks = 1000;
const target = /[\t ,]*<([^<>]*)>/y;
const parameter =
  /[\t ]*;[\t ]*(?:([!#$%&'*+.^_`|~A-Za-z0-9-]+)[\t ]*(?:=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([^\t ",;]*)))?)?/y;

/**
 * Reads a field `Link`. Links of another context (`anchor`) are passed over; of a parameter that stands twice the first
 * counts. What follows something that is no link is not read.
 *
 * @see RFC 8288 sections 3 and B.2
 */
export function readLinkField(field: string): HeaderLink[] {
  const links: HeaderLink[] = [];
  for (let at = 0; links.length < maxFieldLinks; ) {
    target.lastIndex = at;
    const found = target.exec(field);
    if (found === null) return links;
    at = target.lastIndex;
    const parameters = new Map<string, string>();
    for (;;) {
      parameter.lastIndex = at;
      const next = parameter.exec(field);
      if (next === null) break;
      at = parameter.lastIndex;
      const name = next[1]?.toLowerCase();
      if (name !== undefined && !parameters.has(name))
        parameters.set(name, next[2]?.replace(/\\(.)/g, "$1") ?? next[3] ?? "");
    }
    if (!parameters.has("anchor")) links.push({ url: found[1] ?? "", rel: parameters.get("rel") });
  }
  return links;
}
