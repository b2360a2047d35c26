import { type CrawlEvent, excerpt, parseHttpUrl, TidemarkError } from "../core/index.ts";

/**
 * The origin of the site that a URL names. User and password are dropped; a path causes a warning, because a site is an
 * origin.
 *
 * @throws TidemarkError `bad-option` if it is not an http or https URL
 */
export function parseSiteAddress(url: string, onEvent: ((event: CrawlEvent) => void) | undefined): string {
  const parsed = parseHttpUrl(url);
  if (parsed === undefined)
    throw new TidemarkError("bad-option", `Not the URL of a site: ${excerpt(url)}.`, {
      hint: "Give an absolute URL such as https://example.org/.",
      details: { url },
    });
  if (parsed.pathname !== "/" || parsed.search !== "")
    onEvent?.({
      event: "warning",
      site: parsed.origin,
      code: "path-ignored",
      message: `A site is an origin: ${parsed.origin}/ is read, and ${excerpt(parsed.pathname + parsed.search)} is ignored.`,
    });
  return parsed.origin;
}
