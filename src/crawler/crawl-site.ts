import { type CrawlSummary, omitUndefined, wrapSystemError } from "../core/index.ts";
import { openStore, TakerFailure } from "../storage/index.ts";
import type { CrawlSiteOptions } from "./crawl-site-options.ts";
import { createPoliteness } from "./politeness.ts";
import { parseSiteAddress } from "./site-address.ts";
import { checkVisitOptions, visitInStore } from "./site-visit.ts";

/**
 * Visits a site once and updates its mirror: reads what changed since the last visit and fetches only those pages.
 *
 * It can be killed at any time and run again. If a site publishes nothing or cannot be reached, the result is a summary
 * with the `source` `none` and a warning `no-archives` or `site-unavailable`.
 *
 * @returns the summary of the visit
 * @throws TidemarkError `bad-option`, `locked`, `aborted`, `disk-full`, `no-permission`, `read-only`, `state-corrupt`,
 * `state-version`, `io`; errors of `keep`'s callbacks are rethrown unchanged
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
