import type { ChangeMerge, ReadingPorts } from "../../../core/index.ts";
import {
  type Change,
  type CrawlEvent,
  type Cursor,
  type EpochSeconds,
  type MediaTypeFilter,
  ok,
  type Result,
  TidemarkError,
} from "../../../core/index.ts";
import type { RobotsAgent } from "../../../formats/robots/index.ts";
import { type ReadingVisit, throwIfAborted } from "../visit/reading-visit.ts";
import { Tally } from "../visit/tally.ts";
import { VisitBounds } from "../visit/visit-bounds.ts";
import { type ArchiveTrouble, readArchives } from "./archive-reading.ts";
import { locateIndex } from "./index-location.ts";
import { readIndex } from "./index-reading.ts";
import { sortChanges } from "./intake.ts";
import { type Reading, Readings } from "./readings.ts";
import { keepCrawlDelay, readRobots } from "./robots-rules.ts";

/** What is to be read of a site. */
export interface StreamOptions {
  readonly origin: string;
  /** The names under which robots.txt is obeyed; see `robotsAgentOf`. */
  readonly agent: RobotsAgent;
  readonly filter: MediaTypeFilter;
  readonly cursor?: Cursor;
  /** Without a cursor: pages last modified before this are left out. */
  readonly since?: EpochSeconds;
  /** Default 30,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: CrawlEvent) => void;
}

/** What a site published. */
export interface ChangeStream {
  /** Whether the cursor that was given is void, so that the changes are the whole site. */
  readonly reset: boolean;
  /** Where the changes lead to; to be kept once they have all been taken. */
  readonly cursor: Cursor;
  readonly changes: AsyncIterable<Change>;
}

interface Opening {
  readonly visit: ReadingVisit;
  readonly readings: Readings;
  readonly options: StreamOptions;
  readonly openMerge: () => ChangeMerge;
}

// So many changes are held in memory before the first is passed on, so that a broken archive can be gone around.
const maxChangesInMemory = 50_000;

// One interval, or a base without a chain, holds each path once already.
function isMerged(reading: Reading): boolean {
  return reading.intervals === (reading.source === "base" ? 0 : 1);
}

function wantedChanges(opening: Opening, reading: Reading, changes: readonly Change[]): Change[] {
  const { filter, since } = opening.options;
  return changes.filter(
    (change) =>
      change.kind === "deleted" ||
      (filter.matches(change.page.mediaType) &&
        (reading.source === "chain" || since === undefined || change.page.lastModified >= since)),
  );
}

async function* streamReading(opening: Opening, reading: Reading): AsyncGenerator<Change, void, void> {
  for await (const archive of readArchives(opening.visit, reading.folder, reading.archives)) {
    throwIfAborted(opening.visit);
    if (!archive.ok)
      throw new TidemarkError("archive-corrupt", `An archive cannot be used: ${archive.error.message}.`, {
        hint: "Discard what was printed and run the same command again.",
      });
    yield* wantedChanges(opening, reading, archive.value.changes);
  }
}

async function collectReading(opening: Opening, reading: Reading): Promise<Result<Change[], ArchiveTrouble>> {
  const collected: Change[] = [];
  for await (const archive of readArchives(opening.visit, reading.folder, reading.archives)) {
    throwIfAborted(opening.visit);
    if (!archive.ok) return archive;
    for (const change of wantedChanges(opening, reading, archive.value.changes)) collected.push(change);
  }
  return ok(collected);
}

async function mergeReading(
  opening: Opening,
  reading: Reading,
  merge: ChangeMerge,
): Promise<ArchiveTrouble | undefined> {
  const { filter, since } = opening.options;
  const whole = reading.source === "base";
  for await (const archive of readArchives(opening.visit, reading.folder, reading.archives)) {
    throwIfAborted(opening.visit);
    if (!archive.ok) return archive.error;
    const { changes, archive: source } = archive.value;
    const sorted = sortChanges(changes, filter, source.inBase ? since : undefined);
    if (whole) {
      // A whole listing says what is there; what is not, it does not say.
      merge.forget(sorted.withdrawn);
      const pages = new Set(sorted.wanted);
      merge.add(changes.filter((change) => change.kind !== "deleted" && pages.has(change.page)));
      continue;
    }
    const gone = new Set(sorted.withdrawn);
    merge.withdraw(
      changes.flatMap((change) => (change.kind !== "deleted" && gone.has(change.page.path) ? [change.page.path] : [])),
    );
    merge.add(changes.filter((change) => change.kind === "deleted" || !gone.has(change.page.path)));
  }
  return undefined;
}

async function* once(changes: Iterable<Change>): AsyncGenerator<Change, void, void> {
  yield* changes;
}

function unavailable(code: string, message: string): TidemarkError {
  return new TidemarkError(code === "no-archives" ? "no-archives" : "site-unavailable", message, {
    hint: code === "no-archives" ? "Ask the site's owner to run `tidemark export`." : "Try again later.",
  });
}

/**
 * Reads what a site published since a cursor, or all of it, without asking for a page.
 *
 * A single interval and a plain base are passed on as they come; several are merged first, so that each
 * path stands once.
 *
 * @param openMerge - opens the place where changes are merged; called at most once a reading
 * @throws TidemarkError `no-archives`, `site-unavailable`, `aborted`; while it is read also `archive-corrupt`
 */
export async function openChangeStream(
  ports: ReadingPorts,
  options: StreamOptions,
  openMerge: () => ChangeMerge,
): Promise<ChangeStream> {
  const { origin, agent, filter, cursor, since, timeoutMs = 30_000, signal, onEvent } = options;
  const report = onEvent ?? (() => undefined);
  const tally = new Tally();
  const bounds = new VisitBounds();
  const visit: ReadingVisit = { origin, agent, ports, tally, report, concurrency: 1, timeoutMs, bounds, signal };
  const rules = await readRobots(visit, undefined);
  throwIfAborted(visit);
  if (!rules.ok) throw unavailable(rules.error.code, rules.error.message);
  keepCrawlDelay(visit, rules.value.robots);
  const location = locateIndex(visit, rules.value.robots);
  if (location === undefined)
    throw unavailable(
      "no-archives",
      "The site names no archives, and robots.txt disallows the place where they usually are.",
    );
  const found = await readIndex(visit, { path: location.path });
  throwIfAborted(visit);
  if (found.kind === "unusable") throw unavailable("site-unavailable", `The index cannot be used: ${found.message}.`);
  if (found.kind !== "index")
    throw unavailable("no-archives", `The site publishes no archives: there is no index at ${location.path}.`);
  const readings = new Readings(
    visit,
    { location, index: found.index, validators: found.validators },
    { filter, cursor, since },
    false,
  );
  const opening: Opening = { visit, readings, options, openMerge };
  let trouble: ArchiveTrouble | undefined;
  for (;;) {
    const reading = await readings.next(trouble);
    throwIfAborted(visit);
    if (!reading.ok) throw unavailable(reading.error.code, reading.error.message);
    if (reading.value === undefined) {
      if (cursor === undefined) throw new TypeError("an index cannot be older than no cursor");
      return { reset: false, cursor, changes: once([]) };
    }
    const reset = cursor !== undefined && reading.value.source === "base";
    const to = reading.value.cursor;
    if (isMerged(reading.value)) {
      const count = reading.value.archives.reduce((sum, { entry }) => sum + entry.changes, 0);
      if (count > maxChangesInMemory) return { reset, cursor: to, changes: streamReading(opening, reading.value) };
      const collected = await collectReading(opening, reading.value);
      if (collected.ok) return { reset, cursor: to, changes: once(collected.value) };
      trouble = collected.error;
      continue;
    }
    const merge = openMerge();
    trouble = await mergeReading(opening, reading.value, merge);
    if (trouble === undefined) return { reset, cursor: to, changes: once(merge.changes()) };
  }
}
