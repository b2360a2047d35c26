import type { CrawlSummary } from "../core/index.ts";

/**
 * What a visit held at its end and requested. A visit without requests, because no page was due, found out nothing, and
 * polling would not have happened either.
 */
export function pagesOf({ requests, created, updated, unchanged }: CrawlSummary): number {
  return requests === 0 ? 0 : created + updated + unchanged;
}

/**
 * The least cost of polling each page of a visit: one request per page, including deleted ones; zero if the visit made
 * no request.
 */
export function pollingRequestsOf(summary: CrawlSummary): number {
  return pagesOf(summary) + summary.deleted;
}

/** Whether a visit learned nothing about a site, for example because its server did not answer, and was not halted. */
export function isFailedVisit({ source, isCutShort }: CrawlSummary): boolean {
  return source === "none" && isCutShort !== true;
}
