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

/** Transactions of a connection that are committed together, before the process waits for anything else. */
class CommitGroup {
  readonly #connection: Connection;
  readonly #beforeCommit: () => void;
  /** Set while a transaction is open. */
  #scheduled: NodeJS.Immediate | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(connection: Connection, beforeCommit: () => void) {
    this.#connection = connection;
    this.#beforeCommit = beforeCommit;
  }

  transact<T>(act: () => T): T {
    return this.#orFail(() => {
      if (this.#scheduled === undefined) {
        this.#connection.exec("BEGIN IMMEDIATE");
        this.#scheduled = setImmediate(() => this.#commitLate());
      }
      return act();
    });
  }

  commit(): void {
    this.#orFail(() => {
      if (this.#scheduled === undefined) return;
      this.#beforeCommit();
      this.#connection.exec("COMMIT");
      this.#unschedule();
    });
  }

  abandon(): void {
    this.#unschedule();
    rollBack(this.#connection);
  }

  // Nobody waits for it: the next who uses the database learns of the failure.
  #commitLate(): void {
    try {
      this.commit();
    } catch {
      return;
    }
  }

  #orFail<T>(act: () => T): T {
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      return act();
    } catch (error) {
      this.#failure = { error };
      this.abandon();
      throw error;
    }
  }

  #unschedule(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
  }
}

const groups = new WeakMap<Connection, CommitGroup>();

/**
 * Lets the transactions of one turn of the event loop be committed together from now on: those of a process that is killed in it are
 * lost. If one fails, so do all later ones, and none of its group is kept.
 *
 * @param beforeCommit - for what must outlive the process before they do
 */
export function groupCommits(connection: Connection, beforeCommit: () => void): void {
  groups.set(connection, new CommitGroup(connection, beforeCommit));
}

/** Commits what waits. */
export function commitGroup(connection: Connection): void {
  groups.get(connection)?.commit();
}

/** Undoes what waits. */
export function abandonGroup(connection: Connection): void {
  groups.get(connection)?.abandon();
}

/** Runs statements as one transaction: all of them or none. Within another one they are a part of it. */
export function transact<T>(connection: Connection, act: () => T): T {
  const group = groups.get(connection);
  if (group !== undefined) return group.transact(act);
  if (connection.inTransaction) return act();
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
