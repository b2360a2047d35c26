import type { EpochMs } from "../../core/index.ts";
import { TidemarkError } from "../../core/index.ts";
import { type Connection, openConnection, prepareStatement, type SqlValue, transact } from "../../storage/index.ts";
import { noReputation, type Reputation } from "./reputation.ts";
import type { SourcePage } from "./work-source.ts";

const schemaVersion = 1;
const schema = `
  CREATE TABLE volunteer (name TEXT PRIMARY KEY, good INTEGER NOT NULL DEFAULT 0, checked INTEGER NOT NULL DEFAULT 0,
    wrong INTEGER NOT NULL DEFAULT 0, registered INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  -- A unit: pages of one site. No id is given twice, for copies outlive their units. stage: out (its first copy is), second (a
  -- copy is wanted, or out), judge (the project's own visit is wanted), held (its site is free; it waits for a check of its volunteer).
  CREATE TABLE unit (id INTEGER PRIMARY KEY AUTOINCREMENT, origin TEXT NOT NULL, pages TEXT NOT NULL, stage TEXT NOT NULL,
    is_known INTEGER NOT NULL, not_before INTEGER NOT NULL, ends INTEGER NOT NULL) STRICT;
  CREATE INDEX unit_stage ON unit (stage, not_before);
  -- A copy of a unit. state: out, in (its result is there), late, failed.
  CREATE TABLE copy (name TEXT PRIMARY KEY, unit INTEGER NOT NULL, volunteer TEXT NOT NULL, nonce TEXT NOT NULL,
    issued INTEGER NOT NULL, deadline INTEGER NOT NULL, state TEXT NOT NULL, received INTEGER, result TEXT) STRICT, WITHOUT ROWID;
  CREATE INDEX copy_unit ON copy (unit);
  CREATE INDEX copy_volunteer ON copy (volunteer, state);
  CREATE INDEX copy_issued ON copy (issued);
  -- A page that was visited: when, its links then as hashes, the change between its last two visits and the largest one so far.
  CREATE TABLE page (url TEXT PRIMARY KEY, visited INTEGER NOT NULL, is_wanted INTEGER NOT NULL DEFAULT 0, links TEXT NOT NULL,
    out_links INTEGER NOT NULL, in_links INTEGER NOT NULL DEFAULT 0, change REAL, largest REAL) STRICT, WITHOUT ROWID;
  -- Sites to which only volunteers without a record have reported links, and who did.
  CREATE TABLE quarantine (origin TEXT NOT NULL, volunteer TEXT NOT NULL, PRIMARY KEY (origin, volunteer)) STRICT, WITHOUT ROWID;
  CREATE INDEX quarantine_volunteer ON quarantine (volunteer);`;

/** A unit, with the state of its copies. */
export interface StoredUnit {
  readonly id: number;
  readonly origin: string;
  readonly pages: readonly SourcePage[];
  readonly stage: "out" | "second" | "judge" | "held";
  /** Whether its answers are known: it is no work of the crawl. */
  readonly isKnown: boolean;
  /** Nobody asks the site before. */
  readonly notBefore: EpochMs;
  /** When the stage ends if nothing comes. */
  readonly ends: EpochMs;
}

export interface StoredCopy {
  readonly name: string;
  readonly unit: number;
  readonly volunteer: string;
  readonly nonce: string;
  readonly issued: EpochMs;
  readonly deadline: EpochMs;
  readonly state: "out" | "in" | "late" | "failed";
  readonly received: EpochMs | undefined;
  readonly result: string | undefined;
}

/** What is known of a page that was visited. */
export interface StoredPage {
  readonly visited: EpochMs;
  /** Whether it is to be visited again. */
  readonly isWanted: boolean;
  readonly links: string;
  /** K. Chen's C between its last two visits, and the largest so far; undefined if there were not two. */
  readonly change: number | undefined;
  readonly largest: number | undefined;
}

const unitColumns = "id, origin, pages, stage, is_known, not_before, ends";
const copyColumns = "name, unit, volunteer, nonce, issued, deadline, state, received, result";

const unitOf = (row: unknown): StoredUnit => {
  const [id, origin, pages, stage, isKnown, notBefore, ends] = row as [
    ...[number, string, string, StoredUnit["stage"]],
    ...[number, number, number],
  ];
  const parsed = pages.split("\n").map((line): SourcePage => {
    const space = line.indexOf(" ");
    return { note: line.slice(0, space), path: line.slice(space + 1) };
  });
  return { id, origin, pages: parsed, stage, isKnown: isKnown === 1, notBefore, ends };
};

const copyOf = (row: unknown): StoredCopy => {
  const [name, unit, volunteer, nonce, issued, deadline, state, received, result] = row as [
    ...[string, number, string, string, number, number, StoredCopy["state"]],
    ...[number | null, string | null],
  ];
  return {
    ...{ name, unit, volunteer, nonce, issued, deadline, state },
    ...{ received: received ?? undefined, result: result ?? undefined },
  };
};

/** What the server of volunteers remembers, in one database; each call is durable when it returns. */
export class VolunteerStore implements Disposable {
  readonly #connection: Connection;

  /** @throws TidemarkError `state-version`, `no-permission`, `disk-full` */
  constructor(file: string) {
    this.#connection = openConnection(file);
    this.#connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 10000");
    const [version] = this.#get("PRAGMA user_version") as [number];
    if (version > schemaVersion)
      throw new TidemarkError("state-version", `${file} was written by a newer version of tidemark.`, {
        hint: "Use that version, or move the file away.",
        details: { file, version },
      });
    if (version === 0)
      transact(this.#connection, () => this.#connection.exec(`${schema}; PRAGMA user_version = ${schemaVersion}`));
  }

  /** All of it or nothing. */
  transact<T>(act: () => T): T {
    return transact(this.#connection, act);
  }

  addVolunteer(name: string, now: EpochMs): void {
    this.#run("INSERT INTO volunteer (name, registered) VALUES (?, ?) ON CONFLICT DO NOTHING", name, now);
  }

  /** undefined for one who is not registered. */
  reputationOf(volunteer: string): Reputation | undefined {
    const row = this.#get("SELECT good, checked, wrong FROM volunteer WHERE name = ?", volunteer);
    if (row === undefined) return undefined;
    const [good, checked, wrong] = row as [number, number, number];
    return { good, checked, wrong };
  }

  setReputation(volunteer: string, { good, checked, wrong }: Reputation): void {
    this.#run("UPDATE volunteer SET good = ?, checked = ?, wrong = ? WHERE name = ?", good, checked, wrong, volunteer);
  }

  /** All volunteers, by name. */
  volunteers(): Map<string, Reputation> {
    const rows = this.#all("SELECT name, good, checked, wrong FROM volunteer ORDER BY name");
    return new Map(
      (rows as [string, number, number, number][]).map(([name, good, checked, wrong]) => [
        name,
        { good, checked, wrong },
      ]),
    );
  }

  /** Volunteers with so many right results in a row. */
  countGood(atLeast: number): number {
    return (this.#get("SELECT count(*) FROM volunteer WHERE good >= ?", atLeast) as [number])[0];
  }

  addUnit(unit: Omit<StoredUnit, "id">): number {
    const { origin, pages, stage, isKnown, notBefore, ends } = unit;
    const row = this.#get(
      "INSERT INTO unit (origin, pages, stage, is_known, not_before, ends) VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
      ...[origin, pages.map(({ note, path }) => `${note} ${path}`).join("\n"), stage, isKnown ? 1 : 0, notBefore, ends],
    );
    return (row as [number])[0];
  }

  setStage(id: number, stage: StoredUnit["stage"], notBefore: EpochMs, ends: EpochMs): void {
    this.#run("UPDATE unit SET stage = ?, not_before = ?, ends = ? WHERE id = ?", stage, notBefore, ends, id);
  }

  unit(id: number): StoredUnit | undefined {
    const row = this.#get(`SELECT ${unitColumns} FROM unit WHERE id = ?`, id);
    return row === undefined ? undefined : unitOf(row);
  }

  unitsIn(stage: StoredUnit["stage"], startedBy: EpochMs, atMost = 1000): StoredUnit[] {
    return this.#all(
      `SELECT ${unitColumns} FROM unit WHERE stage = ? AND not_before <= ? ORDER BY not_before LIMIT ?`,
      ...[stage, startedBy, atMost],
    ).map(unitOf);
  }

  /** Held units that wait since then, without those of volunteers of whom the project's own visit to another unit is due. */
  unjudgedUnits(since: EpochMs): StoredUnit[] {
    return this.#all(
      `SELECT ${unitColumns} FROM unit WHERE stage = 'held' AND not_before <= ? AND NOT EXISTS
        (SELECT 1 FROM copy c JOIN copy o ON o.volunteer = c.volunteer AND o.state = 'in' JOIN unit j ON j.id = o.unit AND j.stage = 'judge'
          WHERE c.unit = unit.id AND c.state = 'in') ORDER BY not_before LIMIT 1000`,
      since,
    ).map(unitOf);
  }

  /** Units of which a volunteer may have a second copy, the longest waiting first. */
  secondsFor(volunteer: string, now: EpochMs, atMost: number): StoredUnit[] {
    return this.#all(
      `SELECT ${unitColumns} FROM unit WHERE stage = 'second' AND not_before <= ?1 AND NOT EXISTS
        (SELECT 1 FROM copy WHERE copy.unit = unit.id AND (copy.volunteer = ?2 OR copy.state = 'out')) ORDER BY not_before LIMIT ?3`,
      ...[now, volunteer, atMost],
    ).map(unitOf);
  }

  /** Units whose stage ended without what it waits for. */
  endedUnits(now: EpochMs): StoredUnit[] {
    return this.#all(`SELECT ${unitColumns} FROM unit WHERE stage IN ('out', 'second') AND ends < ?`, now).map(unitOf);
  }

  /** Units whose sites are not free. */
  openUnits(): StoredUnit[] {
    return this.#all(`SELECT ${unitColumns} FROM unit WHERE stage <> 'held'`).map(unitOf);
  }

  heldBy(volunteer: string): StoredUnit[] {
    const columns = unitColumns.replaceAll(/\w+/g, "u.$&");
    return this.#all(
      `SELECT ${columns} FROM copy c JOIN unit u ON u.id = c.unit WHERE c.volunteer = ? AND c.state = 'in' AND u.stage = 'held'`,
      volunteer,
    ).map(unitOf);
  }

  /** Forgets a unit; its copies stay known, without their results. */
  dropUnit(id: number): void {
    this.#run("DELETE FROM unit WHERE id = ?", id);
    this.#run("UPDATE copy SET result = NULL, state = iif(state = 'out', 'late', state) WHERE unit = ?", id);
  }

  addCopy({ name, unit, volunteer, nonce, issued, deadline }: Omit<StoredCopy, "state" | "received" | "result">): void {
    this.#run(
      "INSERT INTO copy (name, unit, volunteer, nonce, issued, deadline, state) VALUES (?, ?, ?, ?, ?, ?, 'out')",
      ...[name, unit, volunteer, nonce, issued, deadline],
    );
  }

  copy(name: string): StoredCopy | undefined {
    const row = this.#get(`SELECT ${copyColumns} FROM copy WHERE name = ?`, name);
    return row === undefined ? undefined : copyOf(row);
  }

  copiesOf(unit: number): StoredCopy[] {
    return this.#all(`SELECT ${copyColumns} FROM copy WHERE unit = ? ORDER BY issued, name`, unit).map(copyOf);
  }

  countOut(volunteer: string): number {
    return (this.#get("SELECT count(*) FROM copy WHERE volunteer = ? AND state = 'out'", volunteer) as [number])[0];
  }

  setCopy(name: string, state: StoredCopy["state"], received: EpochMs, result: string | undefined): void {
    this.#run(
      "UPDATE copy SET state = ?, received = ?, result = ? WHERE name = ?",
      state,
      received,
      result ?? null,
      name,
    );
  }

  /** Copies that were made before and are of no unit any more. */
  forgetCopies(before: EpochMs): void {
    this.#run("DELETE FROM copy WHERE issued < ? AND unit NOT IN (SELECT id FROM unit)", before);
  }

  page(url: string): StoredPage | undefined {
    const row = this.#get("SELECT visited, is_wanted, links, change, largest FROM page WHERE url = ?", url);
    if (row === undefined) return undefined;
    const [visited, isWanted, links, change, largest] = row as [number, number, string, number | null, number | null];
    return { visited, isWanted: isWanted === 1, links, change: change ?? undefined, largest: largest ?? undefined };
  }

  setPage(url: string, { visited, links, change, largest }: StoredPage, outLinks: number): void {
    this.#run(
      `INSERT INTO page (url, visited, links, out_links, change, largest) VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE
        SET visited = ?2, is_wanted = 0, links = ?3, out_links = ?4, change = ?5, largest = ?6`,
      ...[url, visited, links, outLinks, change ?? null, largest ?? null],
    );
  }

  countInLinks(urls: readonly string[]): void {
    this.#run(
      "UPDATE page SET in_links = in_links + 1 WHERE url IN (SELECT value FROM json_each(?))",
      JSON.stringify(urls),
    );
  }

  wantPages(urls: readonly string[]): void {
    this.#run("UPDATE page SET is_wanted = 1 WHERE url IN (SELECT value FROM json_each(?))", JSON.stringify(urls));
  }

  leavePage(url: string, visited: EpochMs): void {
    this.#run("UPDATE page SET is_wanted = 0, visited = ? WHERE url = ?", visited, url);
  }

  /** Visited pages that nobody is to visit again yet. O(pages) */
  knownPages(): [url: string, visited: EpochMs, inLinks: number, outLinks: number, change: number | null][] {
    return this.#all("SELECT url, visited, in_links, out_links, change FROM page WHERE is_wanted = 0") as ReturnType<
      VolunteerStore["knownPages"]
    >;
  }

  /** Who reported links to a site that waits. */
  quarantined(origin: string): string[] {
    return (this.#all("SELECT volunteer FROM quarantine WHERE origin = ?", origin) as [string][]).map(([who]) => who);
  }

  countQuarantined(volunteer: string): number {
    return (this.#get("SELECT count(*) FROM quarantine WHERE volunteer = ?", volunteer) as [number])[0];
  }

  addQuarantined(origin: string, volunteer: string): void {
    this.#run("INSERT INTO quarantine VALUES (?, ?) ON CONFLICT DO NOTHING", origin, volunteer);
  }

  dropQuarantined(by: "origin" | "volunteer", value: string): void {
    if (by === "origin") this.#run("DELETE FROM quarantine WHERE origin = ?", value);
    else this.#run("DELETE FROM quarantine WHERE volunteer = ?", value);
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }

  #get(sql: string, ...values: readonly SqlValue[]): unknown {
    return prepareStatement(this.#connection, sql).get(...values);
  }

  #all(sql: string, ...values: readonly SqlValue[]): unknown[] {
    return prepareStatement(this.#connection, sql).all(...values);
  }

  #run(sql: string, ...values: readonly SqlValue[]): void {
    prepareStatement(this.#connection, sql).run(...values);
  }
}

/** The reputation of a volunteer who has none yet. */
export const reputationIn = (store: VolunteerStore, volunteer: string): Reputation =>
  store.reputationOf(volunteer) ?? noReputation;
