import { type CrawlEvent, excerpt, parseHttpUrl, TidemarkError } from "../core/index.ts";
import type { KnownSite } from "../storage/index.ts";

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

const sitesTold = 5;

/**
 * The one of some sites that a URL names.
 *
 * @param refusal - the message about the origin of another site
 * @throws TidemarkError `bad-option` if the URL is invalid, or of none of them
 */
export function findSite<Site>(
  sites: readonly Site[],
  originOf: (site: Site) => string,
  url: string,
  refusal: (origin: string) => string,
): Site {
  const origin = parseSiteAddress(url, undefined);
  const found = sites.find((site) => originOf(site) === origin);
  if (found !== undefined) return found;
  const shown = sites.slice(0, sitesTold).map(originOf);
  throw new TidemarkError("bad-option", refusal(origin), {
    hint:
      shown.length === 0
        ? "There is no site yet."
        : `There are ${shown.join(", ")}${sites.length > sitesTold ? ", ..." : ""}`,
    details: { site: origin },
  });
}

/** The sites of a crawler's state: all of them, or the one that a URL names. @throws as {@link findSite} */
export function chooseSites(sites: readonly KnownSite[], url: string | undefined): readonly KnownSite[] {
  if (url === undefined) return sites;
  return [
    findSite(
      sites,
      (site) => site.origin,
      url,
      (origin) => `The crawler has no site ${origin}.`,
    ),
  ];
}
