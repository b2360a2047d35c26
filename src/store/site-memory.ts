import type {
  CrawlSummary,
  EpochSeconds,
  RobotsCopy,
  SiteClockState,
  SitePosition,
  SiteRecord,
  Validators,
} from "../model/index.ts";
import { type Connection, prepareStatement, type Statement, transact } from "./database.ts";
import { inDatabase } from "./database-error.ts";
import { IntakeSpool } from "./intake-spool.ts";
import { SiteIntake } from "./site-intake.ts";

/** Visits to a site that are remembered. */
const maxVisits = 1000;

type Text = string | null;
type Count = number | null;
type RobotsRow = [Text, Text, Text, Count, number, Text];
type SiteRow = [Text, Count, Text, Count, Text, Text, Text, ...RobotsRow];

function validatorsOf(etag: Text, lastModified: Text): Validators {
  return { ...(etag === null ? {} : { etag }), ...(lastModified === null ? {} : { lastModified }) };
}

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
];

function parseClock(text: Text | undefined): SiteClockState | undefined {
  if (text === null || text === undefined) return undefined;
  try {
    const numbers = Object(JSON.parse(text)) as Record<string, unknown>;
    return Object.fromEntries(clockNumbers.map((name) => [name, Number(numbers[name])])) as unknown as SiteClockState;
  } catch {
    return undefined;
  }
}

/** What is remembered of one site beside its pages. */
export class StoredSite {
  readonly #connection: Connection;
  readonly #file: string;
  readonly #site: number;
  readonly #spoolFile: string;
  readonly #read: Statement;
  readonly #writeRobots: Statement;
  readonly #readSource: Statement;
  readonly #writeSource: Statement;
  readonly #writeVisit: Statement;
  readonly #writeClock: Statement;
  readonly #forgetVisits: Statement;
  /** What {@link read} says, until it changes: nobody else writes of a site that is open. */
  #record: SiteRecord | undefined;
  /** What {@link readSource} found by source, as JSON; undefined where nothing is remembered. */
  readonly #sources = new Map<string, string | undefined>();

  /** @param spoolFile - where readings wait that are large; it need not last */
  constructor(connection: Connection, file: string, site: number, spoolFile: string) {
    this.#connection = connection;
    this.#file = file;
    this.#site = site;
    this.#spoolFile = spoolFile;
    this.#read = prepareStatement(
      connection,
      `SELECT epoch, publication, types_key, since, index_path, index_etag, index_modified,
        robots_body, robots_etag, robots_modified, robots_confirmed, robots_fresh, clock FROM site WHERE id = ?`,
    );
    this.#writeRobots = prepareStatement(
      connection,
      "UPDATE site SET robots_body = ?, robots_etag = ?, robots_modified = ?, robots_confirmed = ?, robots_fresh = ? WHERE id = ?",
    );
    this.#readSource = prepareStatement(connection, "SELECT state FROM source_state WHERE site = ? AND source = ?");
    this.#writeSource = prepareStatement(
      connection,
      "INSERT INTO source_state VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state",
    );
    this.#writeVisit = prepareStatement(connection, "INSERT INTO visit (site, at, summary) VALUES (?, ?, ?)");
    this.#writeClock = prepareStatement(connection, "UPDATE site SET clock = ? WHERE id = ?");
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
    return inDatabase(this.#file, () => {
      const row = this.#read.get(this.#site) as SiteRow;
      const [epoch, publication, typesKey, since, indexPath, etag, modified] = row;
      const [body, robotsEtag, robotsModified, at, freshMs, clock] = row.slice(7) as RobotsRow;
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
              body: Buffer.from(body, "base64"),
              validators: validatorsOf(robotsEtag, robotsModified),
              confirmedAt: at,
              freshMs,
            };
      return { position, robots, clock: parseClock(clock) };
    });
  }

  rememberRobots(robots: RobotsCopy): void {
    const { body, validators, confirmedAt, freshMs } = robots;
    // As text: the binding does not take bytes.
    const text = Buffer.from(body).toString("base64");
    inDatabase(this.#file, () =>
      this.#writeRobots.run(
        text,
        validators.etag ?? null,
        validators.lastModified ?? null,
        confirmedAt,
        freshMs,
        this.#site,
      ),
    );
    if (this.#record !== undefined) this.#record = { ...this.#record, robots };
  }

  /** What a source remembers of the site, as it was given to {@link rememberSource}. */
  readSource(source: string): unknown {
    const state = this.#sources.has(source) ? this.#sources.get(source) : this.#readSourceState(source);
    return state === undefined ? undefined : JSON.parse(state);
  }

  #readSourceState(source: string): string | undefined {
    const row = inDatabase(this.#file, () => this.#readSource.get(this.#site, source) as [string] | undefined);
    this.#sources.set(source, row?.[0]);
    return row?.[0];
  }

  /** Remembers what a source knows of the site: anything that JSON carries. */
  rememberSource(source: string, state: unknown): void {
    const text = JSON.stringify(state);
    if (this.#sources.get(source) === text) return;
    inDatabase(this.#file, () => this.#writeSource.run(this.#site, source, text));
    this.#sources.set(source, text);
  }

  /** Notes what a visit came to, and forgets the oldest visit beyond the thousandth. */
  rememberVisit(at: EpochSeconds, summary: CrawlSummary): void {
    inDatabase(this.#file, () =>
      transact(this.#connection, () => {
        this.#writeVisit.run(this.#site, at, JSON.stringify(summary));
        this.#forgetVisits.run(this.#site);
      }),
    );
  }

  rememberClock(state: SiteClockState): void {
    inDatabase(this.#file, () => this.#writeClock.run(JSON.stringify(state), this.#site));
    if (this.#record !== undefined) this.#record = { ...this.#record, clock: state };
  }

  beginIntake(): SiteIntake {
    return new SiteIntake(this.#connection, this.#file, this.#site, new IntakeSpool(this.#spoolFile), () => {
      this.#record = undefined;
      this.#sources.clear();
    });
  }
}
