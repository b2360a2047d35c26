import type { Robots } from "../format/index.ts";
import {
  type CrawlEvent,
  type CrawlSummary,
  type EpochSeconds,
  type MediaTypeFilter,
  ok,
  problem,
  type Result,
  type RobotsCopy,
  type SiteClockState,
  type SitePosition,
  type SiteRecord,
} from "../model/index.ts";
import type { CrawlVisit } from "./crawl-visit.ts";
import { locateIndex } from "./index-location.ts";
import { readIndex } from "./index-reading.ts";
import { takeIn } from "./intake.ts";
import { doPageWork } from "./page-work.ts";
import type { CrawlPorts } from "./ports.ts";
import type { Wanted } from "./reading-plan.ts";
import { type ReadingVisit, throwIfAborted, warn } from "./reading-visit.ts";
import { Readings } from "./readings.ts";
import { keepCrawlDelay, readRobots } from "./robots-rules.ts";
import { Tally } from "./tally.ts";

/** What a visit is to do. */
export interface VisitOptions {
  /** Such as `https://example.org`, without a slash at the end. */
  readonly origin: string;
  /** Media types of the pages that are wanted. */
  readonly filter: MediaTypeFilter;
  /** On the first visit, pages last modified before this are not asked for. Default: all pages are. */
  readonly since?: EpochSeconds;
  /** Page requests that the visit may make; the rest stays work. Default: no bound. */
  readonly budget?: number;
  /** Requests under way at once. Default 1. */
  readonly concurrency?: number;
  /** Time for a small request, in milliseconds; large bodies get more, at 64 bytes a millisecond. Default 30,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: CrawlEvent) => void;
}

interface Selection {
  readonly wanted: Wanted;
  /** The position that is gone on from; undefined if there is none that fits. */
  readonly position: SitePosition | undefined;
}

// Other media types, or an earlier date than before: what was passed over then is wanted now.
function select(options: VisitOptions, remembered: SitePosition | undefined): Selection {
  const { filter, since } = options;
  const covers = since === undefined || remembered?.since === undefined || remembered.since <= since;
  const position = remembered?.typesKey === filter.key && covers ? remembered : undefined;
  return {
    wanted: {
      filter,
      cursor: position?.cursor,
      since: position === undefined ? (since ?? remembered?.since) : position.since,
    },
    position,
  };
}

async function followArchives(
  visit: ReadingVisit,
  ports: CrawlPorts,
  robots: Robots,
  selection: Selection,
): Promise<Result<SitePosition | undefined>> {
  const location = locateIndex(visit, robots);
  if (location === undefined)
    return problem("no-archives", "The site names no archives, and robots.txt forbids to look.");
  const { wanted, position } = selection;
  const found = await readIndex(visit, {
    path: location.path,
    ...(position?.indexPath === location.path ? { validators: position.indexValidators } : {}),
  });
  throwIfAborted(visit);
  ports.gate?.describe(visit.origin, { hasArchives: found.kind === "index" || found.kind === "not-modified" });
  switch (found.kind) {
    case "not-modified":
      visit.report({
        event: "plan",
        site: visit.origin,
        source: "unchanged",
        archives: 0,
        metadataBytes: 0,
        changes: 0,
      });
      return ok(position);
    case "absent":
      return problem(
        "no-archives",
        location.announced
          ? `robots.txt names an index, but there is none at ${location.path}.`
          : `The site publishes no archives: robots.txt names none, and there is none at ${location.path}.`,
      );
    case "unusable":
      return problem("site-unavailable", `The index cannot be used: ${found.message}.`);
    case "index": {
      const wholeBase = ports.work.counts().held > 0;
      const readings = new Readings(
        visit,
        { location, index: found.index, validators: found.validators },
        wanted,
        wholeBase,
      );
      return takeIn(visit, readings, { memory: ports.memory, wanted, indexPath: location.path });
    }
  }
}

function isSameRobots(a: RobotsCopy | undefined, b: RobotsCopy): boolean {
  return a !== undefined && a.body.length === b.body.length && a.body.every((byte, at) => byte === b.body[at]);
}

function prepareGate(visit: ReadingVisit, record: SiteRecord): void {
  const { gate } = visit.ports;
  gate?.describe(visit.origin, { concurrency: visit.concurrency, hasArchives: record.position !== undefined });
  if (record.clock !== undefined) gate?.restore(visit.origin, record.clock);
}

function rememberClock({ origin, ports }: { origin: string; ports: CrawlPorts }, isOpen: boolean): void {
  const state = ports.gate?.stateOf(origin, isOpen);
  if (state !== undefined) ports.memory.rememberClock(state);
}

async function followAndFetch(
  visit: Omit<CrawlVisit, "robots">,
  options: VisitOptions,
  record: SiteRecord,
): Promise<{ source: CrawlSummary["source"]; position: SitePosition | undefined }> {
  const { ports } = visit;
  const rules = await readRobots(visit, record.robots);
  throwIfAborted(visit);
  if (!rules.ok) {
    warn(visit, rules.error.code, rules.error.message);
    return { source: "none", position: record.position };
  }
  const { robots, copy } = rules.value;
  keepCrawlDelay(visit, robots);
  if (copy !== undefined) {
    if (!isSameRobots(record.robots, copy)) ports.work.reopenDisallowed();
    ports.memory.rememberRobots(copy);
  }
  const followed = await followArchives(visit, ports, robots, select(options, record.position));
  if (!followed.ok) warn(visit, followed.error.code, followed.error.message);
  if (ports.work.counts().pending > 0) await doPageWork({ ...visit, robots });
  const position = followed.ok ? followed.value : undefined;
  return { source: followed.ok ? "archives" : "none", position: position ?? record.position };
}

/**
 * Visits a site once: robots.txt, the index, the archives that lead from what is known to now, and
 * then the pages that changed. Everything comes in through ports, so that the same visit runs under
 * virtual time.
 *
 * A site that cannot be asked is no error: the summary's `source` is `none` and a warning
 * `site-unavailable` or `no-archives` says why; work that was pending is still done where that is allowed.
 *
 * @throws TidemarkError `aborted` after the signal, with everything that was done kept; errors of the store
 */
export async function visitSite(ports: CrawlPorts, options: VisitOptions): Promise<CrawlSummary> {
  const { origin, budget = Number.POSITIVE_INFINITY, concurrency = 1, timeoutMs = 30_000, signal, onEvent } = options;
  const startedAt = ports.timing.now();
  const tally = new Tally();
  const visit = {
    ...{ origin, ports, tally, concurrency, timeoutMs, signal, budget },
    report: onEvent ?? (() => undefined),
    rememberClock: (state: SiteClockState): void => ports.memory.rememberClock(state),
  };
  const record = ports.memory.read();
  prepareGate(visit, record);
  rememberClock(visit, true);
  try {
    const { source, position } = await followAndFetch(visit, options, record);
    const elapsedMs = ports.timing.now() - startedAt;
    return tally.summary(origin, source, { cursor: position?.cursor, counts: ports.work.counts(), elapsedMs });
  } finally {
    rememberClock(visit, false);
  }
}
