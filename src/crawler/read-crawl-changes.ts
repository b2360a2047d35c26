import { isUtf8 } from "node:buffer";
import type { EpochMs, SeenChange } from "../core/index.ts";
import { findStateFile, MirrorPlaces, StateReader } from "../storage/index.ts";

/** How far what a crawler saw was read. */
export interface CrawlCursor {
  /** The state's; a cursor of another epoch is void. */
  readonly epoch: string;
  /** Everything up to and including this number is known. */
  readonly number: number;
}

/** Which crawler's changes to read. */
export interface ReadCrawlChangesOptions {
  /** Folder of the mirrors, as `crawlSite` has it in `into`, or the state's file. */
  readonly store: string;
  /** Where the last reading led to. Default: everything that is held is read. */
  readonly cursor?: CrawlCursor;
  /** Without a cursor: only what the crawler saw at or after this. Default: everything. */
  readonly since?: EpochMs;
}

/** A page that a crawler saw come, change or go. */
export interface CrawlChange extends SeenChange {
  readonly url: string;
  /** The body's file, absolute: a text, or bytes where the name is not UTF-8; undefined of a deletion and where no mirror is kept. */
  readonly file: string | Uint8Array | undefined;
}

/** What a crawler saw. Dispose of it after reading: it keeps the state's file open. */
export interface CrawlChanges extends Disposable {
  /** Whether the cursor that was given is void: forget what it led to, the changes are everything that is held. */
  readonly reset: boolean;
  /** Where the changes lead to; keep it once all of them are taken care of. */
  readonly cursor: CrawlCursor;
  /** Each page once, as it was when the reading began, in the order in which the changes were seen; to be read once. */
  readonly changes: Iterable<CrawlChange>;
}

/**
 * Reads what a crawler saw created, updated and deleted since a cursor, whatever it learned that from, so that an index
 * or a mirror elsewhere can follow.
 *
 * Works while a crawl runs, and keeps it from nothing; what it writes meanwhile comes with the next reading. Read
 * promptly: the database's log grows until the changes are disposed of. A page that came and went since the cursor is
 * passed over; one that went and came again is `created`. Memory does not grow with the number of changes.
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
    // A number that was not given yet is of a state that was put back to what it was before.
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
  const places = new Map<string, MirrorPlaces>();
  for (const { origin, folder } of reader.readSites())
    if (folder !== undefined) places.set(origin, new MirrorPlaces(folder));
  for (const { change } of reader.readChanges(after)) {
    const { site, path, kind } = change;
    const file = kind === "deleted" ? undefined : places.get(site)?.fileOf(path);
    const isText = file === undefined || typeof file === "string" || !isUtf8(file);
    yield { ...change, url: site + path, file: isText ? file : file.toString() };
  }
}
