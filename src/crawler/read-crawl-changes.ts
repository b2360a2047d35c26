import { isUtf8 } from "node:buffer";
import type { EpochMs, SeenChange } from "../core/index.ts";
import { findStateFile, MirrorPlaces, StateReader } from "../storage/index.ts";

/** How far a crawler's changes were read. */
export interface CrawlCursor {
  /** The state's epoch; a cursor of another epoch is not valid. */
  readonly epoch: string;
  /** Everything up to and including this number has been read. */
  readonly number: number;
}

/** Which crawler's changes to read. */
export interface ReadCrawlChangesOptions {
  /** Folder of the mirrors (`into` of `crawlSite`), or the state file. */
  readonly store: string;
  /** Cursor of the last reading. Default: everything held is read. */
  readonly cursor?: CrawlCursor;
  /** Without a cursor: only what the crawler saw at or after this. Default: everything. */
  readonly since?: EpochMs;
}

/** A page that a crawler saw created, updated or deleted. */
export interface CrawlChange extends SeenChange {
  /** Its place in the order in which changes were seen: with the cursor's epoch, a cursor of all up to here. */
  readonly number: number;
  readonly url: string;
  /**
   * Absolute path of the body's file: a string, or bytes if the name is not UTF-8; undefined for a deletion and without
   * a mirror.
   */
  readonly file: string | Uint8Array | undefined;
  /** Name of the object that has the body, below the address of the store; undefined for a deletion and where none are kept. */
  readonly object: string | undefined;
}

/** Changes seen by a crawler. Dispose of it after reading: it keeps the state file open. */
export interface CrawlChanges extends Disposable {
  /** Whether the given cursor is no longer valid: discard everything read so far; the changes are everything held. */
  readonly reset: boolean;
  /** The new cursor; store it once all changes are processed. */
  readonly cursor: CrawlCursor;
  /**
   * Each page once, with its state at the start of the reading, in the order in which the changes were seen; can be
   * iterated once.
   */
  readonly changes: Iterable<CrawlChange>;
}

/**
 * Reads what a crawler saw created, updated and deleted since a cursor, whatever the source, so that an index or
 * another mirror can follow.
 *
 * Works while a crawl runs and does not block it; later changes belong to the next reading. Read promptly: the
 * database's log grows until the changes are disposed of. A page created and deleted since the cursor is skipped; one
 * deleted and created again is `created`. Memory does not grow with the number of changes.
 *
 * @throws TidemarkError `not-found`, `no-permission`, `state-corrupt`, `state-version`
 * @example
 * using seen = readCrawlChanges({ store: "mirrors" });
 * for (const { kind, url, file } of seen.changes) console.log(kind, url, file);
 */
export function readCrawlChanges({ store, cursor, since }: ReadCrawlChangesOptions): CrawlChanges {
  const reader = new StateReader(findStateFile(store));
  try {
    reader.freeze();
    const now: CrawlCursor = { epoch: reader.readEpoch(), number: reader.readNewestNumber() };
    // A number larger than any assigned means that the state was restored from a backup.
    const isVoid = cursor !== undefined && (cursor.epoch !== now.epoch || cursor.number > now.number);
    const from = since === undefined ? 0 : reader.findNumberBefore(Math.ceil(since / 1000));
    const after = cursor === undefined ? from : isVoid ? 0 : cursor.number;
    return {
      reset: isVoid,
      cursor: now,
      changes: readAfter(reader, after),
      [Symbol.dispose]: () => reader[Symbol.dispose](),
    };
  } catch (error) {
    reader[Symbol.dispose]();
    throw error;
  }
}

function* readAfter(reader: StateReader, after: number): Generator<CrawlChange, void, void> {
  const sites = new Map(reader.readSites().map((site) => [site.origin, site]));
  const places = new Map<string, MirrorPlaces>();
  for (const [origin, { folder }] of sites) if (folder !== undefined) places.set(origin, new MirrorPlaces(folder));
  for (const { number, change } of reader.readChanges(after)) {
    const { site, path, kind } = change;
    const known = kind === "deleted" ? undefined : sites.get(site);
    const file = kind === "deleted" ? undefined : places.get(site)?.fileOf(path);
    const isText = file === undefined || typeof file === "string" || !isUtf8(file);
    const object = known === undefined ? undefined : reader.findObject(known, path);
    yield { ...change, number, url: site + path, file: isText ? file : file.toString(), object };
  }
}
