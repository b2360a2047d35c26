import type { EmbeddedDatabase } from "./embedded-database.ts";
import { neverMs } from "./embedded-schema.ts";
import { type FleetStatus, mostWorkers, readCounts, type WorkerStatus } from "./fleet-status.ts";

type SiteCounts = Pick<FleetStatus, "due" | "waiting" | "held" | "ended">;

/** Counts sites by what they wait for. */
export function countSites(database: EmbeddedDatabase, now: number): SiteCounts {
  const row = database.first<SiteCounts>(
    `WITH of AS (
       SELECT owner IS NOT NULL AS is_held, next_at < ? AS is_awaited,
         is_parked OR next_at <= max(?, coalesce(free_at, 0)) AS is_due
       FROM site LEFT JOIN address ON name = site.address)
     SELECT count(*) FILTER (WHERE is_due AND NOT is_held) AS due,
       count(*) FILTER (WHERE is_awaited AND NOT is_due AND NOT is_held) AS waiting,
       count(*) FILTER (WHERE is_held) AS held,
       count(*) FILTER (WHERE NOT is_awaited AND NOT is_held) AS ended FROM of`,
    neverMs,
    now,
  );
  const { due = 0, waiting = 0, held = 0, ended = 0 } = row ?? {};
  return { due, waiting, held, ended };
}

/** Reads how a fleet does, within a transaction. */
export function readStatus(database: EmbeddedDatabase, now: number): FleetStatus {
  const workers = database.list<Omit<WorkerStatus, "counts" | "isDraining"> & { metrics: string; is_draining: number }>(
    `SELECT id AS name, host, version, started AS startedMs, seen AS seenMs, is_draining, lost_leases AS lostLeases, metrics,
       coalesce(held, 0) AS held
     FROM worker LEFT JOIN (
       SELECT owner, count(*) AS held FROM site WHERE owner IS NOT NULL GROUP BY owner) ON owner = id
     ORDER BY seen DESC, id LIMIT ${mostWorkers}`,
  );
  const count = (sql: string): number => database.first<{ count: number }>(sql)?.count ?? 0;
  return {
    nowMs: now,
    isPaused: count("SELECT is_paused AS count FROM fleet") === 1,
    ...countSites(database, now),
    pages: count("SELECT count(*) AS count FROM page"),
    handedUrls: count("SELECT count(*) AS count FROM handed_url"),
    areEstimates: false,
    workers: workers.map(({ metrics, is_draining, ...worker }) => ({
      ...worker,
      isDraining: is_draining === 1,
      counts: readCounts(metrics),
    })),
  };
}
