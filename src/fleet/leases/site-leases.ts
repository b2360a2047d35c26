import type { FleetOutlook, FleetStatus } from "./fleet-status.ts";

/** A site that a worker holds until its lease ends. */
export interface SiteLease {
  readonly site: number;
  /** Such as `https://example.org`. */
  readonly origin: string;
  /** Fencing token: it grows by one with each claim of the site, and what is committed under an older one is refused. */
  readonly epoch: number;
  /** The address under which the site is known, which no other worker visits meanwhile; undefined before the first visit. */
  readonly address: string | undefined;
  /** How the site was found, as text that only workers read; empty for a site of a list. */
  readonly note: string;
  /** A whole number from 0 to 255. */
  readonly priority: number;
  /** Schema version of the site's state (0 where there is none), and its size in blocks. */
  readonly stateVersion: number;
  readonly stateBlocks: number;
  /** The epoch under which the state was last committed: a worker whose copy has it needs not read the state again. */
  readonly stateEpoch: number;
}

/** A block of the file of a site's state. */
export interface StateBlock {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** A page as a fleet's database lists it, for whoever queries it. */
export interface FleetPage {
  /** Path and query. */
  readonly path: string;
  readonly size: number;
  readonly digest: string;
  /** Seconds since 1970. */
  readonly modified: number;
  readonly mediaType: string;
  /** Seconds since 1970. */
  readonly fetched: number;
}

/** Something that happened to a page, in the order in which it was seen. */
export interface FleetEvent {
  readonly path: string;
  readonly kind: "created" | "updated" | "deleted";
  /** Seconds since 1970. */
  readonly at: number;
}

/** A URL of a site that links led to. */
export interface HandedUrl {
  readonly origin: string;
  readonly path: string;
  /** How it was found, as text that only workers read. */
  readonly note: string;
  /** The greater, the sooner. As a site's priority it is rounded to a whole number from 0 to 255. */
  readonly priority: number;
}

/** When a site and its address may be visited next, in milliseconds from now: clocks of workers are not believed. */
export interface NextVisit {
  /** Infinity: never again, until a URL of it is handed on that was not before; after a commit also for URLs that wait. */
  readonly siteMs: number;
  /** The rest of the address; one that was agreed on before and ends later stays. */
  readonly addressMs: number;
  /** The greater, the sooner: rounded to a whole number from 0 to 255. */
  readonly priority: number;
}

/** What a visit came to: all of it is committed, or nothing. */
export interface SiteResults {
  readonly state:
    | { readonly version: number; readonly blocks: number; readonly changed: readonly StateBlock[] }
    | undefined;
  /** Pages that are new or changed, and paths of those that are held no longer. */
  readonly pages: readonly FleetPage[];
  readonly gone: readonly string[];
  readonly events: readonly FleetEvent[];
  /**
   * URLs of other sites; unknown sites are added. A site that was never to be visited again becomes due. Others are visited at their time:
   * a site that rests, or that does not answer, has no visit sooner because links lead to it.
   */
  readonly found: readonly HandedUrl[];
  /** Handed URLs that were taken into the state, by the ids of {@link FleetStates.read}: they are dropped. */
  readonly taken: readonly number[];
  /** The visit's summary, as JSON; undefined where the visit goes on. */
  readonly visit: string | undefined;
  /** Gives the site back with it, after the rest of its address instead of never if more URLs wait for it. Undefined: the lease goes on. */
  readonly next: NextVisit | undefined;
}

/** Sites of a crawl, leased to workers. One conformance suite for all implementations. */
export interface SiteLeases {
  /** How long a lease lasts after its claim, or its renewal, was sent. The worker measures it with a monotonic clock. */
  readonly leaseMs: number;
  /**
   * Leases due sites, those of the highest priority first: at most one worker holds a site, or an address. No two sites of one address
   * are claimed, also not by one worker.
   * A site's next visit is set at the claim, to the end of the lease and a delay, so that a crash delays a site and never frees it.
   */
  claim(atMost: number): Promise<readonly SiteLease[]>;
  /**
   * Prolongs leases. With an address that differs from the lease's, the site moves to it, if no other worker holds it or it rests.
   * @returns the leases that are still held; the others are lost, or released because another worker holds the address
   */
  renew(leases: readonly SiteLease[], addresses?: ReadonlyMap<number, string>): Promise<readonly SiteLease[]>;
  /** Stores what a visit came to, if the lease is held. @returns false if it is lost: nothing was stored */
  commit(lease: SiteLease, results: SiteResults): Promise<boolean>;
  /** Gives a site back without results. @returns false if the lease is lost */
  release(lease: SiteLease, next: NextVisit): Promise<boolean>;
  /** Frees leases that ended: of workers that died. @returns how many */
  reap(): Promise<number>;
}

/** A site that is added to a crawl. */
export interface AddedSite {
  readonly origin: string;
  readonly note: string;
  readonly priority: number;
  /** A URL that waits for the site. */
  readonly path?: string;
}

/** What a worker reads of a leased site. */
export interface SiteReading {
  /** The blocks of its state, in order. */
  readonly blocks: readonly StateBlock[];
  /** URLs that wait for it, the first to take first. */
  readonly handed: ReadonlyArray<Omit<HandedUrl, "origin"> & { readonly id: number }>;
}

/** What workers read besides, and what is not leased. */
export interface FleetStates {
  /** Reads the state of a leased site and the URLs that wait for it. Undefined: the lease is lost. */
  read(
    lease: SiteLease,
    options: { readonly withState: boolean; readonly handedAtMost: number },
  ): Promise<SiteReading | undefined>;
  /** Adds sites, or changes the priority of those that are there; with a path, also a URL that waits for the site. In batches. */
  addSites(sites: readonly AddedSite[]): Promise<void>;
  outlook(): Promise<FleetOutlook>;
  /** Milliseconds since 1970 by the database's clock. */
  now(): Promise<number>;
}

/** What a worker is told. */
export interface WorkerOrders {
  /** The whole fleet claims nothing. */
  readonly isPaused: boolean;
  /** The worker is to claim nothing more, and to end. */
  readonly isDraining: boolean;
}

/** What the workers of a fleet tell, and what they are told. */
export interface FleetControl {
  /** The name of the crawl, which no other has: lower-case letters and digits. */
  identity(): Promise<string>;
  /** Says that the worker is there, and how it does: JSON for whoever watches the fleet. */
  report(metrics: Readonly<Record<string, unknown>>): Promise<WorkerOrders>;
  /** While it is paused, nobody claims. */
  pause(isPaused: boolean): Promise<void>;
  /** Lets a worker claim nothing more. @returns false if no worker has this name */
  drain(worker: string): Promise<boolean>;
  /** How the fleet and its workers do. */
  status(): Promise<FleetStatus>;
}

/** The database of a fleet. */
export interface Fleet extends SiteLeases, FleetStates, FleetControl, AsyncDisposable {}
