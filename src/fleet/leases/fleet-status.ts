import type { EpochMs } from "../../core/index.ts";

/** How far a crawl is. */
export interface FleetOutlook {
  /** Sites that are due, also those whose address is held or rests. */
  readonly due: number;
  /** Sites that are due at a later time. */
  readonly waiting: number;
  readonly held: number;
}

/** How a worker does, by the database. */
export interface WorkerStatus {
  readonly name: string;
  readonly host: string;
  readonly version: string;
  readonly startedMs: EpochMs;
  /** When it last reported. */
  readonly seenMs: EpochMs;
  readonly isDraining: boolean;
  /** Sites that it holds. */
  readonly held: number;
  /** Leases that ended before it gave the site back. */
  readonly lostLeases: number;
  /** Numbers that it reported, by their names. */
  readonly counts: Readonly<Record<string, number>>;
}

/** How a fleet does. */
export interface FleetStatus extends FleetOutlook {
  /** By the database's clock. */
  readonly nowMs: EpochMs;
  readonly isPaused: boolean;
  /** Sites that are never to be visited again, unless a URL is handed to them. */
  readonly ended: number;
  readonly pages: number;
  readonly handedUrls: number;
  /** Whether pages and handed URLs are estimates, as those of large tables are. */
  readonly areEstimates: boolean;
  /** The last that reported first; at most {@link mostWorkers}. */
  readonly workers: readonly WorkerStatus[];
}

/** Workers of a status at most. */
export const mostWorkers = 1000;

const mostCounts = 50;

/** The numbers among what a worker reported, whatever that is. */
export function readCounts(metrics: string): Record<string, number> {
  let given: unknown;
  try {
    given = JSON.parse(metrics);
  } catch {
    return {};
  }
  const entries = Object.entries(given ?? {}).filter(
    ([name, value]) => /^[a-z][a-zA-Z]{0,40}$/.test(name) && typeof value === "number" && Number.isFinite(value),
  );
  return Object.fromEntries(entries.slice(0, mostCounts));
}
