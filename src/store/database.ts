import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database from "libsql";
import { type ErrorCode, TidemarkError, wrapSystemError } from "../model/index.ts";
import { migrations } from "./schema.ts";

/** An open database; better-sqlite3's interface. */
export type Connection = InstanceType<typeof Database>;
/** What a statement takes and gives. */
export type SqlValue = string | number | null;
/** A prepared statement whose rows come as arrays. */
export interface Statement {
  run(...parameters: readonly SqlValue[]): unknown;
  /** The first row, or undefined. */
  get(...parameters: readonly SqlValue[]): unknown;
  all(...parameters: readonly SqlValue[]): unknown[];
}

// Primary result codes, https://www.sqlite.org/rescode.html
const codesOfSqlite: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  3: ["no-permission", "Change the permissions of the file and of its folder."],
  5: ["locked", "Wait until the other program has ended."],
  8: ["read-only", "Make the file and its folder writable, or name another with --state."],
  10: ["io", "Look at the disk and at the system's log."],
  11: [
    "state-corrupt",
    "Move it away: the next crawl reads the site's lists again, and fetches only pages that differ.",
  ],
  13: ["disk-full", "Free some space and run the same command again: it goes on where it stopped."],
  14: ["io", "Look at the file, its folder, and the permissions of both."],
  26: [
    "state-corrupt",
    "Move it away: the next crawl reads the site's lists again, and fetches only pages that differ.",
  ],
};

/** Turns an error of the database into one that says which file and what to do; others pass through. */
export function wrapDatabaseError(error: unknown, file: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const known = codesOfSqlite[(error.rawCode ?? 0) & 0xff];
  if (known === undefined) return error;
  const [code, hint] = known;
  const what = code === "state-corrupt" ? "The state is damaged" : "The state could not be used";
  return new TidemarkError(code, `${what}: ${file}: ${error.message}`, { hint, details: { file }, cause: error });
}

/** Does something with the database of a file, and says which file it was if that fails. */
export function inDatabase<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw wrapDatabaseError(error, file);
  }
}

// The database says "14" where the system says why. A file that is there is not opened here: to close it again would
// give up the locks that this process holds on it.
function makeFile(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
    else closeSync(openSync(file, "a"));
  } catch (error) {
    throw wrapSystemError(error, `open ${file}`, { file });
  }
}

/** Opens a database file, made if it is not there, as it is: without a schema. */
export function openConnection(file: string): Connection {
  makeFile(file);
  return inDatabase(file, () => new Database(file, { timeout: 0 }));
}

/** Runs statements as one transaction: all of them or none. */
export function transact<T>(connection: Connection, act: () => T): T {
  connection.exec("BEGIN IMMEDIATE");
  try {
    const result = act();
    connection.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(connection);
    throw error;
  }
}

/** Undoes the transaction that is under way, if the failure has not done so itself. */
export function rollBack(connection: Connection): void {
  if (connection.inTransaction) connection.exec("ROLLBACK");
}

/** Prepares a statement whose rows come as arrays. */
export function prepareStatement(connection: Connection, sql: string): Statement {
  const statement = connection.prepare<SqlValue[]>(sql);
  return statement.reader ? statement.raw(true) : statement;
}

/**
 * Opens the state of a crawler and brings its schema up to date.
 *
 * @throws TidemarkError `state-corrupt`, `state-version`, and what the file system says
 */
export function openState(file: string): Connection {
  const connection = openConnection(file);
  return inDatabase(file, () => {
    const [version] = prepareStatement(connection, "PRAGMA user_version").get() as [number];
    if (version > migrations.length)
      throw new TidemarkError("state-version", `${file} was written by a newer version of tidemark.`, {
        hint: "Use that version, or move the file away.",
        details: { file, version },
      });
    connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;");
    if (version < migrations.length) {
      transact(connection, () => {
        for (const statements of migrations.slice(version)) connection.exec(statements);
        connection.exec(`PRAGMA user_version = ${migrations.length}`);
      });
    }
    return connection;
  });
}
