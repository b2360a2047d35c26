import { parseUrl, TidemarkError } from "../core/index.ts";

/**
 * The origin of an exported site, with a final `/`.
 *
 * @throws TidemarkError `bad-option` if it is more than an origin, or not an http or https URL
 */
export function parseBaseUrl(text: string): string {
  const url = parseUrl(text);
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new TidemarkError("bad-option", `Not a base URL: ${JSON.stringify(text)}.`, {
      hint: "Give the site's address, such as --base-url https://example.org/",
    });
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    throw new TidemarkError("bad-option", `The base URL ${JSON.stringify(text)} is more than an origin.`, {
      hint: `Crawlers find a site from /robots.txt, so a site is a whole origin: --base-url ${url.origin}/`,
    });
  }
  return `${url.origin}/`;
}
