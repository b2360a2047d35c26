import { TidemarkError } from "../core/index.ts";
import type { KnownSite } from "../storage/index.ts";
import { parseSiteAddress } from "./site-address.ts";

const sitesTold = 5;

/**
 * The sites of a crawler's state: all of them, or the one that a URL names.
 *
 * @throws TidemarkError `bad-option` if the URL is invalid, or not of a site of the state
 */
export function chooseSites(sites: readonly KnownSite[], url: string | undefined): readonly KnownSite[] {
  if (url === undefined) return sites;
  const origin = parseSiteAddress(url, undefined);
  const found = sites.filter((site) => site.origin === origin);
  if (found.length > 0) return found;
  const shown = sites.slice(0, sitesTold).map((site) => site.origin);
  throw new TidemarkError("bad-option", `The crawler has no site ${origin}.`, {
    hint:
      shown.length === 0 ? "It has none yet." : `It has ${shown.join(", ")}${sites.length > sitesTold ? ", ..." : ""}`,
    details: { site: origin },
  });
}
