import type { Sql } from "postgres";
import { type BusyAddress, type DueSite, parkedMs, planClaim } from "./crowded-addresses.ts";
import { batchSize } from "./postgres-sql.ts";

/**
 * Lists due sites in order, and locks them. A due site is one whose time has come: while it is leased, its time lies behind the lease.
 *
 * @param seen - sites that were listed already
 */
export async function listDue(
  sql: Sql,
  {
    worker,
    stateVersion,
    atMost,
    seen,
  }: {
    readonly worker: string;
    readonly stateVersion: number;
    readonly atMost: number;
    readonly seen: readonly number[];
  },
): Promise<DueSite[]> {
  const wanted = Math.min(batchSize, 2 * atMost);
  const rows = await sql<{ site: string; owner: string | null; address: string | null }[]>`
      WITH RECURSIVE class AS (
        (SELECT priority FROM site ORDER BY priority DESC LIMIT 1)
        UNION ALL
        SELECT (SELECT s.priority FROM site s WHERE s.priority < class.priority ORDER BY s.priority DESC LIMIT 1)
        FROM class WHERE class.priority IS NOT NULL)
      SELECT due.* FROM class CROSS JOIN LATERAL (
        SELECT id AS site, owner, address FROM site
        WHERE site.priority = class.priority AND next_at <= now() AND state_version <= ${stateVersion}
          AND NOT (id = ANY(${[...seen]}::bigint[]))
        ORDER BY next_at LIMIT ${wanted} FOR UPDATE SKIP LOCKED) AS due
      WHERE NOT (SELECT is_paused FROM fleet)
        AND NOT EXISTS (SELECT FROM worker WHERE id = ${worker} AND is_draining)
      LIMIT ${wanted}`;
  return rows.map((row) => ({ ...row, site: Number(row.site) }));
}

/** Locks addresses, also those that nobody knows yet. @returns until when those are held by others, or rest */
export async function lockAddresses(
  sql: Sql,
  addresses: readonly string[],
  worker: string,
): Promise<ReadonlyMap<string, BusyAddress<string>>> {
  if (addresses.length === 0) return new Map();
  const names = [...new Set(addresses)].sort();
  await sql`INSERT INTO address (name) SELECT unnest(${names}::text[]) ORDER BY 1 ON CONFLICT DO NOTHING`;
  await sql`SELECT FROM address WHERE name = ANY(${names}) ORDER BY name FOR UPDATE`;
  return await listBusyUntil(sql, names, worker);
}

/** Takes those of due sites whose address is free; others become due, or are woken, when it is. Leases of those that died end. */
export async function chooseByAddress(
  sql: Sql,
  due: readonly DueSite[],
  chosen: readonly DueSite[],
  atMost: number,
): Promise<DueSite[]> {
  const names = [...new Set(due.flatMap(({ address }) => address ?? []))].sort();
  if (names.length === 0) return due.slice(0, atMost);
  const rows = await sql<{ name: string }[]>`
    SELECT name FROM address WHERE name = ANY(${names}) ORDER BY name FOR UPDATE SKIP LOCKED`;
  const locked = new Set(rows.map(({ name }) => name));
  // By a statement of its own: it sees what was committed before the locks were got.
  const busy = await listBusyUntil(sql, [...locked], "");
  const claimed = new Set(chosen.flatMap(({ address }) => address ?? []));
  const { taken, postponed, parked } = planClaim(due, { atMost, locked, busy, claimed });
  if (postponed.length > 0)
    await sql`UPDATE site SET next_at = late.until, owner = NULL, lease_until = NULL
      FROM unnest(${postponed.map(({ site }) => site)}::bigint[], ${postponed.map(({ until }) => until)}::timestamptz[])
        AS late (site, until) WHERE id = late.site`;
  if (parked.length > 0)
    await sql`UPDATE site SET is_parked = true, owner = NULL, lease_until = NULL, next_at = now() + random() * ${parkedMs}::double precision * interval '1 millisecond'
      WHERE id = ANY(${parked.map(({ site }) => site)}::bigint[])`;
  return taken;
}

/**
 * Lets one site that waits for an address become due, for each address that was given back. A site that another transaction has locked is
 * waited for: nobody else would wake it.
 */
export async function wake(sql: Sql, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  await sql`
    UPDATE site SET is_parked = false, next_at = woken.free_at FROM (
      SELECT next.id, address.free_at FROM address CROSS JOIN LATERAL (
        SELECT id FROM site WHERE site.address = address.name AND is_parked
        ORDER BY priority DESC, next_at LIMIT 1 FOR UPDATE) AS next
      WHERE address.name = ANY(${[...addresses]})) AS woken
    WHERE site.id = woken.id`;
}

async function listBusyUntil(
  sql: Sql,
  names: readonly string[],
  worker: string,
): Promise<Map<string, BusyAddress<string>>> {
  const rows = await sql<{ name: string; until: string; is_held: boolean }[]>`
    SELECT name, max(until)::text AS until, bool_or(is_held) AS is_held FROM (
      SELECT name, free_at AS until, false AS is_held FROM address WHERE name = ANY(${[...names]}) AND free_at > now()
      UNION ALL
      SELECT address, next_at, true FROM site
      WHERE address = ANY(${[...names]}) AND owner IS NOT NULL AND owner <> ${worker} AND next_at > now()) AS busy
    GROUP BY name`;
  return new Map(rows.map(({ name, until, is_held }) => [name, { until, isHeld: is_held }]));
}

/** Leases that ended, and that nobody reaped. */
export async function countLost(sql: Sql, chosen: readonly DueSite[]): Promise<void> {
  const owners = chosen.flatMap(({ owner }) => (owner === null ? [] : [owner]));
  if (owners.length === 0) return;
  await sql`UPDATE worker SET lost_leases = lost_leases + count
    FROM (SELECT owner, count(*) AS count FROM unnest(${owners}::text[]) AS owner GROUP BY owner) AS of WHERE of.owner = id`;
}
