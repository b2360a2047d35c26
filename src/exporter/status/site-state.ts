import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { EpochSeconds } from "../../core/index.ts";
import { formatArchiveIndex, formatArchiveName, parseBaseList, publishedFolder } from "../../formats/archive/index.ts";
import { findLockHolder, type LockHolder } from "../../fs/index.ts";
import { type LastRun, readLastRun } from "../last-run.ts";
import { ArchiveFiles } from "../publish/archive-files.ts";
import { type Interval, type Ledger, readLedger } from "../publish/ledger.ts";
import { readPublishedIndex, toIndex } from "../publish/published-files.ts";
import { namesOf } from "../publish/retired-files.ts";
import { changesUntilBase, countChanges, findCompleteFrom, planFinestChain } from "../publish/tiers.ts";

/** What changed on one day. */
export interface ChangeDay {
  /** As `2026-11-20`, in UTC. */
  readonly date: string;
  /** Lines of change: a page that changed twice may count once where publications were merged. */
  readonly changes: number;
  /** Whether some of it is a share of an interval that reaches over several days. */
  readonly isEstimate: boolean;
}

/** What the exporter remembers of its publications. */
export interface LedgerState {
  readonly site: string;
  readonly epoch: string;
  readonly publication: EpochSeconds;
  readonly pages: number;
  readonly base: EpochSeconds;
  readonly changesSinceBase: number;
  /** How many more changed lines make a new base due. */
  readonly changesUntilBase: number;
  readonly intervals: number;
  /** Archives of the intervals and the base. */
  readonly archives: number;
  /** Bytes of the intervals' archives. */
  readonly intervalBytes: number;
  readonly days: readonly ChangeDay[];
}

/** What lies in the document root, held against what the exporter remembers. */
export interface PublishedState {
  readonly docroot: string;
  /** Whether the index is the one that the ledger stands for; `no-docroot` if there is no document root at all. */
  readonly index: "equal" | "differs" | "missing" | "no-docroot";
  /** Archives that are listed and not there, a few of them; the base's too, where its list can be read. */
  readonly missing: readonly string[];
  readonly missingCount: number;
  /** Bytes of all listed archives and the base's list; undefined if that list cannot be read. */
  readonly listedBytes: number | undefined;
}

/** All that can be told of an exporter without running it. */
export interface SiteState {
  readonly ledger: LedgerState | undefined;
  readonly lastRun: LastRun | undefined;
  /** Undefined if there is no ledger, or nobody said which document root. */
  readonly published: PublishedState | undefined;
  readonly lock: LockHolder | undefined;
}

const daySeconds = 86_400;
const namesTold = 5;
const defaultSegmentSize = 2000;

/**
 * Looks at an exporter's state folder and, if it knows which, at the document root. Nothing is written or locked.
 *
 * @param docroot - default that of the last run
 * @param now - the last of the days
 * @throws TidemarkError `state-corrupt`, `state-version`, `no-permission`
 */
export async function readSiteState(
  stateDir: string,
  docroot: string | undefined,
  now: EpochSeconds,
  days: number,
): Promise<SiteState> {
  const [ledger, lastRun, lock] = await Promise.all([
    readLedger(stateDir),
    readLastRun(stateDir),
    findLockHolder(stateDir),
  ]);
  const root = docroot ?? lastRun?.docroot;
  const published = ledger === undefined || root === undefined ? undefined : await inspect(ledger, root);
  const state = ledger && toState(ledger, lastRun?.segmentSize ?? defaultSegmentSize, now, days);
  return { ledger: state, lastRun, published, lock };
}

function toState(ledger: Ledger, segmentSize: number, now: EpochSeconds, days: number): LedgerState {
  const { site, epoch, publication, pages, base, intervals, changesSinceBase } = ledger;
  const archives = intervals.flatMap((interval) => interval.archives);
  return {
    site,
    epoch,
    publication,
    pages,
    base: base.publication,
    changesSinceBase,
    changesUntilBase: changesUntilBase(changesSinceBase, pages, segmentSize),
    intervals: intervals.length,
    archives: base.archives + archives.length,
    intervalBytes: archives.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    days: countChangesByDay(intervals, now, days),
  };
}

async function inspect(ledger: Ledger, docroot: string): Promise<PublishedState> {
  const isThere = await stat(docroot).then(
    (status) => status.isDirectory(),
    () => false,
  );
  if (!isThere) return { docroot, index: "no-docroot", missing: [], missingCount: 0, listedBytes: undefined };
  const files = new ArchiveFiles(join(docroot, publishedFolder.slice(1)));
  const there = new Set(await readdir(files.folder).catch(() => []));
  const { base, intervals } = ledger;
  const names = [...namesOf(intervals), formatArchiveName(base.list.name)];
  let listedBytes: number | undefined;
  const list = await files.readContent(base.list.name).then(parseBaseList, () => undefined);
  if (list?.ok === true) {
    names.push(...list.value.archives.map(({ name }) => formatArchiveName(name)));
    const entries = [base.list, ...list.value.archives, ...intervals.flatMap(({ archives }) => archives)];
    listedBytes = entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }
  const missing = names.filter((name) => !there.has(name));
  return {
    docroot,
    index: await compareIndex(files.folder, ledger),
    missing: missing.slice(0, namesTold),
    missingCount: missing.length,
    listedBytes,
  };
}

async function compareIndex(folder: string, ledger: Ledger): Promise<PublishedState["index"]> {
  const published = await readPublishedIndex(folder).catch(() => undefined);
  if (published === undefined) return "missing";
  return published.text === formatArchiveIndex(toIndex(ledger)) ? "equal" : "differs";
}

/**
 * Counts changes by day, from the finest intervals that still tell: those of one publication count on its day,
 * and older ones, of which only mergers are left, are spread evenly over the days that they reach over.
 *
 * @param now - the last day is the one that this is in
 * @param days - how many days, the oldest first
 */
export function countChangesByDay(intervals: readonly Interval[], now: EpochSeconds, days: number): ChangeDay[] {
  const first = Math.floor(now / daySeconds) - days + 1;
  const counts = new Array<number>(days).fill(0);
  const estimates = new Set<number>();
  const newest = Math.max(0, ...intervals.map(({ to }) => to));
  const finest = planFinestChain(intervals, findCompleteFrom(intervals, newest), newest) ?? [];
  for (const interval of finest) {
    const { from, to, tier } = interval;
    const changes = countChanges(interval);
    const last = Math.floor(to / daySeconds);
    // What one publication made public became so at its end, however long ago the one before was.
    const begin = tier === 0 ? last : Math.floor((from + 1) / daySeconds);
    const shares = tier === 0 ? [changes] : spread(changes, from, to);
    for (let day = Math.max(begin, first); day <= Math.min(last, first + days - 1); day++) {
      counts[day - first] = (counts[day - first] ?? 0) + (shares[day - begin] ?? 0);
      if (begin < last) estimates.add(day - first);
    }
  }
  return counts.map((changes, at) => {
    const date = new Date((first + at) * daySeconds * 1000).toISOString().slice(0, 10);
    return { date, changes, isEstimate: estimates.has(at) };
  });
}

/** Whole numbers a day whose sum is the whole: each day gets what is due until its end less what was given. */
function spread(changes: number, from: EpochSeconds, to: EpochSeconds): number[] {
  const begin = Math.floor((from + 1) / daySeconds);
  const last = Math.floor(to / daySeconds);
  const shares: number[] = [];
  let given = 0;
  for (let day = begin; day <= last; day++) {
    const due = day === last ? changes : Math.round((changes * ((day + 1) * daySeconds - from)) / (to - from));
    shares.push(due - given);
    given = due;
  }
  return shares;
}
