/** How a crawl takes part in a fleet. */
export interface FleetArguments {
  /** `postgres://...`, or a file. */
  readonly fleet: string;
  readonly worker?: string;
  readonly leaseMs?: number;
  readonly nameServers?: readonly string[];
  readonly lookups?: number;
}

/** The options of a worker, as they are read, and what excludes them. */
interface FleetOptionsRead {
  readonly fleet?: string;
  readonly worker?: string;
  readonly leaseMs?: number;
}

interface CrawlRead {
  readonly sitesFile?: string | undefined;
  readonly seedsFile?: string | undefined;
  readonly isForever?: boolean | undefined;
  readonly into?: string | undefined;
  readonly stateFile?: string | undefined;
  readonly listen?: unknown;
  readonly order?: string | undefined;
  readonly maxTotal?: number | undefined;
  readonly hasExchange: boolean;
}

const leastLeaseMs = 1000;

/** @returns undefined if the crawl is one of this machine alone */
export function planFleet(
  { fleet, ...own }: FleetOptionsRead,
  { sitesFile, seedsFile, isForever, into, stateFile, listen, order, maxTotal, hasExchange }: CrawlRead,
  fail: (message: string) => never,
): FleetArguments | undefined {
  if (fleet === undefined) {
    if (own.worker !== undefined) fail("--worker needs --fleet.");
    return own.leaseMs === undefined ? undefined : fail("--lease needs --fleet.");
  }
  if (own.leaseMs !== undefined && own.leaseMs < leastLeaseMs) fail("--lease is at least a second.");
  if (sitesFile === undefined && seedsFile === undefined) fail("--fleet needs --sites or --web.");
  if (into === undefined) fail("--into is missing.");
  if (stateFile !== undefined) fail("--fleet and --state exclude each other: the fleet's database has the states.");
  if (listen !== undefined) fail("--fleet and --listen exclude each other: see `tidemark fleet status --help`.");
  if (hasExchange) fail("--fleet and options of other crawlers exclude each other.");
  if (seedsFile !== undefined && isForever === true)
    fail("--fleet and --web visit each page once: leave out --forever.");
  if (seedsFile !== undefined && order !== undefined && order !== "depth")
    fail("--fleet and --web have the order depth only.");
  if (maxTotal !== undefined) fail("--fleet and --max-total exclude each other: no worker knows the pages of all.");
  return { fleet, ...own };
}
