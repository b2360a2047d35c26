import { type BusyAddress, type DueSite, parkedMs, planClaim } from "./crowded-addresses.ts";
import type { EmbeddedDatabase } from "./embedded-database.ts";
import { neverMs } from "./embedded-schema.ts";

// A due site is one whose time has come: while it is leased, its time lies behind the lease.
export function listDue(
  database: EmbeddedDatabase,
  atMost: number,
  stateVersion: number,
  seen: Set<number>,
  now: number,
): DueSite[] {
  const due: DueSite[] = [];
  for (let below = neverMs; due.length < atMost; ) {
    const next = database.first<{ priority: number | null }>(
      "SELECT max(priority) AS priority FROM site WHERE priority < ?",
      below,
    );
    if (typeof next?.priority !== "number") break;
    below = next.priority;
    const rows = database.list<DueSite>(
      `SELECT id AS site, owner, address FROM site WHERE priority = ? AND next_at <= ? AND state_version <= ?
         ORDER BY next_at LIMIT ?`,
      below,
      now,
      stateVersion,
      atMost + seen.size,
    );
    due.push(...rows.filter(({ site }) => !seen.has(site)));
  }
  const listed = due.slice(0, atMost);
  for (const { site } of listed) seen.add(site);
  return listed;
}

/** Takes those of due sites whose address is free; others become due, or are woken, when it is. */
export function chooseByAddress(
  database: EmbeddedDatabase,
  due: readonly DueSite[],
  chosen: readonly DueSite[],
  atMost: number,
  now: number,
): DueSite[] {
  const locked = new Set(due.flatMap(({ address }) => address ?? []));
  const busy = new Map(
    [...locked].flatMap((address) => {
      const found = findBusy(database, address, "", now);
      return found === undefined ? [] : [[address, found] as const];
    }),
  );
  const claimed = new Set(chosen.flatMap(({ address }) => address ?? []));
  const { taken, postponed, parked } = planClaim(due, { atMost, locked, busy, claimed });
  for (const { site, until } of postponed)
    database.run("UPDATE site SET next_at = ?, owner = NULL, lease_until = NULL WHERE id = ?", until, site);
  for (const { site } of parked)
    database.run(
      "UPDATE site SET is_parked = 1, owner = NULL, lease_until = NULL, next_at = ? WHERE id = ?",
      now + Math.floor(parkedMs * Math.random()),
      site,
    );
  return taken;
}

export function findBusy(
  database: EmbeddedDatabase,
  address: string,
  worker: string,
  now: number,
): BusyAddress<number> | undefined {
  const row = database.first<{ until: number | null; is_held: number }>(
    `SELECT max(until) AS until, max(is_held) AS is_held FROM (
         SELECT free_at AS until, 0 AS is_held FROM address WHERE name = ? AND free_at > ?
         UNION ALL
         SELECT next_at, 1 FROM site WHERE address = ? AND owner IS NOT NULL AND owner <> ? AND next_at > ?)`,
    address,
    now,
    address,
    worker,
    now,
  );
  return typeof row?.until === "number" ? { until: row.until, isHeld: row.is_held === 1 } : undefined;
}

export function freeAddress(database: EmbeddedDatabase, address: string, at: number): void {
  database.run(
    "INSERT INTO address (name, free_at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET free_at = max(free_at, excluded.free_at)",
    address,
    at,
  );
  wake(database, address);
}

/** Lets one site that waits for an address become due when it is free. */
export function wake(database: EmbeddedDatabase, address: string): void {
  database.run(
    `UPDATE site SET is_parked = 0, next_at = (SELECT free_at FROM address WHERE name = site.address) WHERE id = (
         SELECT id FROM site WHERE address = ? AND is_parked ORDER BY priority DESC, next_at LIMIT 1)`,
    address,
  );
}
