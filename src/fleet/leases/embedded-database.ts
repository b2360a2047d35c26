import { existsSync } from "node:fs";
import Database from "libsql";
import { TidemarkError } from "../../core/index.ts";
import { wrapOtherDatabaseError } from "../../storage/index.ts";
import { embeddedVersions } from "./embedded-schema.ts";
import { noFleet, refuseNewerSchema } from "./schema-version.ts";

type Value = string | number | null | Uint8Array;

/** Written into the file's header, so that no other database is taken for a fleet's. */
const applicationId = 0x746d666c;
/** Longest wait for another process, whose transactions take milliseconds. */
const busyMs = 10_000;

/** A database file that processes of one machine share. */
export class EmbeddedDatabase {
  readonly #file: string;
  readonly #database: InstanceType<typeof Database>;
  readonly #prepared = new Map<string, ReturnType<InstanceType<typeof Database>["prepare"]>>();

  /** @throws TidemarkError `bad-option` if the file is another program's, `not-found`, `locked`, `disk-full`, `read-only`, `io` */
  constructor(file: string, mustExist: boolean) {
    if (mustExist && !existsSync(file)) throw noFleet(file);
    this.#file = file;
    this.#database = this.#tell(() => new Database(file, { timeout: busyMs }));
    try {
      this.#tell(() => {
        this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
        this.transact(() => this.#migrate());
      });
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** All of it or nothing. Other processes wait meanwhile. @param act - gets the time, by the machine's clock */
  transact<T>(act: (now: number) => T): T {
    return this.#tell(() => {
      this.#database.exec("BEGIN IMMEDIATE");
      try {
        const result = act(this.now());
        this.#database.exec("COMMIT");
        return result;
      } catch (error) {
        if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
        throw error;
      }
    });
  }

  now(): number {
    return this.first<{ now: number }>("SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now")?.now ?? 0;
  }

  /** @returns how many rows were changed */
  run(sql: string, ...values: readonly Value[]): number {
    return this.#tell(() => this.#prepare(sql).run(...values).changes);
  }

  list<Row>(sql: string, ...values: readonly Value[]): Row[] {
    return this.#tell(() => this.#prepare(sql).all(...values)) as Row[];
  }

  first<Row>(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.list<Row>(sql, ...values)[0];
  }

  close(): void {
    this.#database.close();
  }

  #prepare(sql: string) {
    const known = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, known);
    return known;
  }

  #migrate(): void {
    const read = (name: string): number => {
      return (this.#database.prepare(`PRAGMA ${name}`).raw(true).get() as [number])[0];
    };
    const isEmpty = this.#database.prepare("SELECT 1 FROM sqlite_schema").get() === undefined;
    if (!isEmpty && read("application_id") !== applicationId)
      throw new TidemarkError("bad-option", `${this.#file} is a database of another program.`, {
        hint: "Name a file that is not there yet.",
        details: { file: this.#file },
      });
    const known = read("user_version");
    for (const statements of embeddedVersions.slice(known)) this.#database.exec(statements);
    if (known < embeddedVersions.length)
      this.#database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${embeddedVersions.length}`);
    const needed = this.first<{ needs_version: number }>("SELECT needs_version FROM fleet")?.needs_version ?? 0;
    refuseNewerSchema(needed, embeddedVersions.length, this.#file);
  }

  /** Says which file it was. */
  #tell<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      throw wrapOtherDatabaseError(error, "The fleet's database", this.#file);
    }
  }
}
