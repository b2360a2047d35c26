import type { Sql } from "postgres";
import { type FleetStatus, mostWorkers, readCounts, type WorkerStatus } from "./fleet-status.ts";

/** From this size on rows are not counted. */
const mostCounted = 1_000_000;

interface SiteCounts {
  readonly due: number;
  readonly waiting: number;
  readonly held: number;
  readonly ended: number;
}

/** Counts sites by what they wait for, over one snapshot: those that were handed URLs and are not due yet count as due. */
export async function countSites(sql: Sql): Promise<SiteCounts> {
  const [row] = await sql<SiteCounts[]>`
    WITH of AS (
      SELECT owner IS NOT NULL AS is_held, next_at < 'infinity' AS is_awaited,
        is_parked OR next_at <= greatest(now(), free_at) AS is_due
      FROM site LEFT JOIN address ON name = site.address)
    SELECT (count(*) FILTER (WHERE is_due AND NOT is_held) + (SELECT count(*) FROM handed_site))::integer AS due,
      (count(*) FILTER (WHERE is_awaited AND NOT is_due AND NOT is_held))::integer AS waiting,
      (count(*) FILTER (WHERE is_held))::integer AS held,
      (count(*) FILTER (WHERE NOT is_awaited AND NOT is_held))::integer AS ended FROM of`;
  return row ?? { due: 0, waiting: 0, held: 0, ended: 0 };
}

async function countRows(sql: Sql, table: "page" | "handed_url"): Promise<{ count: number; isEstimate: boolean }> {
  const [about] = await sql<{ rows: number }[]>`
    SELECT reltuples::double precision AS rows FROM pg_class WHERE oid = ${table}::regclass`;
  const estimate = about?.rows ?? 0;
  if (estimate > mostCounted) return { count: Math.round(estimate), isEstimate: true };
  const [row] = await sql<{ rows: number }[]>`SELECT count(*)::double precision AS rows FROM ${sql(table)}`;
  return { count: row?.rows ?? 0, isEstimate: false };
}

async function listWorkers(sql: Sql): Promise<WorkerStatus[]> {
  const rows = await sql<(Omit<WorkerStatus, "counts"> & { metrics: string })[]>`
    SELECT id AS name, host, version, extract(epoch FROM started)::double precision * 1000 AS "startedMs",
      extract(epoch FROM seen)::double precision * 1000 AS "seenMs", is_draining AS "isDraining",
      lost_leases::double precision AS "lostLeases", metrics::text AS metrics,
      coalesce(held, 0) AS held
    FROM worker LEFT JOIN (
      SELECT owner, count(*)::integer AS held FROM site WHERE owner IS NOT NULL GROUP BY owner) AS of ON owner = id
    ORDER BY seen DESC, id LIMIT ${mostWorkers}`;
  return rows.map(({ metrics, ...worker }) => ({
    ...worker,
    startedMs: Math.floor(worker.startedMs),
    seenMs: Math.floor(worker.seenMs),
    counts: readCounts(metrics),
  }));
}

/** Reads how a fleet does, over one snapshot. */
export async function readStatus(sql: Sql): Promise<FleetStatus> {
  const [fleet] = await sql<{ isPaused: boolean; nowMs: number }[]>`
    SELECT is_paused AS "isPaused", extract(epoch FROM clock_timestamp())::double precision * 1000 AS "nowMs" FROM fleet`;
  const sites = await countSites(sql);
  const pages = await countRows(sql, "page");
  const handed = await countRows(sql, "handed_url");
  return {
    nowMs: Math.floor(fleet?.nowMs ?? 0),
    isPaused: fleet?.isPaused ?? false,
    ...sites,
    pages: pages.count,
    handedUrls: handed.count,
    areEstimates: pages.isEstimate || handed.isEstimate,
    workers: await listWorkers(sql),
  };
}
