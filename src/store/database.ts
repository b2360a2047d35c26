import { accessSync, closeSync, constants, existsSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import Database from "libsql";
import { makeMissingFolder } from "../fs/index.ts";
import { TidemarkError, wrapSystemError } from "../model/index.ts";
import { inDatabase } from "./database-error.ts";
import { convertMirror } from "./mirror-conversion.ts";
import { migrations, mirrorNamesVersion } from "./schema.ts";

/** An open database; better-sqlite3's interface. */
export type Connection = InstanceType<typeof Database>;
/** What a statement takes and gives. */
export type SqlValue = string | number | null;
/** A prepared statement whose rows come as arrays. */
export interface Statement {
  run(...parameters: readonly SqlValue[]): { readonly changes: number };
  /** The first row, or undefined. */
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

/** Statements by their text: sites come and go, and what they ask stays. */
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

/** Others hold the database for an instant only: where one mends it after a crash, or closes it last. */
const patienceMs = 10_000;

/**
 * Opens the state of a crawler to be read while a crawl may run: nothing is written, and nobody is kept from writing.
 *
 * @throws TidemarkError `not-found`, `no-permission`, `state-corrupt`, `state-version`
 */
export function openStateForReading(file: string): Connection {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw wrapSystemError(error, `read the state ${file}`, { file });
  }
  return inDatabase(file, () => {
    const connection = new Database(`${pathToFileURL(file).href}?mode=ro`, { timeout: patienceMs });
    try {
      const [version] = prepareStatement(connection, "PRAGMA user_version").get() as [number];
      if (version !== migrations.length) throw unknownVersion(file, version);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  });
}

function unknownVersion(file: string, version: number): TidemarkError {
  const details = { file, version };
  if (version > migrations.length)
    return new TidemarkError("state-version", `${file} was written by a newer version of tidemark.`, {
      hint: "Use that version, or move the file away.",
      details,
    });
  return new TidemarkError("state-version", `${file} holds no state of this version of tidemark.`, {
    hint: "Crawl with this version once: that brings the state of an older one up to date.",
    details,
  });
}

/**
 * Opens the state of a crawler and brings its schema up to date.
 *
 * @throws TidemarkError `state-corrupt`, `state-version`, and what the file system says
 */
export function openState(file: string): Connection {
  return bringUpToDate(file, openConnection(file));
}

/** What a database in memory is called where a file would be. */
export const memoryName = ":memory:";

/** Opens an empty state that lies in memory. */
export function openMemoryState(): Connection {
  return bringUpToDate(memoryName, new Database(memoryName));
}

/** Whether the place of what is kept of a site is that of a mirror: others have their kind before a colon. */
export function isMirrored(place: string): boolean {
  return !/^(?:warc|metadata|callback):/.test(place);
}

// Before the state says so: whoever reads it finds the files of the version that it is of.
function convertMirrors(file: string, connection: Connection): void {
  for (const [place] of prepareStatement(connection, "SELECT mirror FROM site").all() as [string][]) {
    if (!isMirrored(place)) continue;
    const folder = resolve(dirname(file), place);
    try {
      convertMirror(folder);
    } catch (error) {
      throw wrapSystemError(error, `rename files in ${folder}`, { folder });
    }
  }
}

function bringUpToDate(file: string, connection: Connection): Connection {
  return inDatabase(file, () => {
    const [version] = prepareStatement(connection, "PRAGMA user_version").get() as [number];
    if (version > migrations.length) throw unknownVersion(file, version);
    connection.exec(`PRAGMA busy_timeout = ${patienceMs}`);
    connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;");
    if (version > 0 && version < mirrorNamesVersion) convertMirrors(file, connection);
    if (version < migrations.length) {
      transact(connection, () => {
        for (const statements of migrations.slice(version)) connection.exec(statements);
        connection.exec(`PRAGMA user_version = ${migrations.length}`);
      });
    }
    return connection;
  });
}
