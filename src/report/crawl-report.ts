import type { CrawlSummary, EpochMs, EpochSeconds } from "../core/index.ts";
import { chooseSites, pagesOf, pollingRequestsOf } from "../crawler/index.ts";
import { findStateFile, type PastVisit, StateReader } from "../storage/index.ts";
import { checkForMissed, type MissedCheck, type MissedCheckOptions } from "../verify/index.ts";

/** Which visits to report, and whether to look for what they missed. */
export interface CrawlReportOptions extends Omit<MissedCheckOptions, "sample"> {
  /** Folder of the mirrors, or the state's file. */
  readonly store: string;
  /** Any URL of the only site that is meant. Default: all sites. */
  readonly url?: string;
  /** Visits that began before this are left out. Default: all that are remembered. */
  readonly since?: EpochMs;
  /** Pages of each site to fetch whole, chosen at random. Default: none. */
  readonly check?: number;
}

/** What visits cost, and what other ways would have cost. */
export interface CrawlCosts {
  readonly visits: number;
  /** Requests of all kinds. */
  readonly requests: number;
  /** Bytes of bodies as received: pages, lists, archives, robots.txt. */
  readonly bytes: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  /** One conditional request a held page and visit: the least that polling costs. */
  readonly polling: {
    readonly requests: number;
    /** The pages that changed, and about {@link notModifiedBytes} for each answer of 304. */
    readonly bytes: number;
  };
  /** Every page whole in every visit. */
  readonly download: { readonly requests: number; readonly bytes: number };
}

/** One visit and its costs. */
export interface VisitReport extends CrawlCosts {
  readonly at: EpochSeconds;
  readonly source: CrawlSummary["source"];
  readonly elapsedMs: number;
}

/** What the visits to one site came to. */
export interface SiteReport {
  readonly site: string;
  readonly heldPages: number;
  readonly heldBytes: number;
  /** The oldest first. */
  readonly visits: readonly VisitReport[];
  readonly sum: CrawlCosts;
  /** Undefined if it was not asked for. */
  readonly missed: MissedCheck | undefined;
}

/** About what the fields of an answer of 304 take, in bytes. */
export const notModifiedBytes = 250;

const nothing: CrawlCosts = {
  visits: 0,
  requests: 0,
  bytes: 0,
  created: 0,
  updated: 0,
  deleted: 0,
  polling: { requests: 0, bytes: 0 },
  download: { requests: 0, bytes: 0 },
};

/**
 * Reports what the visits of a crawler cost and found, beside what polling each page and downloading all would have
 * cost, and, if asked, whether a random sample of the pages that are held is still what the site serves.
 *
 * How many pages a visit held is remembered, how many bytes they had is not: those of now stand for it. Reads only, and
 * works while a crawl runs.
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
  const reports: SiteReport[] = [];
  for (const site of chooseSites(reader.readSites(), url)) {
    const held = reader.countHeld(site.id);
    const meanBytes = held.pages === 0 ? 0 : held.bytes / held.pages;
    const past = reader.readVisits(site.id, Math.ceil(since / 1000));
    const visits = past.map((visit) => reportOf(visit, meanBytes));
    const last = past.at(-1)?.at ?? 0;
    const missed =
      check === undefined
        ? undefined
        : await checkForMissed(site.origin, reader.readPages(site.id), last, { ...options, sample: check });
    const sum = visits.reduce(addCosts, nothing);
    reports.push({ site: site.origin, heldPages: held.pages, heldBytes: held.bytes, visits, sum, missed });
  }
  return reports;
}

function reportOf({ at, summary }: PastVisit, meanBytes: number): VisitReport {
  const {
    source,
    requests,
    created,
    updated,
    deleted,
    pageBytes,
    metadataBytes,
    packageBytes = 0,
    elapsedMs,
  } = summary;
  const asked = pollingRequestsOf(summary);
  const changed = created + updated;
  const bytes = Math.round(changed * meanBytes + (asked - changed) * notModifiedBytes);
  const download = { requests: pagesOf(summary), bytes: Math.round(pagesOf(summary) * meanBytes) };
  return {
    at,
    source,
    visits: 1,
    requests,
    // Visits of before have no packages.
    bytes: pageBytes + metadataBytes + packageBytes,
    created,
    updated,
    deleted,
    polling: { requests: asked, bytes },
    download,
    elapsedMs,
  };
}

function addCosts(sum: CrawlCosts, one: CrawlCosts): CrawlCosts {
  return {
    visits: sum.visits + one.visits,
    requests: sum.requests + one.requests,
    bytes: sum.bytes + one.bytes,
    created: sum.created + one.created,
    updated: sum.updated + one.updated,
    deleted: sum.deleted + one.deleted,
    polling: {
      requests: sum.polling.requests + one.polling.requests,
      bytes: sum.polling.bytes + one.polling.bytes,
    },
    download: {
      requests: sum.download.requests + one.download.requests,
      bytes: sum.download.bytes + one.download.bytes,
    },
  };
}
