import type { EpochMs } from "../../core/index.ts";
import { type Connection, openConnection, transact } from "../../storage/index.ts";
import type { AssignedUnit } from "../volunteers/unit-dispatcher.ts";

/** A computer that runs a client. */
export interface Host {
  readonly id: number;
  readonly volunteer: string;
  /** Of its last request; -1 before the first. */
  readonly seqno: number;
  /** Tasks that failed since the last that did not. */
  readonly failures: number;
}

/** A unit that a host was given. */
export interface StoredTask {
  readonly name: string;
  readonly volunteer: string;
  readonly unit: Uint8Array;
  readonly deadline: EpochMs;
  readonly maxBytes: number;
  /** What its whole output has; null while it is not uploaded. */
  readonly outputMd5: string | null;
  readonly isReported: boolean;
}

// Tasks stay known for a while, so that a late or second report is told from an invented one.
const keptAfterDeadlineMs = 7 * 24 * 3600 * 1000;
const maxHostsPerVolunteer = 100;
const applicationId = 0x746d6262;

const schema = `
  PRAGMA application_id = ${applicationId};
  CREATE TABLE IF NOT EXISTS host (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    volunteer TEXT NOT NULL,
    seqno INTEGER NOT NULL DEFAULT -1,
    failures INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX IF NOT EXISTS host_by_volunteer ON host (volunteer, id);
  CREATE TABLE IF NOT EXISTS task (
    name TEXT PRIMARY KEY,
    volunteer TEXT NOT NULL,
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
  "name, volunteer, unit, deadline, max_bytes AS maxBytes, output_md5 AS outputMd5, is_reported AS isReported";

interface Statement {
  run(...values: readonly Value[]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
  get(...values: readonly Value[]): unknown;
  all(...values: readonly Value[]): unknown[];
}
type Value = string | number | Uint8Array;

/** Remembers hosts and the tasks that they have. Each change is durable when its method returns. */
export class TaskStore {
  readonly #database: Connection;
  readonly #prepared = new Map<string, Statement>();

  /** @param file - made if it is not there @throws TidemarkError `no-permission`, `disk-full`, `io` */
  constructor(file: string) {
    this.#database = openConnection(file);
    this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 10000");
    this.#database.exec(schema);
  }

  /** Makes a host known; of a volunteer with very many the oldest is forgotten. */
  addHost(volunteer: string): Host {
    const { lastInsertRowid } = this.#prepare("INSERT INTO host (volunteer) VALUES (?)").run(volunteer);
    const id = Number(lastInsertRowid);
    this.#run(
      "DELETE FROM host WHERE volunteer = ? AND id <= (SELECT id FROM host WHERE volunteer = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
      volunteer,
      volunteer,
      maxHostsPerVolunteer,
    );
    return { id, volunteer, seqno: -1, failures: 0 };
  }

  findHost(id: number, volunteer: string): Host | undefined {
    return this.#find<Host>(
      "SELECT id, volunteer, seqno, failures FROM host WHERE id = ? AND volunteer = ?",
      id,
      volunteer,
    );
  }

  /** Notes a host's request. @returns whether it is newer than all before: of two with one number only one is */
  advanceHost(id: number, seqno: number): boolean {
    return this.#run("UPDATE host SET seqno = ? WHERE id = ? AND seqno < ?", seqno, id, seqno) === 1;
  }

  countFailures(id: number, failures: number): void {
    this.#run("UPDATE host SET failures = ? WHERE id = ?", failures, id);
  }

  addTasks(host: Host, units: readonly AssignedUnit[]): void {
    transact(this.#database, () => {
      for (const { name, bytes, deadline, maxResultBytes } of units)
        this.#run(
          "INSERT INTO task (name, volunteer, host, unit, deadline, max_bytes) VALUES (?, ?, ?, ?, ?, ?)",
          name,
          host.volunteer,
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
}
