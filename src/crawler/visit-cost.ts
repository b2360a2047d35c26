import type { CrawlSummary } from "../core/index.ts";

/**
 * What a visit held at its end: what it did not ask for, and what it asked for. A visit that asked for nothing, because
 * no page's time had come, has found out nothing; nobody would have polled for that.
 */
export function pagesOf({ requests, created, updated, unchanged }: CrawlSummary): number {
  return requests === 0 ? 0 : created + updated + unchanged;
}

/** What polling each page of a visit would have taken at least: one request a page, of what is gone too; none if it asked for nothing. */
export function pollingRequestsOf(summary: CrawlSummary): number {
  return pagesOf(summary) + summary.deleted;
}

/** Whether a visit learned nothing of a site, such as of one whose server does not answer. */
export function isFailedVisit({ source }: CrawlSummary): boolean {
  return source === "none";
}
