import { boundHanded, boundInteger, boundPriority, boundText, boundWait, handedBound } from "./bounds.ts";
import type { EmbeddedDatabase } from "./embedded-database.ts";
import { endOfWait, neverMs } from "./embedded-schema.ts";
import type { HandedUrl, SiteLease, SiteResults } from "./site-leases.ts";

/** Stores what a visit came to, within a transaction. */
export function storeResults(
  database: EmbeddedDatabase,
  { site, epoch }: SiteLease,
  worker: string,
  { state, pages, gone, events, found, taken, visit, next }: SiteResults,
  now: number,
): void {
  if (state !== undefined) {
    database.run(
      "UPDATE site SET state_version = ?, state_blocks = ?, state_epoch = ? WHERE id = ?",
      state.version,
      state.blocks,
      epoch,
      site,
    );
    database.run("DELETE FROM site_state WHERE site = ? AND number >= ?", site, state.blocks);
    for (const { number, bytes } of state.changed)
      database.run("INSERT OR REPLACE INTO site_state (site, number, bytes) VALUES (?, ?, ?)", site, number, bytes);
  }
  for (const path of gone) database.run("DELETE FROM page WHERE site = ? AND path = ?", site, boundText(path));
  for (const { path, size, digest, modified, mediaType, fetched } of pages)
    database.run(
      "INSERT OR REPLACE INTO page (site, path, size, digest, modified, media_type, fetched) VALUES (?, ?, ?, ?, ?, ?, ?)",
      site,
      boundText(path),
      boundInteger(size),
      boundText(digest),
      boundInteger(modified),
      boundText(mediaType),
      boundInteger(fetched),
    );
  for (const { path, kind, at } of events)
    database.run(
      "INSERT INTO web_event (site, path, kind, at) VALUES (?, ?, ?, ?)",
      site,
      boundText(path),
      kind,
      boundInteger(at),
    );
  for (const id of taken) database.run("DELETE FROM handed_url WHERE site = ? AND id = ?", site, id);
  if (visit !== undefined)
    database.run(
      "INSERT INTO visit (site, epoch, worker, at, summary) VALUES (?, ?, ?, ?, ?)",
      site,
      epoch,
      worker,
      now,
      visit,
    );
  handUrls(database, found, now);
  if (next !== undefined)
    database.run(
      "UPDATE site SET next_at = ? WHERE id = ? AND next_at = ? AND EXISTS (SELECT 1 FROM handed_url WHERE handed_url.site = site.id)",
      endOfWait(now, boundWait(next.addressMs)),
      site,
      neverMs,
    );
}

/** Adds URLs of other sites, unless their pages are stored, and the sites that are not known yet. */
export function handUrls(database: EmbeddedDatabase, found: readonly HandedUrl[], now: number): void {
  const rooms = new Map<number, number>();
  const urls = boundHanded(found).sort((a, b) => b.priority - a.priority);
  for (const { origin, path, note, priority } of urls) {
    database.run(
      "INSERT INTO site (origin, note, priority, next_at) SELECT ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM site WHERE origin = ?)",
      origin,
      note,
      boundPriority(priority),
      now,
      origin,
    );
    const site = database.first<{ id: number }>("SELECT id FROM site WHERE origin = ?", origin)?.id ?? 0;
    const room = rooms.get(site) ?? countRoom(database, site);
    const added =
      room > 0 &&
      database.run(
        `INSERT INTO handed_url (site, path, note, priority) SELECT ?1, ?2, ?3, ?4
           WHERE NOT EXISTS (SELECT 1 FROM page WHERE site = ?1 AND path = ?2) ON CONFLICT DO NOTHING`,
        site,
        path,
        note,
        priority,
      ) > 0;
    rooms.set(site, room - Number(added));
    if (added)
      database.run(
        "UPDATE site SET next_at = ? WHERE id = ? AND next_at = ? AND owner IS NULL AND NOT is_parked",
        now,
        site,
        neverMs,
      );
  }
}

export function countRoom(database: EmbeddedDatabase, site: number): number {
  const there = database.first<{ count: number }>("SELECT count(*) AS count FROM handed_url WHERE site = ?", site);
  return handedBound - (there?.count ?? 0);
}

/** Drops the oldest visits and events, a batch of each, and workers, that the fleet does not keep any more. */
export function dropHistory(database: EmbeddedDatabase, now: number): void {
  const days = database.first<{ days: number }>("SELECT history_days AS days FROM fleet")?.days ?? 0;
  const beginMs = now - days * 86_400_000;
  database.run("DELETE FROM worker WHERE seen < ?", beginMs);
  database.run(
    "DELETE FROM visit WHERE id IN (SELECT id FROM (SELECT id, at FROM visit ORDER BY id LIMIT 1000) WHERE at < ?)",
    beginMs,
  );
  database.run(
    "DELETE FROM web_event WHERE id IN (SELECT id FROM (SELECT id, at FROM web_event ORDER BY id LIMIT 1000) WHERE at < ?)",
    Math.floor(beginMs / 1000),
  );
}
