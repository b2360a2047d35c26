import { parseUrl } from "../../core/index.ts";
/** Longest URL that is taken, in characters, before and after; RFC 9110 section 4.1 asks for at least 8000 octets. */
export const maxUrlLength = 8192;

const unreserved = /^[A-Za-z0-9._~-]$/;
const hex = /^[0-9A-Fa-f]$/;
const percent = /%(?:[0-9A-Fa-f]{2})?/g;

/**
 * Brings the escapes of a path or a query to one spelling: in upper case, unreserved characters never escaped.
 *
 * @see RFC 3986 section 6.2.2
 */
export function normaliseEscapes(text: string): string {
  if (!text.includes("%")) return text;
  let normal = "";
  let from = 0;
  let stray = Number.NEGATIVE_INFINITY;
  for (const match of text.matchAll(percent)) {
    normal += text.slice(from, match.index);
    from = match.index + match[0].length;
    if (match[0] === "%") {
      stray = normal.length;
      normal += "%";
      continue;
    }
    const character = String.fromCharCode(Number.parseInt(match[0].slice(1), 16));
    // A decoded character must not make an escape of a `%` that is none, as in `%%34%31`: it stays as it is.
    const completes = normal.length - stray <= 2 && hex.test(character);
    normal += unreserved.test(character) && !completes ? character : match[0].toUpperCase();
  }
  return normal + text.slice(from);
}

/**
 * Brings a URL to the one spelling under which a crawler knows it: parsed as browsers do, so that host and scheme
 * are in lower case, dot segments resolved and a default port dropped; escapes in upper case, unreserved characters
 * never escaped; no fragment, no empty query.
 *
 * What may lead elsewhere stays: repeated slashes, the order of parameters, index pages, `www.`, a dot behind the
 * host. Normalising twice is normalising once.
 *
 * @param base - what a relative URL is resolved against
 * @returns undefined for what a crawler does not ask for: no URL, another scheme than http and https, a user or a
 *   password, more than {@link maxUrlLength} characters
 * @see WHATWG URL; RFC 3986 section 6.2.2
 */
export function normaliseUrl(url: string, base?: string): string | undefined {
  const parsed = url.length > maxUrlLength ? undefined : parseUrl(url, base);
  if (parsed === undefined) return undefined;
  const { protocol, username, password, origin, pathname, search } = parsed;
  if ((protocol !== "http:" && protocol !== "https:") || username !== "" || password !== "") return undefined;
  const normal = origin + normaliseEscapes(pathname) + normaliseEscapes(search);
  return normal.length > maxUrlLength ? undefined : normal;
}
