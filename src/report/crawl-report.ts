import type { CrawlSummary, EpochMs, EpochSeconds } from "../core/index.ts";
import { chooseSites, pagesOf, pollingRequestsOf } from "../crawler/index.ts";
import { findStateFile, type PastVisit, StateReader } from "../storage/index.ts";
import { checkForMissed, type MissedCheck, type MissedCheckOptions } from "../verify/index.ts";

/** Which visits to report, and whether to look for missed changes. */
export interface CrawlReportOptions extends Omit<MissedCheckOptions, "sample"> {
  /** Folder of the mirrors, or the state file. */
  readonly store: string;
  /** Any URL of the site to report. Default: all sites. */
  readonly url?: string;
  /** Visits that began before this are left out. Default: all stored visits. */
  readonly since?: EpochMs;
  /** Number of randomly chosen pages per site to fetch completely. Default: none. */
  readonly check?: number;
}

/** The cost of visits, and of the alternatives. */
export interface CrawlCosts {
  readonly visits: number;
  /** Requests of all kinds. */
  readonly requests: number;
  /** Bytes of bodies as received: pages, lists, archives, robots.txt; and about {@link notModifiedBytes} per 304. */
  readonly bytes: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  /** The least cost of polling: one conditional request per held page and visit. */
  readonly polling: {
    readonly requests: number;
    /** The bytes of the pages that changed, and about {@link notModifiedBytes} per 304. */
    readonly bytes: number;
  };
  /** The cost of downloading every page completely in every visit. */
  readonly download: { readonly requests: number; readonly bytes: number };
}

/** One visit and its costs. */
export interface VisitReport extends CrawlCosts {
  readonly at: EpochSeconds;
  readonly source: CrawlSummary["source"];
  readonly elapsedMs: number;
}

/** Sum of the visits to one site. */
export interface SiteReport {
  readonly site: string;
  readonly heldPages: number;
  readonly heldBytes: number;
  /** Oldest first. */
  readonly visits: readonly VisitReport[];
  readonly sum: CrawlCosts;
  /** When it is visited next, and how often the last visits failed in a row; undefined if it is not followed. */
  readonly next:
    | { readonly at: EpochMs | undefined; readonly failures: number; readonly isPaused: boolean }
    | undefined;
  /** Undefined if it was not requested. */
  readonly missed: MissedCheck | undefined;
}

/** Approximate size of the fields of a 304, in bytes. */
export const notModifiedBytes = 250;

/**
 * Reports what a crawler's visits cost and found, compared with polling each page and with downloading everything; on
 * request also whether a random sample of the held pages equals what the site serves.
 *
 * The number of held pages is stored per visit, but not their bytes: those that the fullest visit received per page, or the
 * current ones, stand for them. Only reads, and works while a crawl runs.
 *
 * @returns a report for each site, in the order of origins
 * @throws TidemarkError `not-found`, `bad-option`, `state-corrupt`, `state-version`; with `check` also
 *   `site-unavailable`, `aborted`
 * @example
 * for (const { site, sum } of await readCrawlReport({ store: "mirrors" }))
 *   console.log(site, `${sum.requests} requests instead of ${sum.polling.requests}`);
 */
export async function readCrawlReport(options: CrawlReportOptions): Promise<SiteReport[]> {
  const { store, url, since = 0, check } = options;
  using reader = new StateReader(findStateFile(store));
  const plans = new Map<string, SiteReport["next"]>();
  for (const { origin, at, failures, isPaused } of reader.readPlans()) plans.set(origin, { at, failures, isPaused });
  const reports: SiteReport[] = [];
  for (const site of chooseSites(reader.readSites(), url)) {
    const held = reader.countHeld(site.id);
    const past = reader.readVisits(site.id, 0);
    const meanBytes = meanBytesOf(past, held);
    const visits = past.filter(({ at }) => at * 1000 >= since).map((visit) => reportOf(visit, meanBytes));
    const last = past.at(-1)?.at ?? 0;
    const missed =
      check === undefined
        ? undefined
        : await checkForMissed(site.origin, reader.readPages(site.id), last, { ...options, sample: check });
    reports.push({
      ...{ site: site.origin, heldPages: held.pages, heldBytes: held.bytes },
      ...{ visits, sum: sumCosts(visits), next: plans.get(site.origin), missed },
    });
  }
  return reports;
}

/** Bytes of a page as it is received: servers compress pages. A visit tells them that received half of the pages or more. */
function meanBytesOf(visits: readonly PastVisit[], held: { readonly pages: number; readonly bytes: number }): number {
  let most = Math.max(1, held.pages / 2);
  let meanBytes = held.pages === 0 ? 0 : held.bytes / held.pages;
  for (const { summary } of visits) {
    const pages = summary.created + summary.updated;
    if (pages < most) continue;
    most = pages + 1;
    meanBytes = Math.min(held.bytes / Math.max(1, held.pages), bodyBytesOf(summary) / pages);
  }
  return meanBytes;
}

/** Visits of earlier versions have no packages. */
function bodyBytesOf({ pageBytes, packageBytes = 0 }: CrawlSummary): number {
  return pageBytes + packageBytes;
}

function reportOf({ at, summary }: PastVisit, meanBytes: number): VisitReport {
  const { source, requests, created, updated, deleted, elapsedMs } = summary;
  const asked = pollingRequestsOf(summary);
  const changed = created + updated;
  const pages = pagesOf(summary);
  return {
    ...{ at, source, visits: 1, requests, created, updated, deleted, elapsedMs },
    bytes: bodyBytesOf(summary) + summary.metadataBytes + summary.notModified * notModifiedBytes,
    polling: { requests: asked, bytes: Math.round(changed * meanBytes + (asked - changed) * notModifiedBytes) },
    download: { requests: pages, bytes: Math.round(pages * meanBytes) },
  };
}

function sumCosts(visits: readonly CrawlCosts[]): CrawlCosts {
  const sum = (of: (visit: CrawlCosts) => number): number => visits.reduce((total, visit) => total + of(visit), 0);
  return {
    visits: visits.length,
    requests: sum(({ requests }) => requests),
    bytes: sum(({ bytes }) => bytes),
    created: sum(({ created }) => created),
    updated: sum(({ updated }) => updated),
    deleted: sum(({ deleted }) => deleted),
    polling: { requests: sum(({ polling }) => polling.requests), bytes: sum(({ polling }) => polling.bytes) },
    download: { requests: sum(({ download }) => download.requests), bytes: sum(({ download }) => download.bytes) },
  };
}
