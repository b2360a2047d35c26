import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database from "libsql";
import { TidemarkError, wrapSystemError } from "../model/index.ts";
import { inDatabase } from "./database-error.ts";
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
