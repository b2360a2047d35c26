import type { Page, SitePosition, SourceName } from "../../core/index.ts";
import { type Connection, prepareStatement, type Statement } from "../sqlite/database.ts";
import { inDatabase } from "../sqlite/database-error.ts";
import type { LateWrites } from "../sqlite/late-writes.ts";
import type { IntakeSpool, SpooledPage, SpooledStep } from "./intake-spool.ts";

const isWanted = "work IN ('due', 'parked', 'disallowed')";
const isHeld = "digest IS NOT NULL";
/** A body that is held is the one listed, or was accepted in its place, and has its time. */
const isHeldAsListed = `${isHeld} AND modified = excluded.said_modified
  AND ((excluded.said_size IS NULL OR size = excluded.said_size) AND (excluded.said_digest IS NULL OR digest = excluded.said_digest)
    OR said_size IS excluded.said_size AND said_digest IS excluded.said_digest AND said_modified IS excluded.said_modified)`;
/** Work that was known before keeps its history as long as the record is the same. */
const isSame = `${isWanted} AND said_size IS excluded.said_size AND said_digest IS excluded.said_digest
  AND said_modified = excluded.said_modified`;
const endWork =
  "trouble = NULL, strikes = 0, said_size = NULL, said_digest = NULL, said_modified = NULL, said_type = NULL";
const isUnlisted = "site = ?1 AND seen <> ?2";

/** @param where - which pages of a list are taken */
const list = (
  where: string,
): string => `INSERT INTO url (site, path, work, said_size, said_digest, said_modified, said_type, seen)
  SELECT ?1, i.value ->> 0, 'due', i.value ->> 1, i.value ->> 2, i.value ->> 3, i.value ->> 4, ?3 FROM json_each(?2) i
  WHERE ${where}
  ON CONFLICT (site, path) DO UPDATE SET
    work = iif(${isSame}, work, 'due'), trouble = iif(${isSame}, trouble, NULL), strikes = iif(${isSame}, strikes, 0),
    said_size = excluded.said_size, said_digest = excluded.said_digest, said_modified = excluded.said_modified,
    said_type = excluded.said_type, seen = excluded.seen
  WHERE work IS NOT NULL OR NOT (${isHeldAsListed})`;

const sql = {
  markSeen: "UPDATE url SET seen = ?3 WHERE site = ?1 AND path IN (SELECT value ->> 0 FROM json_each(?2))",
  // Work that was not settled may have been done in part by a crawl that died: then what is held is not known, and the
  // work stays, to be settled by a look at the body.
  list: list("true"),
  // What is parked or disallowed, too, is wanted already.
  listKnown: list(`EXISTS (SELECT 1 FROM url u WHERE u.site = ?1 AND u.path = i.value ->> 0
    AND (u.digest IS NOT NULL OR u.work IN ('due', 'parked', 'disallowed')))`),
  // A page that is still to be fetched may lie in the mirror already: a crawl that died between the two knows only the work.
  withdraw: `UPDATE url SET work = 'delete', seen = ?3, ${endWork}
    WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2)) AND (${isHeld} OR work IS NOT NULL)`,
  unlistedWorkTypes: `SELECT DISTINCT said_type FROM url WHERE ${isUnlisted} AND ${isWanted}`,
  withdrawWork: `UPDATE url SET work = 'delete', seen = ?2, ${endWork} WHERE ${isUnlisted} AND ${isWanted} AND said_type = ?3`,
  forgetWork: `UPDATE url SET work = NULL, ${endWork} WHERE ${isUnlisted} AND ${isWanted} AND said_type = ?3`,
  unlistedTypes: `SELECT DISTINCT media_type FROM url WHERE ${isUnlisted} AND ${isHeld} AND work IS NULL`,
  withdrawHeld: `UPDATE url SET work = 'delete', seen = ?2, ${endWork}
    WHERE ${isUnlisted} AND ${isHeld} AND work IS NULL AND media_type = ?3`,
  forgetHeld: `UPDATE url SET size = NULL, digest = NULL, modified = NULL, media_type = NULL, etag = NULL,
      http_modified = NULL, fetched = NULL
    WHERE ${isUnlisted} AND ${isHeld} AND work IS NULL AND media_type = ?3`,
  forgetRest: `DELETE FROM url WHERE ${isUnlisted} AND state IS NULL AND work IS NULL AND digest IS NULL`,
  position: `UPDATE site SET epoch = ?, publication = ?, types_key = ?, since = ?, index_path = ?, index_etag = ?,
    index_modified = ? WHERE id = ?`,
  writer: "UPDATE site SET writer = ? WHERE id = ?",
  // What another source brought since is not what was accepted.
  forgetAccepted: `UPDATE url SET said_size = NULL, said_digest = NULL, said_modified = NULL, said_type = NULL
    WHERE site = ?1 AND work IS NULL AND said_modified IS NOT NULL AND EXISTS (SELECT 1 FROM site WHERE id = ?1 AND writer IS NOT NULL AND writer <> ?2)`,
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
    // One statement per batch instead of one per page: the call costs more than the row.
    const rows = JSON.stringify(step.kind === "withdraw" ? step.paths : step.pages);
    if (step.kind === "withdraw") {
      this.#run(sql.withdraw, this.#site, rows, this.#generation);
      return;
    }
    const text = step.onlyHeld ? sql.listKnown : sql.list;
    const { changes } = this.#statement(text).run(this.#site, rows, this.#generation);
    // What is held as listed was left as it is.
    if (changes < step.pages.length) this.#run(sql.markSeen, this.#site, rows, this.#generation);
  }

  #takeUnlisted(concerns: (mediaType: string) => boolean): void {
    for (const mediaType of this.#types(sql.unlistedWorkTypes))
      this.#run(concerns(mediaType) ? sql.withdrawWork : sql.forgetWork, this.#site, this.#generation, mediaType);
    for (const mediaType of this.#types(sql.unlistedTypes))
      this.#run(concerns(mediaType) ? sql.withdrawHeld : sql.forgetHeld, this.#site, this.#generation, mediaType);
    this.#run(sql.forgetRest, this.#site, this.#generation);
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

  #run(text: string, ...parameters: readonly (string | number | null)[]): void {
    this.#statement(text).run(...parameters);
  }

  #statement(text: string): Statement {
    return prepareStatement(this.#connection, text);
  }
}
