import { createHash } from "node:crypto";
import Database from "libsql";
import type { EpochMs } from "../../core/index.ts";
import type { AssignedUnit } from "../volunteers/unit-dispatcher.ts";

/** A computer that runs a client. */
export interface Host {
  readonly id: number;
  readonly account: string;
  /** Of its last request; -1 before the first. */
  readonly seqno: number;
  /** Tasks that failed since the last that did not. */
  readonly failures: number;
}

/** A unit that a host was given. */
export interface StoredTask {
  readonly name: string;
  readonly account: string;
  readonly unit: Uint8Array;
  readonly deadline: EpochMs;
  readonly maxBytes: number;
  /** What its whole output has; null while it is not uploaded. */
  readonly outputMd5: string | null;
  readonly isReported: boolean;
}

// Tasks stay known for a while, so that a late or second report is told from an invented one.
const keptAfterDeadlineMs = 7 * 24 * 3600 * 1000;
const maxHostsPerAccount = 100;
const applicationId = 0x746d6262;

const schema = `
  PRAGMA application_id = ${applicationId};
  CREATE TABLE IF NOT EXISTS account (name TEXT PRIMARY KEY, key_digest TEXT NOT NULL UNIQUE) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS host (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account TEXT NOT NULL,
    seqno INTEGER NOT NULL DEFAULT -1,
    failures INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX IF NOT EXISTS host_by_account ON host (account, id);
  CREATE TABLE IF NOT EXISTS task (
    name TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    host INTEGER NOT NULL,
    unit BLOB NOT NULL,
    deadline INTEGER NOT NULL,
    max_bytes INTEGER NOT NULL,
    output_md5 TEXT,
    is_reported INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS task_by_host ON task (host) WHERE is_reported = 0;
  CREATE INDEX IF NOT EXISTS task_by_deadline ON task (deadline);
`;

const taskColumns =
  "name, account, unit, deadline, max_bytes AS maxBytes, output_md5 AS outputMd5, is_reported AS isReported";

interface Statement {
  run(...values: readonly Value[]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
  get(...values: readonly Value[]): unknown;
  all(...values: readonly Value[]): unknown[];
}
type Value = string | number | Uint8Array;

function digestOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** Remembers accounts, hosts and the tasks that they have. Each change is durable when its method returns. */
export class TaskStore {
  readonly #database: InstanceType<typeof Database>;
  readonly #prepared = new Map<string, Statement>();

  /** @param file - made if it is not there */
  constructor(file: string) {
    this.#database = new Database(file, { timeout: 10_000 });
    this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    this.#database.exec(schema);
  }

  /** Lets an account attach. Nothing changes if it may already. @param key - only its SHA-256 is kept */
  addAccount(name: string, key: string): void {
    this.#run("INSERT OR REPLACE INTO account (name, key_digest) VALUES (?, ?)", name, digestOf(key));
  }

  hasAccount(name: string): boolean {
    return this.#find("SELECT 1 AS found FROM account WHERE name = ?", name) !== undefined;
  }

  /** @returns the account's name; undefined if no account has the key */
  findAccount(key: string): string | undefined {
    return this.#find<{ name: string }>("SELECT name FROM account WHERE key_digest = ?", digestOf(key))?.name;
  }

  /** Makes a host known; of an account with very many the oldest is forgotten. */
  addHost(account: string): Host {
    const { lastInsertRowid } = this.#prepare("INSERT INTO host (account) VALUES (?)").run(account);
    const id = Number(lastInsertRowid);
    this.#run(
      "DELETE FROM host WHERE account = ? AND id <= (SELECT id FROM host WHERE account = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
      account,
      account,
      maxHostsPerAccount,
    );
    return { id, account, seqno: -1, failures: 0 };
  }

  findHost(id: number, account: string): Host | undefined {
    return this.#find<Host>("SELECT id, account, seqno, failures FROM host WHERE id = ? AND account = ?", id, account);
  }

  /** Notes a host's request. @returns whether it is newer than all before: of two with one number only one is */
  advanceHost(id: number, seqno: number): boolean {
    return this.#run("UPDATE host SET seqno = ? WHERE id = ? AND seqno < ?", seqno, id, seqno) === 1;
  }

  countFailures(id: number, failures: number): void {
    this.#run("UPDATE host SET failures = ? WHERE id = ?", failures, id);
  }

  addTasks(host: Host, units: readonly AssignedUnit[]): void {
    this.#transact(() => {
      for (const { name, bytes, deadline, maxResultBytes } of units)
        this.#run(
          "INSERT INTO task (name, account, host, unit, deadline, max_bytes) VALUES (?, ?, ?, ?, ?, ?)",
          name,
          host.account,
          host.id,
          bytes,
          deadline,
          maxResultBytes,
        );
    });
  }

  findTask(name: string): StoredTask | undefined {
    const row = this.#find<Omit<StoredTask, "isReported"> & { readonly isReported: number }>(
      `SELECT ${taskColumns} FROM task WHERE name = ?`,
      name,
    );
    return row === undefined ? undefined : { ...row, isReported: row.isReported === 1 };
  }

  /** @returns tasks of a host that it has not reported and still may */
  listOpenTasks(host: number, now: EpochMs): readonly StoredTask[] {
    // The library gives bytes as Buffer for one row only.
    const sql = "SELECT name FROM task WHERE host = ? AND is_reported = 0 AND deadline > ? ORDER BY name";
    return this.#list<{ name: string }>(sql, host, now).flatMap(({ name }) => this.findTask(name) ?? []);
  }

  markUploaded(name: string, md5: string): void {
    this.#run("UPDATE task SET output_md5 = ? WHERE name = ?", md5, name);
  }

  /** The unit is not needed any more then. */
  markReported(name: string): void {
    this.#run("UPDATE task SET is_reported = 1, unit = x'' WHERE name = ?", name);
  }

  /** Forgets tasks long past their deadline. @returns their names */
  forgetTasks(now: EpochMs): readonly string[] {
    const before = now - keptAfterDeadlineMs;
    const names = this.#list<{ name: string }>("SELECT name FROM task WHERE deadline < ?", before);
    if (names.length > 0) this.#run("DELETE FROM task WHERE deadline < ?", before);
    return names.map(({ name }) => name);
  }

  close(): void {
    this.#database.close();
  }

  #prepare(sql: string): Statement {
    const prepared = this.#prepared.get(sql) ?? (this.#database.prepare(sql) as unknown as Statement);
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  #run(sql: string, ...values: readonly Value[]): number {
    return this.#prepare(sql).run(...values).changes;
  }

  #list<Row>(sql: string, ...values: readonly Value[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  #find<Row>(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  #transact(act: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      act();
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }
}
