import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Change, composeChanges, pathOf, wrapSystemError } from "../../core/index.ts";
import { type Connection, openConnection, prepareStatement } from "../sqlite/database.ts";
import { inDatabase } from "../sqlite/database-error.ts";

const pageOfRows = 1000;

const sql = {
  known: "SELECT path, change FROM change WHERE path IN (SELECT value FROM json_each(?))",
  put: `INSERT INTO change SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true
    ON CONFLICT DO UPDATE SET change = excluded.change`,
  forget: "DELETE FROM change WHERE path IN (SELECT value FROM json_each(?))",
  next: "SELECT path, change FROM change WHERE path > ? ORDER BY path LIMIT ?",
} as const;

/** Merges changes in a file without a name, so that memory does not grow with their number, and nothing is left after a kill. */
export class StoredMerge {
  readonly #file: string;
  readonly #connection: Connection;

  /** @param parent - folder in which the file is made; the system's for temporary ones by default */
  constructor(parent: string = tmpdir()) {
    let folder: string;
    try {
      folder = mkdtempSync(join(parent, "tidemark-changes-"));
    } catch (error) {
      throw wrapSystemError(error, `make a folder in ${parent}`, { folder: parent });
    }
    this.#file = join(folder, "changes.db");
    try {
      this.#connection = openConnection(this.#file);
      // Without a journal, SQLite opens no other file beside it.
      inDatabase(this.#file, () =>
        this.#connection.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
          CREATE TABLE change (path TEXT PRIMARY KEY, change TEXT NOT NULL) STRICT, WITHOUT ROWID; BEGIN`),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  add(changes: readonly Change[]): void {
    const known = this.#known(changes.map(pathOf));
    const rows = changes.map((change) => {
      const path = pathOf(change);
      const earlier = known.get(path);
      return [path, JSON.stringify(earlier === undefined ? change : composeChanges(earlier, change))];
    });
    this.#run(sql.put, rows);
  }

  withdraw(paths: readonly string[]): void {
    const deletions = [...this.#known(paths)].map(([path, earlier]): [string, string] => [
      path,
      JSON.stringify(composeChanges(earlier, { kind: "deleted", path })),
    ]);
    this.#run(sql.put, deletions);
  }

  forget(paths: readonly string[]): void {
    this.#run(sql.forget, paths);
  }

  *changes(): Generator<Change, void, void> {
    const next = prepareStatement(this.#connection, sql.next);
    for (let after = ""; ; ) {
      const rows = inDatabase(this.#file, () => next.all(after, pageOfRows)) as [string, string][];
      for (const [, change] of rows) yield JSON.parse(change) as Change;
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last[0];
    }
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }

  #known(paths: readonly string[]): Map<string, Change> {
    const rows = inDatabase(this.#file, () =>
      prepareStatement(this.#connection, sql.known).all(JSON.stringify(paths)),
    ) as [string, string][];
    return new Map(rows.map(([path, change]) => [path, JSON.parse(change) as Change]));
  }

  #run(text: string, rows: readonly unknown[]): void {
    if (rows.length > 0) inDatabase(this.#file, () => this.#connection.prepare(text).run(JSON.stringify(rows)));
  }
}
