import {
  type CrawlSummary,
  type EpochSeconds,
  type RobotsCopy,
  type SiteClockState,
  type SitePosition,
  type SiteRecord,
  type SourceName,
  sourceNames,
} from "../../core/index.ts";
import { type Connection, commitGroup, prepareStatement, type Statement } from "../sqlite/database.ts";
import { inDatabase } from "../sqlite/database-error.ts";
import type { LateWrites } from "../sqlite/late-writes.ts";
import { IntakeSpool } from "./intake-spool.ts";
import type { SiteCounts } from "./site-counts.ts";
import { SiteIntake } from "./site-intake.ts";
import { validatorsOf } from "./url-rows.ts";

/** Visits to a site that are remembered. */
const maxVisits = 1000;

type Text = string | null;
type Count = number | null;
type RobotsRow = [string, Text, Text, Text, Count, number, Text, Text];
/** What the database says of a site; its columns are {@link siteColumns}. */
export type SiteRow = [Text, Count, Text, Count, Text, Text, Text, ...RobotsRow];

/** The columns of {@link SiteRow}. */
export const siteColumns = `epoch, publication, types_key, since, index_path, index_etag, index_modified,
  robots_agent, robots_body, robots_etag, robots_modified, robots_confirmed, robots_fresh, clock, writer`;

const clockNumbers: readonly (keyof SiteClockState)[] = [
  "pages",
  "answeredAt",
  "notBefore",
  "level",
  "troubledAt",
  "until",
  "isAsked",
  "crawlDelayMs",
  "isOpen",
  "isQuiet",
];

function parseClock(text: Text | undefined): SiteClockState | undefined {
  if (text === null || text === undefined) return undefined;
  try {
    const numbers = Object(JSON.parse(text)) as Record<string, unknown>;
    return Object.fromEntries(
      clockNumbers.map((name) => [name, Number(numbers[name] ?? 0)]),
    ) as unknown as SiteClockState;
  } catch {
    return undefined;
  }
}

function recordOf(row: SiteRow): SiteRecord {
  const [epoch, publication, typesKey, since, indexPath, etag, modified] = row;
  const [, , , , , , , agent, body, robotsEtag, robotsModified, at, freshMs, clock, writer] = row;
  const position: SitePosition | undefined =
    epoch === null || publication === null || typesKey === null || indexPath === null
      ? undefined
      : {
          cursor: { epoch, publication },
          typesKey,
          since: since ?? undefined,
          indexPath,
          indexValidators: validatorsOf(etag, modified),
        };
  const robots: RobotsCopy | undefined =
    body === null || at === null
      ? undefined
      : {
          agent,
          body: Buffer.from(body, "base64"),
          validators: validatorsOf(robotsEtag, robotsModified),
          confirmedAt: at,
          freshMs,
        };
  return { position, robots, clock: parseClock(clock), writer: sourceNames.find((name) => name === writer) };
}

function isSameBody(a: RobotsCopy, b: RobotsCopy): boolean {
  return (
    a.agent === b.agent &&
    a.body === b.body &&
    a.validators.etag === b.validators.etag &&
    a.validators.lastModified === b.validators.lastModified
  );
}

/** What parts of an open site share. */
export interface SiteShared {
  readonly late: LateWrites;
  readonly counts: SiteCounts;
}

/** What is remembered of one site beside its pages. */
export class StoredSite {
  readonly #connection: Connection;
  readonly #file: string;
  readonly #site: number;
  readonly #spoolFile: string;
  readonly #late: LateWrites;
  readonly #counts: SiteCounts;
  readonly #read: Statement;
  readonly #writeRobots: Statement;
  readonly #confirmRobots: Statement;
  readonly #readSources: Statement;
  readonly #writeSource: Statement;
  readonly #writeVisit: Statement;
  readonly #writeClock: Statement;
  readonly #writeWriter: Statement;
  readonly #forgetVisits: Statement;
  /** What {@link read} says, until it changes: nobody else writes of a site that is open. */
  #record: SiteRecord | undefined;
  /** What all sources remember, as JSON; read at once, since a visit asks for most of it. */
  #sources: Map<string, string> | undefined;

  /**
   * @param spoolFile - where readings wait that are large; it need not last
   * @param row - what the database says of it now; undefined if that is not known
   */
  constructor(
    connection: Connection,
    { file, site, spoolFile }: { readonly file: string; readonly site: number; readonly spoolFile: string },
    { late, counts }: SiteShared,
    row: SiteRow | undefined,
  ) {
    this.#connection = connection;
    this.#file = file;
    this.#site = site;
    this.#spoolFile = spoolFile;
    this.#late = late;
    this.#counts = counts;
    this.#record = row && recordOf(row);
    this.#read = prepareStatement(connection, `SELECT ${siteColumns} FROM site WHERE id = ?`);
    this.#writeRobots = prepareStatement(
      connection,
      "UPDATE site SET robots_agent = ?, robots_body = ?, robots_etag = ?, robots_modified = ?, robots_confirmed = ?, robots_fresh = ? WHERE id = ?",
    );
    this.#confirmRobots = prepareStatement(
      connection,
      "UPDATE site SET robots_confirmed = ?, robots_fresh = ? WHERE id = ?",
    );
    this.#readSources = prepareStatement(connection, "SELECT source, state FROM source_state WHERE site = ?");
    this.#writeSource = prepareStatement(
      connection,
      "INSERT INTO source_state VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state",
    );
    this.#writeVisit = prepareStatement(connection, "INSERT INTO visit (site, at, summary) VALUES (?, ?, ?)");
    this.#writeClock = prepareStatement(connection, "UPDATE site SET clock = ? WHERE id = ?");
    this.#writeWriter = prepareStatement(connection, "UPDATE site SET writer = ? WHERE id = ?");
    this.#forgetVisits = prepareStatement(
      connection,
      `DELETE FROM visit WHERE site = ?1 AND id <=
        (SELECT id FROM visit WHERE site = ?1 ORDER BY id DESC LIMIT 1 OFFSET ${maxVisits})`,
    );
  }

  read(): SiteRecord {
    this.#record ??= this.#readRecord();
    return this.#record;
  }

  #readRecord(): SiteRecord {
    this.flush();
    return recordOf(inDatabase(this.#file, () => this.#read.get(this.#site) as SiteRow));
  }

  rememberRobots(robots: RobotsCopy): void {
    const known = this.read().robots;
    this.#record = { ...this.read(), robots };
    // A copy that was only confirmed is not written anew, unless the one that it confirms waits to be written.
    if (known !== undefined && isSameBody(known, robots) && !this.#late.has("robots"))
      this.#late.add("confirmed", () => this.#confirmRobots.run(robots.confirmedAt, robots.freshMs, this.#site));
    else this.#late.add("robots", () => this.#keepRobots(robots));
  }

  #keepRobots({ agent, body, validators, confirmedAt, freshMs }: RobotsCopy): void {
    // As text: the binding does not take bytes.
    const text = Buffer.from(body).toString("base64");
    const { etag = null, lastModified = null } = validators;
    this.#writeRobots.run(agent, text, etag, lastModified, confirmedAt, freshMs, this.#site);
  }

  /** What a source remembers of the site, as it was given to {@link rememberSource}. */
  readSource(source: string): unknown {
    const state = this.#sourceStates().get(source);
    return state === undefined ? undefined : JSON.parse(state);
  }

  #sourceStates(): Map<string, string> {
    this.#sources ??= inDatabase(this.#file, () => new Map(this.#readSources.all(this.#site) as [string, string][]));
    return this.#sources;
  }

  /** Remembers what a source knows of the site: anything that JSON carries. */
  rememberSource(source: string, state: unknown): void {
    const text = JSON.stringify(state);
    const states = this.#sourceStates();
    if (states.get(source) === text) return;
    this.#late.add(`source ${source}`, () => this.#writeSource.run(this.#site, source, text));
    states.set(source, text);
  }

  /**
   * Notes what a visit came to, and forgets the oldest visit beyond the thousandth.
   *
   * @param clock - the numbers of the site's clocks when it ended
   */
  rememberVisit(at: EpochSeconds, summary: CrawlSummary, clock?: SiteClockState): void {
    inDatabase(this.#file, () =>
      this.#late.transact(() => {
        this.#writeVisit.run(this.#site, at, JSON.stringify(summary));
        this.#forgetVisits.run(this.#site);
        if (clock !== undefined) this.#keepClock(clock);
      }),
    );
  }

  /** Keeps the numbers of the site's clocks at once, and with them whatever waits to be written. */
  rememberClock(state: SiteClockState): void {
    inDatabase(this.#file, () => {
      this.#late.flush();
      this.#keepClock(state);
      // It is written before a request goes out, which a killed process must not forget.
      if (state.isOpen === 1) commitGroup(this.#connection);
    });
  }

  #keepClock(state: SiteClockState): void {
    this.#writeClock.run(JSON.stringify(state), this.#site);
    if (this.#record !== undefined) this.#record = { ...this.#record, clock: state };
  }

  /** Notes by which source the pages are followed from now on; durable at once. */
  rememberWriter(writer: SourceName): void {
    inDatabase(this.#file, () => this.#late.transact(() => this.#writeWriter.run(writer, this.#site)));
    if (this.#record !== undefined) this.#record = { ...this.#record, writer };
  }

  /** Writes what waits for a transaction. */
  flush(): void {
    inDatabase(this.#file, () => this.#late.flush());
  }

  beginIntake(): SiteIntake {
    const place = { file: this.#file, site: this.#site, late: this.#late };
    return new SiteIntake(this.#connection, place, new IntakeSpool(this.#spoolFile), () => {
      this.#record = undefined;
      this.#sources = undefined;
      this.#counts.forget();
    });
  }
}
