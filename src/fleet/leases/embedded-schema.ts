/** A time that never comes. */
export const neverMs: number = Number.MAX_SAFE_INTEGER;

/** When a wait ends, rounded up: `now` was rounded down. */
export function endOfWait(now: number, waitMs: number | undefined): number {
  if (waitMs === undefined) return neverMs;
  return waitMs === 0 ? now : now + waitMs + 1;
}

/** What each version of the schema adds to the one before, as in PostgreSQL. Times are milliseconds since 1970. */
export const embeddedVersions: readonly string[] = [
  `CREATE TABLE fleet (identity TEXT NOT NULL, is_paused INTEGER NOT NULL DEFAULT 0);
   INSERT INTO fleet (identity) VALUES (lower(hex(randomblob(16))));
   CREATE TABLE worker (
     id TEXT PRIMARY KEY, host TEXT NOT NULL, version TEXT NOT NULL, started INTEGER NOT NULL, seen INTEGER NOT NULL,
     is_draining INTEGER NOT NULL DEFAULT 0, lost_leases INTEGER NOT NULL DEFAULT 0, metrics TEXT NOT NULL DEFAULT '{}');
   CREATE TABLE site (
     id INTEGER PRIMARY KEY AUTOINCREMENT, origin TEXT NOT NULL UNIQUE, note TEXT NOT NULL, next_at INTEGER NOT NULL,
     lease_until INTEGER, epoch INTEGER NOT NULL DEFAULT 0, state_epoch INTEGER NOT NULL DEFAULT 0, priority INTEGER NOT NULL,
     state_version INTEGER NOT NULL DEFAULT 0, state_blocks INTEGER NOT NULL DEFAULT 0, owner TEXT, address TEXT,
     is_parked INTEGER NOT NULL DEFAULT 0);
   CREATE INDEX site_due ON site (priority, next_at, state_version);
   CREATE INDEX site_held ON site (lease_until) WHERE owner IS NOT NULL;
   CREATE INDEX site_held_address ON site (address) WHERE owner IS NOT NULL;
   CREATE INDEX site_parked ON site (address, priority DESC, next_at) WHERE is_parked;
   CREATE TABLE address (name TEXT PRIMARY KEY, free_at INTEGER NOT NULL) WITHOUT ROWID;
   CREATE TABLE site_state (site INTEGER NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (site, number));
   CREATE TABLE page (
     site INTEGER NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, digest TEXT NOT NULL, modified INTEGER NOT NULL,
     media_type TEXT NOT NULL, fetched INTEGER NOT NULL, PRIMARY KEY (site, path)) WITHOUT ROWID;
   CREATE TABLE web_event (
     id INTEGER PRIMARY KEY, site INTEGER NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL);
   CREATE TABLE visit (
     id INTEGER PRIMARY KEY, site INTEGER NOT NULL, epoch INTEGER NOT NULL, worker TEXT NOT NULL, at INTEGER NOT NULL,
     summary TEXT NOT NULL CHECK (json_valid(summary)));
   CREATE TABLE handed_url (
     id INTEGER PRIMARY KEY AUTOINCREMENT, site INTEGER NOT NULL, path TEXT NOT NULL, note TEXT NOT NULL,
     priority REAL NOT NULL, UNIQUE (site, path));
   CREATE INDEX handed_url_order ON handed_url (site, priority DESC, id);`,
  `ALTER TABLE fleet ADD COLUMN needs_version INTEGER NOT NULL DEFAULT 1;
   ALTER TABLE fleet ADD COLUMN history_days INTEGER NOT NULL DEFAULT 400;`,
];
