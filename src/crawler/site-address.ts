import { type CrawlEvent, excerpt, parseHttpUrl, TidemarkError } from "../core/index.ts";
import { isCanonicalPath } from "../formats/url/index.ts";
import type { KnownSite } from "../storage/index.ts";

/**
 * The origin of the site that a URL names. User and password are dropped; a path causes a warning, because a site is an
 * origin.
 *
 * @param advice - follows the warning
 * @throws TidemarkError `bad-option` if it is not an http or https URL
 */
export function parseSiteAddress(url: string, onEvent: ((event: CrawlEvent) => void) | undefined, advice = ""): string {
  const parsed = parseHttpUrl(url);
  // A password is not for messages.
  const shown = url.replace(/^([^/]*\/\/)[^/]*@/, "$1");
  if (parsed === undefined)
    throw new TidemarkError("bad-option", `Not the URL of a site: ${excerpt(shown)}.`, {
      hint: "Give an absolute URL such as https://example.org/.",
      details: { url: shown },
    });
  if (parsed.pathname !== "/" || parsed.search !== "")
    onEvent?.({
      event: "warning",
      site: parsed.origin,
      code: "path-ignored",
      message: `A site is an origin: ${parsed.origin}/ is read, and ${excerpt(parsed.pathname + parsed.search)} is ignored.${advice}`,
    });
  return parsed.origin;
}

/** The site of a crawl, and the part of it that is wanted. */
export interface CrawlAddress {
  readonly origin: string;
  /** Paths that begin with this are wanted: `/`, or the folder that the URL names, such as `/docs/`. */
  readonly within: string;
  /** `user:password`, if the URL has them. */
  readonly login: string | undefined;
  /** The URL without them. */
  readonly url: string;
}

function withoutLogin({ origin, pathname, search }: URL): string {
  return origin + pathname + search;
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * What a URL asks a crawl for: the site, or the folder of it that the URL names by a path that ends with `/`. Another path
 * causes a warning, as in {@link parseSiteAddress}.
 *
 * @throws TidemarkError `bad-option` if it is not an http or https URL
 */
export function parseCrawlAddress(url: string, onEvent: ((event: CrawlEvent) => void) | undefined): CrawlAddress {
  const parsed = parseHttpUrl(url);
  const { username = "", password = "" } = parsed ?? {};
  const login = username + password === "" ? undefined : `${decodePart(username)}:${decodePart(password)}`;
  const isFolder = parsed !== undefined && parsed.search === "" && parsed.pathname.endsWith("/");
  const path = (parsed?.pathname ?? "/").replace(/[\\^`{}"<>]/g, encodeURIComponent);
  const common = { login, url: login === undefined || parsed === undefined ? url : withoutLogin(parsed) };
  if (isFolder && isCanonicalPath(path)) return { ...common, origin: parsed.origin, within: path };
  return {
    origin: parseSiteAddress(url, onEvent, " A path that ends with / is a folder to keep to."),
    within: "/",
    ...common,
  };
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
