import type { Settlement } from "../../core/index.ts";
import { type Connection, prepareStatement, transact } from "../sqlite/database.ts";
import { inDatabase } from "../sqlite/database-error.ts";
import { forgetBodies } from "./doubt.ts";

const pathsAtATime = 1000;

const sql = {
  // Of a site that publishes its changes nothing is marked: there, work that is not settled stays.
  mark: `INSERT OR IGNORE INTO handed SELECT ?1, ?2
    WHERE EXISTS (SELECT 1 FROM url WHERE site = ?1 AND path = ?2 AND state IS NOT NULL)`,
  // Work that was not done may have been done in part by a crawl that died.
  known: `SELECT EXISTS (SELECT 1 FROM url WHERE site = ?1 AND path = ?2 AND (digest IS NOT NULL OR work IS NOT NULL))
    OR EXISTS (SELECT 1 FROM handed WHERE site = ?1 AND path = ?2)`,
  held: `SELECT path FROM handed WHERE site = ?1
    AND EXISTS (SELECT 1 FROM url u WHERE u.site = handed.site AND u.path = handed.path AND u.digest IS NOT NULL) LIMIT ?2`,
  others: "SELECT path FROM handed WHERE site = ?1 LIMIT ?2",
  forget: "DELETE FROM handed WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2))",
} as const;

function forgetHanded(connection: Connection, site: number, paths: readonly string[]): void {
  if (paths.length > 0) prepareStatement(connection, sql.forget).run(site, JSON.stringify(paths));
}

/** Which pages of a site were handed on and are not remembered yet. */
export class CallbackMarks {
  readonly #connection: Connection;
  readonly #file: string;
  readonly #site: number;

  constructor(connection: Connection, file: string, site: number) {
    this.#connection = connection;
    this.#file = file;
    this.#site = site;
  }

  /** Marks a page, durably, before it is handed on. */
  mark(path: string): void {
    inDatabase(this.#file, () => prepareStatement(this.#connection, sql.mark).run(this.#site, path));
  }

  /** Whether a page was handed, or a crawl that died may have done that. */
  mayBeHanded(path: string): boolean {
    const find = (): unknown => prepareStatement(this.#connection, sql.known).get(this.#site, path);
    const [isKnown] = inDatabase(this.#file, find) as [number];
    return isKnown === 1;
  }

  forget(path: string): void {
    inDatabase(this.#file, () => forgetHanded(this.#connection, this.#site, [path]));
  }

  /** Forgets marks of pages within the transaction that remembers what became of them. */
  settleWithin(settlements: readonly Settlement[]): void {
    const paths = settlements.map(({ url }) => url.path);
    forgetHanded(this.#connection, this.#site, paths);
  }

  /**
   * Makes marked pages that are held due to be fetched whole, and forgets their marks.
   *
   * @returns the other marked pages, which nobody remembers; each to be forgotten before the next is taken
   */
  *doubt(): Generator<string, void, void> {
    for (let paths = this.#read(sql.held); paths.length > 0; paths = this.#read(sql.held)) {
      inDatabase(this.#file, () =>
        transact(this.#connection, () => {
          forgetBodies(this.#connection, this.#site, paths);
          forgetHanded(this.#connection, this.#site, paths);
        }),
      );
    }
    for (let paths = this.#read(sql.others); paths.length > 0; paths = this.#read(sql.others)) yield* paths;
  }

  #read(statement: string): string[] {
    const rows = inDatabase(this.#file, () =>
      prepareStatement(this.#connection, statement).all(this.#site, pathsAtATime),
    );
    return (rows as [string][]).map(([path]) => path);
  }
}
