import { accessSync, closeSync, constants, existsSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database from "libsql";
import { wrapSystemError } from "../../core/index.ts";
import { makeMissingFolder } from "../../fs/index.ts";
import { inDatabase } from "./database-error.ts";

/** An open database; better-sqlite3's interface. */
export type Connection = InstanceType<typeof Database>;
export type SqlValue = string | number | null;
/** A prepared statement whose rows come as arrays. */
export interface Statement {
  run(...parameters: readonly SqlValue[]): { readonly changes: number };
  get(...parameters: readonly SqlValue[]): unknown;
  all(...parameters: readonly SqlValue[]): unknown[];
}

// The database says "14" where the system says why. A file that is there is not opened here: to close it again would
// give up the locks that this process holds on it.
function makeFile(file: string): void {
  try {
    makeMissingFolder(dirname(file));
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

/** Statements by their text: sites come and go, their statements stay the same. */
const prepared = new WeakMap<Connection, Map<string, Statement>>();

/**
 * A statement whose rows come as arrays. It is prepared once a connection, and kept: only for texts that are written in
 * the program.
 */
export function prepareStatement(connection: Connection, sql: string): Statement {
  const known = prepared.get(connection) ?? new Map<string, Statement>();
  if (known.size === 0) prepared.set(connection, known);
  const earlier = known.get(sql);
  if (earlier !== undefined) return earlier;
  const statement = connection.prepare<SqlValue[]>(sql);
  const kept = statement.reader ? statement.raw(true) : statement;
  known.set(sql, kept);
  return kept;
}
