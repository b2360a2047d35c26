import { parseUrl } from "../../core/index.ts";

const maxRounds = 8;

/** Undoes percent-encoding again and again, as far as it goes; one character a byte. */
function unescapeAll(text: string): string {
  let before = text;
  for (let round = 0; round < maxRounds; round++) {
    const after = before.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (after === before) break;
    before = after;
  }
  return before;
}

function escapeRest(text: string): string {
  return text.replace(
    /[\x00-\x20\x7f-\xff#%]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

function resolveDots(path: string): string {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

/**
 * The key under which a URL is found in an index: host names from right to left, then path and query in lower case,
 * without what seldom tells two pages apart (`www`, a slash at the end, the order of a query).
 *
 * Agrees with the Python package `surt`, which pywb and cdxj-indexer ask, on all but session ids: those stay.
 *
 * @param url - an absolute URL; one that is none is its own key, in lower case and cut
 * @see https://specs.webrecorder.net/cdxj/0.1.0/ section "Searchable URL"
 */
export function surtOf(url: string): string {
  const parsed = parseUrl(url);
  if (parsed === undefined || parsed.host === "")
    return url === ""
      ? "-"
      : escapeRest(String.fromCharCode(...new TextEncoder().encode(url.toLowerCase().slice(0, 4096))));
  const host = parsed.hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .replace(/^www\d*\./, "");
  const port = parsed.port === "" ? "" : `:${parsed.port}`;
  const path = escapeRest(resolveDots(unescapeAll(parsed.pathname))).toLowerCase();
  const asked = escapeRest(unescapeAll(parsed.search.slice(1))).toLowerCase();
  const query = asked === "" ? "" : `?${asked.split("&").sort().join("&")}`;
  return `${host.split(".").reverse().join(",")}${port})${path}${query}`;
}
