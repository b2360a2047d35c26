import type { Page, SitePosition, SourceName } from "../../core/index.ts";
import { type Connection, prepareStatement, type Statement } from "../sqlite/database.ts";
import { inDatabase } from "../sqlite/database-error.ts";
import type { LateWrites } from "../sqlite/late-writes.ts";
import type { IntakeSpool, SpooledPage, SpooledStep } from "./intake-spool.ts";

// A body that is held is the one recorded, and has its time.
const isHeldAsListed = `p.modified = i.modified AND ((i.size IS NULL OR p.size = i.size) AND (i.digest IS NULL OR p.digest = i.digest)
  OR EXISTS (SELECT 1 FROM accepted a WHERE a.site = ?1 AND a.path = i.path
    AND a.size IS i.size AND a.digest IS i.digest AND a.modified = i.modified))`;
// Work that was known before keeps its history as long as the record is the same.
const isSameRecord = `kind = 'fetch' AND size IS excluded.size AND digest IS excluded.digest AND modified = excluded.modified`;

// What is parked or disallowed, too, is wanted already.
const isHeldOrWanted = `EXISTS (SELECT 1 FROM page p WHERE p.site = ?1 AND p.path = incoming.path)
  OR EXISTS (SELECT 1 FROM work w WHERE w.site = ?1 AND w.path = incoming.path AND w.kind = 'fetch')`;

const becomesDeletion = `ON CONFLICT DO UPDATE SET kind = 'delete', seen = excluded.seen, state = 'due', trouble = NULL,
  strikes = 0, size = NULL, digest = NULL, modified = NULL, media_type = NULL`;

const sql = {
  clear: "DELETE FROM temp.incoming",
  fill: `INSERT OR REPLACE INTO temp.incoming
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)`,
  onlyHeld: `DELETE FROM temp.incoming WHERE NOT (${isHeldOrWanted})`,
  markSeen: "UPDATE page SET seen = ?2 WHERE site = ?1 AND path IN (SELECT path FROM temp.incoming)",
  // Work that was not settled may have been done in part by a crawl that died: then what is held is not known, and the
  // work stays, to be settled by a look at the body.
  addFetches: `INSERT INTO work (site, path, kind, size, digest, modified, media_type, seen)
    SELECT ?1, i.path, 'fetch', i.size, i.digest, i.modified, i.media_type, ?2
    FROM temp.incoming i LEFT JOIN page p ON p.site = ?1 AND p.path = i.path
    WHERE p.path IS NULL OR NOT (${isHeldAsListed})
      OR EXISTS (SELECT 1 FROM work w WHERE w.site = ?1 AND w.path = i.path)
    ON CONFLICT DO UPDATE SET
      state = iif(${isSameRecord}, state, 'due'),
      trouble = iif(${isSameRecord}, trouble, NULL),
      strikes = iif(${isSameRecord}, strikes, 0),
      kind = excluded.kind, size = excluded.size, digest = excluded.digest,
      modified = excluded.modified, media_type = excluded.media_type, seen = excluded.seen`,
  // A page that is still to be fetched may lie in the mirror already: a crawl that died between the two knows only the work.
  addDeletions: `INSERT INTO work (site, path, kind, seen)
    SELECT ?1, i.path, 'delete', ?2 FROM temp.incoming i
    WHERE EXISTS (SELECT 1 FROM page p WHERE p.site = ?1 AND p.path = i.path)
      OR EXISTS (SELECT 1 FROM work w WHERE w.site = ?1 AND w.path = i.path)
    ${becomesDeletion}`,
  unlistedWorkTypes: "SELECT DISTINCT media_type FROM work WHERE site = ?1 AND seen <> ?2 AND kind = 'fetch'",
  withdrawWork: `INSERT INTO work (site, path, kind, seen)
    SELECT ?1, path, 'delete', ?2 FROM work WHERE site = ?1 AND seen <> ?2 AND kind = 'fetch' AND media_type = ?3
    ${becomesDeletion}`,
  forgetWork: "DELETE FROM work WHERE site = ?1 AND seen <> ?2 AND kind = 'fetch' AND media_type = ?3",
  unlistedTypes: "SELECT DISTINCT media_type FROM page WHERE site = ?1 AND seen <> ?2",
  deleteUnlisted: `INSERT INTO work (site, path, kind, seen)
    SELECT ?1, path, 'delete', ?2 FROM page WHERE site = ?1 AND seen <> ?2 AND media_type = ?3
    ON CONFLICT DO NOTHING`,
  forgetUnlisted: `DELETE FROM page WHERE site = ?1 AND seen <> ?2 AND media_type = ?3
    AND NOT EXISTS (SELECT 1 FROM work w WHERE w.site = ?1 AND w.path = page.path)`,
  position: `UPDATE site SET epoch = ?, publication = ?, types_key = ?, since = ?, index_path = ?, index_etag = ?,
    index_modified = ? WHERE id = ?`,
  writer: "UPDATE site SET writer = ? WHERE id = ?",
  // What another source brought since is not what was accepted.
  forgetAccepted: `DELETE FROM accepted WHERE site = ?1
    AND EXISTS (SELECT 1 FROM site WHERE id = ?1 AND writer IS NOT NULL AND writer <> ?2)`,
  lastGeneration: "SELECT generation FROM site WHERE id = ?",
  generation: "UPDATE site SET generation = ? WHERE id = ?",
  remember: "INSERT INTO source_state VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state",
} as const;

/**
 * The changes of one reading: they wait aside until {@link commit} makes all of them work in one transaction, which takes
 * in nothing that is waited for.
 */
export class SiteIntake {
  readonly #connection: Connection;
  readonly #file: string;
  readonly #site: number;
  readonly #late: LateWrites;
  readonly #spool: IntakeSpool;
  readonly #onCommit: (() => void) | undefined;
  #concerns: ((mediaType: string) => boolean) | undefined;
  /** Marks what this reading listed; larger than every mark before. */
  #generation = 0;

  /** @param onCommit - what is remembered of the site is another now */
  constructor(
    connection: Connection,
    { file, site, late }: { readonly file: string; readonly site: number; readonly late: LateWrites },
    spool: IntakeSpool,
    onCommit?: () => void,
  ) {
    this.#connection = connection;
    this.#file = file;
    this.#site = site;
    this.#late = late;
    this.#spool = spool;
    this.#onCommit = onCommit;
  }

  list(pages: readonly Page[], onlyHeld: boolean): void {
    this.#checkOpen();
    const rows = pages.map(({ path, sizeBytes, digest, lastModified, mediaType }): SpooledPage => {
      return [path, sizeBytes ?? null, digest ?? null, lastModified, mediaType];
    });
    this.#spool.add({ kind: "list", pages: rows, onlyHeld });
  }

  withdraw(paths: readonly string[]): void {
    this.#checkOpen();
    this.#spool.add({ kind: "withdraw", paths });
  }

  /** Ends a whole listing; nothing is listed or withdrawn after it. */
  withdrawUnlisted(concerns: (mediaType: string) => boolean): void {
    this.#checkOpen();
    this.#concerns = concerns;
  }

  commit(
    position: SitePosition | undefined,
    remembered?: { readonly source: SourceName; readonly state: unknown },
  ): void {
    inDatabase(this.#file, () => {
      this.#connection.exec(`CREATE TEMP TABLE IF NOT EXISTS incoming (
        path TEXT PRIMARY KEY, size INTEGER, digest TEXT, modified INTEGER, media_type TEXT) WITHOUT ROWID`);
      this.#late.transact(() => {
        const [generation] = this.#statement(sql.lastGeneration).get(this.#site) as [number];
        this.#generation = generation + 1;
        // From here on it is this source's position that holds, and what others remember is void.
        const writer = remembered?.source ?? (position === undefined ? undefined : "archives");
        if (writer !== undefined) this.#run(sql.forgetAccepted, this.#site, writer);
        for (const step of this.#spool.steps()) this.#take(step);
        if (this.#concerns !== undefined) this.#takeUnlisted(this.#concerns);
        this.#run(sql.generation, this.#generation, this.#site);
        if (writer !== undefined) this.#run(sql.writer, writer, this.#site);
        if (position !== undefined) this.#movePosition(position);
        if (remembered !== undefined)
          this.#run(sql.remember, this.#site, remembered.source, JSON.stringify(remembered.state));
      });
    });
    this.#onCommit?.();
    this.#spool.discard();
  }

  rollback(): void {
    this.#spool.discard();
  }

  // What comes after it would be in the wrong order.
  #checkOpen(): void {
    if (this.#concerns !== undefined) throw new TypeError("the listing has ended");
  }

  #take(step: SpooledStep): void {
    if (step.kind === "withdraw") {
      this.#fill(step.paths.map((path) => [path]));
      this.#run(sql.addDeletions, this.#site, this.#generation);
      return;
    }
    this.#fill(step.pages);
    if (step.onlyHeld) this.#run(sql.onlyHeld, this.#site);
    this.#run(sql.markSeen, this.#site, this.#generation);
    this.#run(sql.addFetches, this.#site, this.#generation);
  }

  #takeUnlisted(concerns: (mediaType: string) => boolean): void {
    for (const mediaType of this.#types(sql.unlistedWorkTypes))
      this.#run(concerns(mediaType) ? sql.withdrawWork : sql.forgetWork, this.#site, this.#generation, mediaType);
    for (const mediaType of this.#types(sql.unlistedTypes))
      this.#run(concerns(mediaType) ? sql.deleteUnlisted : sql.forgetUnlisted, this.#site, this.#generation, mediaType);
  }

  #types(text: string): string[] {
    const rows = this.#statement(text).all(this.#site, this.#generation) as [string][];
    return rows.map(([mediaType]) => mediaType);
  }

  #movePosition({ cursor, typesKey, since, indexPath, indexValidators }: SitePosition): void {
    this.#run(
      sql.position,
      cursor.epoch,
      cursor.publication,
      typesKey,
      since ?? null,
      indexPath,
      indexValidators.etag ?? null,
      indexValidators.lastModified ?? null,
      this.#site,
    );
  }

  // One statement a batch instead of one a page: the call costs more than the row.
  #fill(rows: readonly (readonly (string | number | null)[])[]): void {
    this.#run(sql.clear);
    this.#run(sql.fill, JSON.stringify(rows));
  }

  #run(text: string, ...parameters: readonly (string | number | null)[]): void {
    this.#statement(text).run(...parameters);
  }

  #statement(text: string): Statement {
    return prepareStatement(this.#connection, text);
  }
}
