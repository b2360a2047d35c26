import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { CrawlSummary, EpochSeconds, HeldBody, Page, SourceStateKey, StoredTrust } from "../../core/index.ts";
import { TidemarkError, wrapSystemError } from "../../core/index.ts";
import { objectNameOf, objectPrefixOf } from "../objects/object-name.ts";
import { type Connection, prepareStatement, rollBack } from "../sqlite/database.ts";
import { inDatabase } from "../sqlite/database-error.ts";
import { isInObjects, isMirrored, openStateForReading } from "./open-state.ts";
import { type PlannedSite, readPlannedSites } from "./plan-list.ts";
import {
  type CheckSpan,
  findNumberBefore,
  type NumberedChange,
  readNewestNumber,
  readSeenChanges,
  readSeenChecks,
  readSeenEvents,
} from "./seen-changes.ts";
import { stateFileIn } from "./store.ts";
import { StoredClaims } from "./stored-claims.ts";

const rowsAtATime = 1000;

const sql = {
  sites: "SELECT id, origin, mirror FROM site ORDER BY origin",
  epoch: "SELECT epoch FROM state_identity",
  held: "SELECT count(digest), coalesce(sum(size), 0) FROM url WHERE site = ?",
  pages: `SELECT path, size, digest, modified, media_type FROM url WHERE site = ?1 AND path > ?2
    AND digest IS NOT NULL ORDER BY path LIMIT ?3`,
  page: "SELECT size, digest, modified, media_type FROM url WHERE site = ?1 AND path = ?2 AND digest IS NOT NULL",
  // Of what is held: what is gone, or only leads elsewhere, is not planned.
  histories: `SELECT id, coalesce(history, '[]') FROM url
    WHERE site = ?1 AND state = 'known' AND digest IS NOT NULL AND id > ?2 ORDER BY id LIMIT ?3`,
  crawl: "SELECT id FROM object_crawl",
  object: "SELECT object FROM object_body WHERE site = ?1 AND path = ?2",
  source: "SELECT state FROM source_state WHERE site = ?1 AND source = ?2",
  visits: "SELECT at, summary FROM visit WHERE site = ?1 AND at >= ?2 ORDER BY id",
} as const;

/** A site of which a crawler holds pages. */
export interface KnownSite {
  /** Number within the state. */
  readonly id: number;
  readonly origin: string;
  /** Folder of its mirror, absolute; undefined if its bodies are kept in another way, or not at all. */
  readonly folder: string | undefined;
  /** What the names of its bodies begin with, if they are kept as objects. */
  readonly objectPrefix: string | undefined;
}

/** A visit that was made to a site. */
export interface PastVisit {
  /** When it began. */
  readonly at: EpochSeconds;
  readonly summary: CrawlSummary;
}

/**
 * Finds a crawler's state.
 *
 * @param place - folder of the mirrors, or the state's file
 * @throws TidemarkError `not-found` if there is none, `no-permission`
 */
export function findStateFile(place: string): string {
  const full = resolve(place);
  try {
    const file = statSync(full).isDirectory() ? stateFileIn(full) : full;
    if (file !== full) statSync(file);
    return file;
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ENOENT") throw wrapSystemError(error, `read ${full}`, { file: full });
    throw new TidemarkError("not-found", `There is no state of a crawler in ${full}.`, {
      hint: "Name the folder that tidemark crawl was given with --into, or the file that it was given with --state.",
      details: { file: full },
      cause: error,
    });
  }
}

/** A crawler's state, to be read also while a crawl runs. Disposed of by who opened it. */
export class StateReader implements Disposable {
  readonly #file: string;
  readonly #connection: Connection;

  /** @throws TidemarkError `not-found`, `no-permission`, `state-corrupt`, `state-version` */
  constructor(file: string) {
    this.#file = file;
    this.#connection = openStateForReading(file);
  }

  /** From now on everything is read as it is at this moment; what is written meanwhile cannot be given up by the log. */
  freeze(): void {
    inDatabase(this.#file, () => this.#connection.exec("BEGIN"));
  }

  /** The order that the changes' numbers are of; another state, or one that began anew, has another. */
  readEpoch(): string {
    return inDatabase(this.#file, () => (prepareStatement(this.#connection, sql.epoch).get() as [string])[0]);
  }

  /** The number of the last change; 0 if there is none. */
  readNewestNumber(): number {
    return inDatabase(this.#file, () => readNewestNumber(this.#connection));
  }

  /** The number after which everything was seen at or after a time. O(changes). */
  findNumberBefore(at: EpochSeconds): number {
    return inDatabase(this.#file, () => findNumberBefore(this.#connection, at));
  }

  /** What was seen after a number; see {@link readSeenChanges}. */
  *readChanges(after: number): Generator<NumberedChange, void, void> {
    yield* this.#readEach(readSeenChanges(this.#connection, after));
  }

  /** What was seen after a number, whoever reads it; see {@link readSeenEvents}. */
  *readEvents(after: number): Generator<NumberedChange, void, void> {
    yield* this.#readEach(readSeenEvents(this.#connection, after));
  }

  /** What was found unchanged in a time; see {@link readSeenChecks}. */
  *readChecks(span: CheckSpan): Generator<NumberedChange, void, void> {
    yield* this.#readEach(readSeenChecks(this.#connection, span));
  }

  *#readEach(changes: Generator<NumberedChange>): Generator<NumberedChange, void, void> {
    for (;;) {
      const next = inDatabase(this.#file, () => changes.next());
      if (next.done === true) return;
      yield next.value;
    }
  }

  /** How far the peers of the crawler are trusted. */
  readTrust(): StoredTrust {
    return new StoredClaims(this.#connection, this.#file).readTrust();
  }

  readSites(): KnownSite[] {
    const from = dirname(this.#file);
    const rows = inDatabase(this.#file, () => prepareStatement(this.#connection, sql.sites).all());
    return (rows as [number, string, string][]).map(([id, origin, mirror]) => {
      return {
        ...{ id, origin, folder: isMirrored(mirror) ? resolve(from, mirror) : undefined },
        objectPrefix: isInObjects(mirror) ? this.#readObjectPrefix(origin) : undefined,
      };
    });
  }

  #readObjectPrefix(origin: string): string | undefined {
    const row = inDatabase(this.#file, () => prepareStatement(this.#connection, sql.crawl).get());
    const [crawl] = (row as [string] | undefined) ?? [];
    return crawl === undefined ? undefined : objectPrefixOf(crawl, origin);
  }

  /** The name of the object that has the body of a page; undefined if there is none. */
  findObject({ id, objectPrefix }: KnownSite, path: string): string | undefined {
    if (objectPrefix === undefined) return undefined;
    const row = inDatabase(this.#file, () => prepareStatement(this.#connection, sql.object).get(id, path));
    const [object] = (row as [string] | undefined) ?? [];
    return object === undefined ? undefined : objectNameOf(objectPrefix, object);
  }

  /** All that is remembered of sites that are followed, in the order of origins. */
  readPlans(): PlannedSite[] {
    return inDatabase(this.#file, () => [...readPlannedSites(this.#connection)]);
  }

  /** What is held of a site. O(pages). */
  countHeld(site: number): { readonly pages: number; readonly bytes: number } {
    const row = inDatabase(this.#file, () => prepareStatement(this.#connection, sql.held).get(site));
    const [pages, bytes] = row as [number, number];
    return { pages, bytes };
  }

  /** The pages that are held of a site, in path order. */
  *readPages(site: number): Generator<Page & HeldBody, void, void> {
    const next = inDatabase(this.#file, () => prepareStatement(this.#connection, sql.pages));
    for (let after = ""; ; ) {
      const rows = inDatabase(this.#file, () => next.all(site, after, rowsAtATime));
      for (const [path, sizeBytes, digest, lastModified, mediaType] of rows as [
        string,
        number,
        string,
        number,
        string,
      ][]) {
        yield { path, sizeBytes, digest, lastModified, mediaType };
        after = path;
      }
      if (rows.length < rowsAtATime) return;
    }
  }

  /** A page that is held of a site. */
  findPage(site: number, path: string): (Page & HeldBody) | undefined {
    const row = inDatabase(this.#file, () => prepareStatement(this.#connection, sql.page).get(site, path));
    if (row === undefined) return undefined;
    const [sizeBytes, digest, lastModified, mediaType] = row as [number, string, number, string];
    return { path, sizeBytes, digest, lastModified, mediaType };
  }

  /** How each page changed that is held of a site and was asked for, as numbers that only the revisit plan reads. */
  *readHistories(site: number): Generator<readonly number[], void, void> {
    const next = inDatabase(this.#file, () => prepareStatement(this.#connection, sql.histories));
    for (let after = 0; ; ) {
      const rows = inDatabase(this.#file, () => next.all(site, after, rowsAtATime)) as [number, string][];
      for (const [id, history] of rows) {
        yield JSON.parse(history) as number[];
        after = id;
      }
      if (rows.length < rowsAtATime) return;
    }
  }

  /** What a source remembers of a site, as it was given; undefined if nothing. */
  readSource(site: number, source: SourceStateKey): unknown {
    const row = inDatabase(this.#file, () => prepareStatement(this.#connection, sql.source).get(site, source));
    return row === undefined ? undefined : JSON.parse((row as [string])[0]);
  }

  /** The visits to a site that began at or after a time, the oldest first. */
  readVisits(site: number, since: EpochSeconds): PastVisit[] {
    const rows = inDatabase(this.#file, () => prepareStatement(this.#connection, sql.visits).all(site, since));
    return (rows as [number, string][]).map(([at, summary]) => ({ at, summary: JSON.parse(summary) as CrawlSummary }));
  }

  [Symbol.dispose](): void {
    // Until its statements are collected the connection lives on, and with it what it froze.
    rollBack(this.#connection);
    this.#connection.close();
  }
}
