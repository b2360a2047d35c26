import {
  type Change,
  type ChangeMerge,
  type CrawlEvent,
  type Cursor,
  type EpochSeconds,
  type MediaTypeFilter,
  ok,
  type ReadingPorts,
  type Result,
  TidemarkError,
} from "../../../core/index.ts";
import type { RobotsAgent } from "../../../formats/robots/index.ts";
import { defaultTimeoutMs, type ReadingVisit, throwIfAborted } from "../visit/reading-visit.ts";
import { Tally } from "../visit/tally.ts";
import { VisitBounds } from "../visit/visit-bounds.ts";
import { type ArchiveTrouble, readArchives } from "./archive-reading.ts";
import { locateIndex, readIndex } from "./index-reading.ts";
import { sortChanges } from "./intake.ts";
import { carryOutReading, type Reading } from "./readings.ts";
import { keepCrawlDelay, readRobots } from "./robots-rules.ts";

/** What to read of a site. */
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
  /** Whether the given cursor is void, so that the changes are the whole site. */
  readonly reset: boolean;
  /** Where the changes lead to; to be kept once all of them are processed. */
  readonly cursor: Cursor;
  readonly changes: AsyncIterable<Change>;
}

// So many changes are held in memory before the first is passed on: a broken archive can then still be avoided.
const maxChangesInMemory = 50_000;

const stopHint = "No cursor moved: the same command reads all of these changes again.";

async function* once(changes: Iterable<Change>): AsyncGenerator<Change, void, void> {
  yield* changes;
}

function unavailable(code: string, message: string): TidemarkError {
  return new TidemarkError(code === "no-archives" ? "no-archives" : "site-unavailable", message, {
    hint: code === "no-archives" ? "Ask the site's owner to run `tidemark export`." : "Try again later.",
  });
}

/** The changes of a reading that are wanted, archive by archive. */
async function* readWanted(
  visit: ReadingVisit,
  reading: Reading,
  { filter, since }: StreamOptions,
): AsyncGenerator<Result<Change[], ArchiveTrouble>, void, void> {
  const isWanted = (change: Change): boolean =>
    change.kind === "deleted" ||
    (filter.matches(change.page.mediaType) &&
      (reading.source === "chain" || since === undefined || change.page.lastModified >= since));
  for await (const archive of readArchives(visit, reading.folder, reading.archives)) {
    throwIfAborted(visit);
    yield archive.ok ? ok(archive.value.changes.filter(isWanted)) : archive;
  }
}

async function* streamReading(
  visit: ReadingVisit,
  reading: Reading,
  options: StreamOptions,
): AsyncGenerator<Change, void, void> {
  for await (const changes of readWanted(visit, reading, options)) {
    if (!changes.ok)
      throw new TidemarkError("archive-corrupt", `An archive cannot be used: ${changes.error.message}.`, {
        hint: "Discard what was printed and run the same command again.",
      });
    yield* changes.value;
  }
}

async function collectReading(
  visit: ReadingVisit,
  reading: Reading,
  options: StreamOptions,
): Promise<Result<Change[], ArchiveTrouble>> {
  const collected: Change[] = [];
  for await (const changes of readWanted(visit, reading, options)) {
    if (!changes.ok) return changes;
    for (const change of changes.value) collected.push(change);
  }
  return ok(collected);
}

async function mergeReading(
  visit: ReadingVisit,
  reading: Reading,
  { filter, since }: StreamOptions,
  merge: ChangeMerge,
): Promise<Result<Iterable<Change>, ArchiveTrouble>> {
  for await (const archive of readArchives(visit, reading.folder, reading.archives)) {
    throwIfAborted(visit);
    if (!archive.ok) return archive;
    const { changes, archive: source } = archive.value;
    const { wanted, withdrawn } = sortChanges(changes, filter, source.inBase ? since : undefined);
    if (reading.source === "base") {
      // A whole listing says what is there; what is not, it does not say.
      merge.forget(withdrawn);
      const pages = new Set(wanted);
      merge.add(changes.filter((change) => change.kind !== "deleted" && pages.has(change.page)));
      continue;
    }
    const gone = new Set(withdrawn);
    merge.withdraw(
      changes.flatMap((change) => (change.kind !== "deleted" && gone.has(change.page.path) ? [change.page.path] : [])),
    );
    merge.add(changes.filter((change) => change.kind === "deleted" || !gone.has(change.page.path)));
  }
  return ok(merge.changes());
}

/**
 * Reads what a site published since a cursor, or all of it, without requesting a page.
 *
 * A single interval and a plain base are passed on as they come; several are merged first, so that each path stands once.
 *
 * @param openMerge - opens the place where changes are merged; called at most once per reading
 * @throws TidemarkError `no-archives`, `site-unavailable`, `aborted`; during iteration also `archive-corrupt`
 */
export async function openChangeStream(
  ports: ReadingPorts,
  options: StreamOptions,
  openMerge: () => ChangeMerge,
): Promise<ChangeStream> {
  const { origin, agent, filter, cursor, since, timeoutMs = defaultTimeoutMs, signal, onEvent } = options;
  const report = onEvent ?? (() => undefined);
  const tally = new Tally();
  const bounds = new VisitBounds();
  const facts = { origin, agent, ports, tally, report, timeoutMs, bounds, signal, stopHint };
  const asker: ReadingVisit = { ...facts, concurrency: 1 };
  const rules = await readRobots(asker, undefined);
  throwIfAborted(asker);
  if (!rules.ok) throw unavailable(rules.error.code, rules.error.message);
  const { robots } = rules.value;
  const visit: ReadingVisit = { ...asker, robots };
  keepCrawlDelay(visit, robots);
  const location = locateIndex(visit, robots);
  if (location === undefined)
    throw unavailable(
      "no-archives",
      "The site names no archives, and robots.txt disallows the place where they usually are.",
    );
  const found = await readIndex(visit, location.path);
  throwIfAborted(visit);
  if (found.kind === "unusable") throw unavailable("site-unavailable", `The index cannot be used: ${found.message}.`);
  if (found.kind !== "index")
    throw unavailable("no-archives", `The site publishes no archives: there is no index at ${location.path}.`);
  const wanted = { filter, cursor, since };
  const stream = await carryOutReading(visit, location, found, { wanted, wholeBase: false }, async (reading) => {
    const reset = cursor !== undefined && reading.source === "base";
    const to = reading.cursor;
    // One interval, or a base without a chain, holds each path once already.
    const isMerged = reading.intervals === (reading.source === "base" ? 0 : 1);
    const count = reading.archives.reduce((sum, { entry }) => sum + entry.changes, 0);
    if (isMerged && count > maxChangesInMemory)
      return ok({ reset, cursor: to, changes: streamReading(visit, reading, options) });
    const changes = isMerged
      ? await collectReading(visit, reading, options)
      : await mergeReading(visit, reading, options, openMerge());
    return changes.ok ? ok({ reset, cursor: to, changes: once(changes.value) }) : changes;
  });
  if (!stream.ok) throw unavailable(stream.error.code, stream.error.message);
  if (stream.value !== undefined) return stream.value;
  if (cursor === undefined) throw new TypeError("an index cannot be older than no cursor");
  return { reset: false, cursor, changes: once([]) };
}
