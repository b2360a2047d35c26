import { type CrawlSummary, omitUndefined, wrapSystemError } from "../core/index.ts";
import { openStore, TakerFailure } from "../storage/index.ts";
import type { CrawlSiteOptions } from "./crawl-site-options.ts";
import { createPoliteness } from "./politeness.ts";
import { parseSiteAddress } from "./site-address.ts";
import { checkVisitOptions, visitInStore } from "./site-visit.ts";

/**
 * Visits a site once and brings the mirror of it up to date: reads what changed since the last visit and fetches
 * those pages and nothing else.
 *
 * It can be killed at any instant and run again. A site that publishes nothing or cannot be asked gives a summary
 * whose `source` is `none`, and a warning `no-archives` or `site-unavailable`.
 *
 * @returns what the visit came to
 * @throws TidemarkError `bad-option`, `locked`, `aborted`, `disk-full`, `no-permission`, `read-only`, `state-corrupt`,
 *   `state-version`, `io`; what a callback of `keep` throws, as it is
 * @example
 * const summary = await crawlSite({ url: "https://example.org/", into: "mirrors" });
 * console.log(`${summary.created} new pages, ${summary.pending} to come`);
 */
export async function crawlSite(options: CrawlSiteOptions): Promise<CrawlSummary> {
  const { url, into, stateFile, clock, delay, onEvent } = options;
  const { politeness = createPoliteness({ clock, delay }) } = options;
  checkVisitOptions(options);
  const origin = parseSiteAddress(url, onEvent);
  try {
    using store = openStore({ into, ...omitUndefined({ stateFile }) });
    const { summary } = await visitInStore({ store, politeness, clock, delay }, { ...options, origin });
    return summary;
  } catch (error) {
    if (error instanceof TakerFailure) throw error.cause;
    throw wrapSystemError(error, `crawl ${origin}/`, { site: origin });
  }
}
