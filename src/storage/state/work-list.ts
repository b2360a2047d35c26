import type { EpochSeconds, FetchItem, PageTrouble, Settlement, WorkItem } from "../../core/index.ts";
import { type Connection, prepareStatement, type Statement } from "../sqlite/database.ts";
import { inDatabase } from "../sqlite/database-error.ts";
import type { LateWrites } from "../sqlite/late-writes.ts";
import type { CallbackMarks } from "./callback-marks.ts";
import { type RemovedPage, SeenChangeLog } from "./seen-changes.ts";
import type { SiteCounts } from "./site-counts.ts";
import { type SiteShared, validatorsOf } from "./site-memory.ts";

type FetchRow = [
  string,
  number | null,
  string | null,
  number,
  string,
  number | null,
  string | null,
  PageTrouble | null,
  number,
  number | null,
  string | null,
  string | null,
  string | null,
];

/** Of `work w` and `page p`, in the order of a row. */
const fetchColumns = `w.path, w.size, w.digest, w.modified, w.media_type, p.size, p.digest, w.trouble, w.strikes,
  p.modified, p.media_type, p.etag, p.http_modified`;

const isSameBody = "excluded.fetched IS NULL AND digest = excluded.digest AND size = excluded.size";

const sql = {
  fetches: `SELECT ${fetchColumns}
    FROM work w LEFT JOIN page p ON p.site = w.site AND p.path = w.path
    WHERE w.site = ?1 AND w.path > ?2 AND w.kind = 'fetch' AND w.state = 'due' ORDER BY w.path LIMIT ?3`,
  away: `SELECT ${fetchColumns}
    FROM work w INDEXED BY work_away LEFT JOIN page p ON p.site = w.site AND p.path = w.path
    WHERE w.site = ?1 AND w.kind = 'fetch' AND w.trouble = 'unavailable' AND w.state = 'due'
    ORDER BY w.strikes, w.path LIMIT ?2`,
  deletions: `SELECT w.path, p.path IS NOT NULL FROM work w LEFT JOIN page p ON p.site = w.site AND p.path = w.path
    WHERE w.site = ?1 AND w.path > ?2 AND w.kind = 'delete' ORDER BY w.path LIMIT ?3`,
  // The mark of what a reading listed is only read within that reading.
  // A body that did not come now, and is the one that was held, has the validators that it had.
  keep: `INSERT INTO page (site, path, size, digest, modified, media_type, etag, http_modified, fetched, seen)
    SELECT ?1, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, 0
    FROM json_each(?2) WHERE true
    ON CONFLICT DO UPDATE SET
      etag = iif(${isSameBody}, etag, excluded.etag), http_modified = iif(${isSameBody}, http_modified, excluded.http_modified),
      fetched = iif(${isSameBody}, fetched, excluded.fetched),
      size = excluded.size, digest = excluded.digest, modified = excluded.modified, media_type = excluded.media_type`,
  accept: `INSERT OR REPLACE INTO accepted (site, path, size, digest, modified)
    SELECT ?1, value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?2)`,
  endAcceptance: "DELETE FROM accepted WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2))",
  removePages: "DELETE FROM page WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2))",
  endWork: "DELETE FROM work WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2))",
  // LIMIT: else SQLite goes through all of the site's work, and for each of it through the whole batch.
  postpone: `UPDATE work SET state = j.value ->> 1, trouble = j.value ->> 2, strikes = j.value ->> 3
    FROM (SELECT value FROM json_each(?2) LIMIT -1) j WHERE work.site = ?1 AND work.path = j.value ->> 0`,
  reopen: "UPDATE work SET state = 'due' WHERE site = ?1 AND state = 'disallowed'",
  reopenRefused: "UPDATE work SET state = 'due' WHERE site = ?1 AND state = 'parked' AND trouble = 'refused'",
} as const;

function knownOf(row: FetchRow): FetchItem["known"] {
  const [path, , , , , sizeBytes, digest, , , lastModified, mediaType, etag, modified] = row;
  if (sizeBytes === null || digest === null || lastModified === null || mediaType === null) return undefined;
  if (etag === null && modified === null) return undefined;
  const page = { path, sizeBytes, digest, lastModified, mediaType };
  return { page, validators: validatorsOf(etag, modified) };
}

function itemOf(row: FetchRow): FetchItem {
  const [path, sizeBytes, digest, lastModified, mediaType, heldBytes, heldDigest, trouble, attempts] = row;
  const known = digest === null ? knownOf(row) : undefined;
  return {
    kind: "fetch",
    ...(known === undefined ? {} : { known }),
    page: { path, sizeBytes: sizeBytes ?? undefined, digest: digest ?? undefined, lastModified, mediaType },
    held: heldBytes === null || heldDigest === null ? undefined : { sizeBytes: heldBytes, digest: heldDigest },
    postponed: trouble === null ? undefined : { trouble, attempts },
  };
}

function rowOf(
  { page, validators }: Extract<Settlement, { kind: "kept" }>,
  at: EpochSeconds,
): (string | number | null)[] {
  const { path, sizeBytes, digest, lastModified, mediaType } = page;
  const { etag = null, lastModified: modified = null } = validators ?? {};
  return [path, sizeBytes, digest, lastModified, mediaType, etag, modified, validators === undefined ? null : at];
}

/** The work of one site. */
export class StoredWork {
  readonly #connection: Connection;
  readonly #file: string;
  readonly #site: number;
  readonly #seen: SeenChangeLog;
  readonly #late: LateWrites;
  readonly #counts: SiteCounts;
  readonly #marks: CallbackMarks | undefined;

  /** @param marks - of pages that are handed to somebody else, if they are */
  constructor(
    connection: Connection,
    { file, site }: { readonly file: string; readonly site: number },
    { late, counts }: SiteShared,
    marks: CallbackMarks | undefined,
  ) {
    this.#connection = connection;
    this.#file = file;
    this.#site = site;
    this.#late = late;
    this.#counts = counts;
    this.#marks = marks;
    this.#seen = inDatabase(file, () => new SeenChangeLog(connection, site));
  }

  take(kind: WorkItem["kind"], after: string, limit: number): WorkItem[] {
    return inDatabase(this.#file, () => {
      if (kind === "fetch") return (this.#all(sql.fetches, after, limit) as FetchRow[]).map(itemOf);
      const rows = this.#all(sql.deletions, after, limit) as [string, number][];
      return rows.map(([path, isHeld]) => ({ kind: "delete", path, isHeld: isHeld === 1 }));
    });
  }

  /** Takes fetches that came to nothing when they were tried last, those first of which that is less often so. */
  takeAway(limit: number): FetchItem[] {
    return inDatabase(this.#file, () => (this.#statement(sql.away).all(this.#site, limit) as FetchRow[]).map(itemOf));
  }

  settle(settlements: readonly Settlement[], at: EpochSeconds): void {
    const kept: Extract<Settlement, { kind: "kept" }>[] = [];
    const accepted: unknown[] = [];
    const done: string[] = [];
    const removed: RemovedPage[] = [];
    const postponed: unknown[] = [];
    for (const settlement of settlements) {
      const path = settlement.kind === "kept" ? settlement.page.path : settlement.path;
      if (settlement.kind === "kept") kept.push(settlement);
      if (settlement.kind === "kept" && settlement.acceptedFor !== undefined) {
        const { sizeBytes = null, digest = null, lastModified } = settlement.acceptedFor;
        accepted.push([path, sizeBytes, digest, lastModified]);
      }
      if (settlement.kind === "removed") removed.push({ path, reason: settlement.reason });
      const postponement = settlement.kind === "removed" ? undefined : settlement.postponed;
      if (postponement === undefined) done.push(path);
      else postponed.push([path, postponement.state, postponement.trouble, postponement.attempts]);
    }
    inDatabase(this.#file, () =>
      this.#late.transact(() => {
        this.#seen.note(
          kept.map(({ page }) => page),
          removed,
          at,
        );
        this.#runEach(
          sql.keep,
          kept.map((settlement) => rowOf(settlement, at)),
        );
        this.#runEach(sql.accept, accepted);
        const gone = removed.map(({ path }) => path);
        this.#runEach(sql.removePages, gone);
        this.#runEach(sql.endAcceptance, gone);
        this.#runEach(sql.endWork, done);
        this.#marks?.forgetWithin(
          settlements.map((settlement) => (settlement.kind === "kept" ? settlement.page.path : settlement.path)),
        );
        this.#runEach(sql.postpone, postponed);
      }),
    );
    this.#counts.forget();
  }

  reopenDisallowed(): void {
    inDatabase(this.#file, () => this.#statement(sql.reopen).run(this.#site));
    this.#counts.forget();
  }

  reopenRefused(): void {
    inDatabase(this.#file, () => this.#statement(sql.reopenRefused).run(this.#site));
    this.#counts.forget();
  }

  counts(): { held: number; heldBytes: number; pending: number; disallowed: number } {
    const { held, heldBytes, due, disallowedWork } = inDatabase(this.#file, () => this.#counts.read());
    return { held, heldBytes, pending: due, disallowed: disallowedWork };
  }

  // One statement a batch instead of one a page: the call costs more than the row.
  #runEach(text: string, rows: readonly unknown[]): void {
    if (rows.length > 0) this.#statement(text).run(this.#site, JSON.stringify(rows));
  }

  #all(text: string, ...parameters: readonly (string | number)[]): unknown[] {
    return this.#statement(text).all(this.#site, ...parameters);
  }

  #statement(text: string): Statement {
    return prepareStatement(this.#connection, text);
  }
}
