import type { DeletionReason, EpochSeconds, SeenChange } from "../../core/index.ts";
import { parseContentUsage } from "../../formats/usage/index.ts";
import { type Connection, prepareStatement, type Statement } from "../sqlite/database.ts";

const sql = {
  // Bodies that are equal to what is held are no change. A page keeps the number under which it was born until it goes.
  keep: `INSERT OR REPLACE INTO seen_change (site, path, born, is_deleted, at, reason)
    SELECT ?1, j.value ->> 0, coalesce(s.born, 0), 0, ?3, NULL FROM json_each(?2) j
    LEFT JOIN url p ON p.site = ?1 AND p.path = j.value ->> 0
    LEFT JOIN seen_change s ON s.site = ?1 AND s.path = j.value ->> 0 AND s.is_deleted = 0
    WHERE p.digest IS NULL OR p.digest <> j.value ->> 1 OR p.size <> j.value ->> 2`,
  // A page that is noted alone is born with the next number.
  keepOne: `INSERT OR REPLACE INTO seen_change (site, path, born, is_deleted, at, reason) VALUES (?1, ?2,
    coalesce((SELECT born FROM seen_change WHERE site = ?1 AND path = ?2 AND is_deleted = 0),
      1 + (SELECT seq FROM sqlite_sequence WHERE name = 'seen_change'), 1), 0, ?3, NULL)`,
  // CROSS: else SQLite goes through all pages of the site, and for each of them through the whole batch.
  remove: `INSERT OR REPLACE INTO seen_change (site, path, born, is_deleted, at, reason)
    SELECT ?1, p.path, coalesce(s.born, 0), 1, ?3, j.value ->> 1 FROM json_each(?2) j
    CROSS JOIN url p ON p.site = ?1 AND p.path = j.value ->> 0 AND p.digest IS NOT NULL
    LEFT JOIN seen_change s ON s.site = ?1 AND s.path = j.value ->> 0`,
  // A body of which something else is stated is a change for those who heed that.
  restate: `INSERT OR REPLACE INTO seen_change (site, path, born, is_deleted, at, reason)
    SELECT ?1, p.path, coalesce(s.born, 0), 0, ?3, NULL FROM json_each(?2) j
    CROSS JOIN url p ON p.id = j.value ->> 0 AND +p.site = ?1 AND p.digest IS NOT NULL AND p.usage IS NOT j.value ->> 1
    LEFT JOIN seen_change s ON s.site = ?1 AND s.path = p.path AND s.is_deleted = 0`,
  bear: "UPDATE seen_change SET born = seq WHERE site = ?1 AND born = 0",
  read: `SELECT s.seq, site.origin, s.path, s.born, s.is_deleted, s.at, s.reason, p.size, p.digest, p.modified, p.media_type,
      p.usage
    FROM seen_change s JOIN site ON site.id = s.site LEFT JOIN url p ON p.site = s.site AND p.path = s.path
    WHERE s.seq > ?1 ORDER BY s.seq LIMIT ?2`,
  // What was answered since its last change, and is as it was then.
  checks: `SELECT u.id, site.origin, u.path, s.seq, s.born, u.asked, u.size, u.digest, u.modified, u.media_type
    FROM url u CROSS JOIN site ON site.id = u.site CROSS JOIN seen_change s ON s.site = u.site AND s.path = u.path
    WHERE u.id > ?1 AND u.asked > ?2 AND u.asked <= ?3 AND u.state = 'known' AND u.trouble IS NULL AND u.digest <> ''
      AND s.is_deleted = 0 AND s.at < u.asked ORDER BY u.id LIMIT ?4`,
} as const;

type Row = [
  number,
  string,
  string,
  number,
  number,
  number,
  DeletionReason | null,
  number | null,
  string | null,
  number | null,
  string | null,
  string | null,
];

/** A body that is kept from now on. */
export interface KeptBody {
  readonly path: string;
  readonly digest: string;
  readonly sizeBytes: number;
  /** What was held before. */
  readonly held: { readonly digest: string; readonly sizeBytes: number } | undefined;
}

/** A page that is removed from what is held. */
export interface RemovedPage {
  readonly path: string;
  readonly reason: DeletionReason;
}

/** What became of some pages. */
export interface SeenPages {
  readonly bodies: readonly KeptBody[];
  readonly removed: readonly RemovedPage[];
  /** Ids of URLs, and what is stated about their use from now on. */
  readonly usages: readonly (readonly [number, string | null, string | null])[];
}

/** Notes which pages of a site a crawler saw come, change and go. Called within a transaction, before pages are written. */
export class SeenChangeLog {
  readonly #site: number;
  readonly #keep: Statement;
  readonly #keepOne: Statement;
  readonly #remove: Statement;
  readonly #restate: Statement;
  readonly #bear: Statement;

  constructor(connection: Connection, site: number) {
    this.#site = site;
    this.#keep = prepareStatement(connection, sql.keep);
    this.#keepOne = prepareStatement(connection, sql.keepOne);
    this.#remove = prepareStatement(connection, sql.remove);
    this.#restate = prepareStatement(connection, sql.restate);
    this.#bear = prepareStatement(connection, sql.bear);
  }

  note({ bodies: kept, removed, usages }: SeenPages, at: EpochSeconds): void {
    let noted = 0;
    const [first] = kept;
    // One alone is compared here: in SQL that takes as long as to write it.
    if (first !== undefined && kept.length === 1) {
      const { path, digest, sizeBytes, held } = first;
      if (held?.digest !== digest || held.sizeBytes !== sizeBytes) this.#keepOne.run(this.#site, path, at);
    } else if (kept.length > 1) {
      const rows = kept.map(({ path, digest, sizeBytes }) => [path, digest, sizeBytes]);
      noted += this.#keep.run(this.#site, JSON.stringify(rows), at).changes;
    }
    if (removed.length > 0) {
      const rows = removed.map(({ path, reason }) => [path, reason]);
      noted += this.#remove.run(this.#site, JSON.stringify(rows), at).changes;
    }
    if (usages.length > 0) noted += this.#restate.run(this.#site, JSON.stringify(usages), at).changes;
    if (noted > 0) this.#bear.run(this.#site);
  }
}

/** A change with its place in the order in which they were seen. */
export interface NumberedChange {
  readonly number: number;
  readonly change: SeenChange;
}

/**
 * Reads what a crawler saw after a place in the order, each page once, as it is now. A page that came and went since
 * is passed over; one that went and came again is `created`.
 *
 * @param after - number of the last change that was read; 0 for all
 */
export function* readSeenChanges(connection: Connection, after: number): Generator<NumberedChange> {
  yield* readRows(connection, after, ([, , , born]) => born > after);
}

function* readRows(
  connection: Connection,
  after: number,
  isNew: (row: Row) => boolean,
): Generator<NumberedChange, void, void> {
  const read = prepareStatement(connection, sql.read);
  const atATime = 1000;
  for (let from = after; ; ) {
    const rows = read.all(from, atATime) as Row[];
    for (const row of rows) {
      const change = changeOf(row, isNew(row));
      from = row[0];
      if (change !== undefined) yield { number: row[0], change };
    }
    if (rows.length < atATime) return;
  }
}

/**
 * Reads what a crawler saw after a place in the order as events that do not depend on the place: a page is `created` if it
 * never changed since it came, and each deletion is told. Each page once, with its newest event.
 *
 * @param after - number of the last event that was read; 0 for all
 */
export function* readSeenEvents(connection: Connection, after: number): Generator<NumberedChange> {
  yield* readRows(connection, after, ([number, , , born, isDeleted]) => isDeleted === 0 && born === number);
}

type CheckRow = [
  id: number,
  site: string,
  path: string,
  number: number,
  born: number,
  asked: number,
  sizeBytes: number,
  digest: string,
  lastModified: number,
  mediaType: string,
];

/** A time, whose first second does not belong to it and whose last does. */
export interface CheckSpan {
  readonly from: EpochSeconds;
  readonly to: EpochSeconds;
}

/**
 * Reads which polled pages were found unchanged in a time: the newest event of each, as if it were seen then. A page that
 * was requested several times is given once. O(all URLs).
 */
export function* readSeenChecks(connection: Connection, { from, to }: CheckSpan): Generator<NumberedChange> {
  const read = prepareStatement(connection, sql.checks);
  const atATime = 1000;
  for (let after = 0; ; ) {
    const rows = read.all(after, from, to, atATime) as CheckRow[];
    for (const [id, site, path, number, born, at, sizeBytes, digest, lastModified, mediaType] of rows) {
      after = id;
      const page = { path, sizeBytes, digest, lastModified, mediaType };
      const kind = born === number ? "created" : "updated";
      yield { number, change: { site, path, kind, at, page, reason: undefined, usage: undefined } };
    }
    if (rows.length < atATime) return;
  }
}

/** The number of the last change that was seen; 0 if none was. */
export function readNewestNumber(connection: Connection): number {
  const row = prepareStatement(connection, "SELECT seq FROM sqlite_sequence WHERE name = 'seen_change'").get();
  return (row as [number] | undefined)?.[0] ?? 0;
}

/** The number after which everything was seen at or after a time. O(changes). */
export function findNumberBefore(connection: Connection, at: EpochSeconds): number {
  const row = prepareStatement(connection, "SELECT min(seq) FROM seen_change WHERE at >= ?").get(at);
  const [first] = row as [number | null];
  return first === null ? readNewestNumber(connection) : first - 1;
}

function changeOf(row: Row, isNew: boolean): SeenChange | undefined {
  const [, site, path, , isDeleted, at, reason, sizeBytes, digest, lastModified, mediaType, usage] = row;
  if (isDeleted === 1) {
    if (isNew) return undefined;
    return { site, path, kind: "deleted", at, page: undefined, reason: reason ?? undefined, usage: undefined };
  }
  const isHeld = sizeBytes !== null && digest !== null && lastModified !== null && mediaType !== null;
  // It is not held any more, although nobody saw it go: another choice of media types makes the crawler forget pages.
  if (!isHeld) return undefined;
  const stated = usage === null ? undefined : parseContentUsage(usage);
  const page = { path, sizeBytes, digest, lastModified, mediaType };
  return { site, path, kind: isNew ? "created" : "updated", at, page, reason: undefined, usage: stated };
}
