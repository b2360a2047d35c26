import type { CrawlSummary, EpochMs, Timing } from "../../core/index.ts";
import { createFetcher, type FetcherOptions, type HostAddresses } from "../../http/index.ts";
import type { LinkLog, Store } from "../../storage/index.ts";
import type { PolitenessOptions } from "../engine/politeness/politeness-options.ts";
import { isLoopbackAddress } from "../engine/politeness/site-clock.ts";
import type { Keep, LeasedObjects } from "../kept-site.ts";
import type { Politeness } from "../politeness.ts";

/** What visits to leased sites share. The state of each site is a store of its own. */
export interface LeasedMeans {
  readonly timing: Timing;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly politeness: Politeness;
  readonly hosts: HostAddresses;
}

/** A URL that waits for a site. */
export interface WaitingUrl {
  /** Path and query. */
  readonly path: string;
  /** How it was found, as another visit told of it. */
  readonly note: string;
}

/** A URL of another site that a page led to. */
export interface UrlElsewhere extends WaitingUrl {
  readonly origin: string;
  /** The greater, the sooner. */
  readonly priority: number;
}

/** A leased site, for one visit. */
export interface LeasedSite {
  readonly origin: string;
  /** How the site was found. */
  readonly note: string;
  readonly store: Store;
  readonly handed: readonly WaitingUrl[];
  /** Where bodies are kept; undefined where they are not. */
  readonly objects: LeasedObjects | undefined;
  /** Whether requests may go on; once it is false, none is begun. */
  readonly mayGoOn: () => boolean;
  /** Whether those under way are to be abandoned. */
  readonly mustEnd: () => boolean;
  /** Aborted once no further request may be made. */
  readonly halt: AbortSignal;
  /**
   * Takes URLs of other sites, and links, as soon as they are found: before the state says that their page was answered. So whoever
   * stores the state while the visit goes on can store them with it.
   */
  readonly takeFound: (url: UrlElsewhere) => void;
  readonly takeLinks: (...line: Parameters<LinkLog["add"]>) => void;
}

/** Numbers of a visit. */
export type LeasedCounts = Pick<
  CrawlSummary,
  | "requests"
  | "pageRequests"
  | "notModified"
  | "metadataBytes"
  | "pageBytes"
  | "created"
  | "updated"
  | "deleted"
  | "failed"
>;

/** What a visit to a leased site came to. */
export interface LeasedVisit {
  /** Undefined where the visit broke off. */
  readonly counts: LeasedCounts | undefined;
  /** Whether it broke off, or learned nothing about a site that somebody listed. */
  readonly isFailed: boolean;
  readonly error?: unknown;
  /** When the site is visited next; Infinity for never, unless links lead to new URLs of it. */
  readonly nextAt: EpochMs;
  readonly priority: number;
}

/** Makes visits to leased sites. */
export interface LeasedVisitor {
  /**
   * When a site whose host has no address, or one that it may not have, is looked at again; Infinity for never, unless links lead to new
   * URLs of it. Undefined: it is visited.
   *
   * @param address - undefined if the name server did not answer; null if there is none
   * @param attempts - how often in a row the site was leased for nothing
   */
  postpone(origin: string, address: string | undefined | null, attempts: number): number | undefined;
  /** @throws what prevents all visits: a full disk, say */
  visit(site: LeasedSite): Promise<LeasedVisit>;
  /** A visit of this process is lost: what it told of may be news again. */
  forget(): void;
  /** Whether what is due later belongs to the same crawl, rather than to the next. */
  readonly waits: boolean;
  /** Sites to begin with. */
  readonly first: readonly (Pick<UrlElsewhere, "origin" | "note" | "priority"> & { readonly path?: string })[];
}

/** The numbers of a visit alone. */
export function countsOf({
  requests,
  pageRequests,
  notModified,
  metadataBytes,
  pageBytes,
  created,
  updated,
  deleted,
  failed,
}: LeasedCounts): LeasedCounts {
  return { requests, pageRequests, notModified, metadataBytes, pageBytes, created, updated, deleted, failed };
}

/** The numbers of two visits together; of one, without the first. */
export function addCounts(before: LeasedCounts | undefined, visit: LeasedCounts): LeasedCounts {
  const sum: Record<keyof LeasedCounts, number> = countsOf(visit);
  if (before !== undefined) for (const name of Object.keys(sum) as (keyof LeasedCounts)[]) sum[name] += before[name];
  return sum;
}

/** Several holders of a site keep its bodies in a store that all of them reach, or nowhere. */
export function keepOf({ objects }: Pick<LeasedSite, "objects">): Keep {
  return objects === undefined ? "metadata" : "objects";
}

/** Sends requests of a visit while its lease lasts: a process that was frozen sends nothing more once it goes on. */
export function fetcherOf({ mayGoOn }: Pick<LeasedSite, "mayGoOn">, { hosts }: LeasedMeans): typeof createFetcher {
  return (options: FetcherOptions = {}) => createFetcher({ resolve: hosts.resolve, ...options, mayWrite: mayGoOn });
}

const defaultRestMs = 15_000;

/** How long an address rests after a visit: whoever visits it next does not know how many requests of its turn were made. */
export function restOfAddress({ restMs = defaultRestMs, loopbackRests }: PolitenessOptions, address: string): number {
  return isLoopbackAddress(address) && loopbackRests !== true ? 0 : restMs;
}
