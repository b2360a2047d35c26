import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { cutDays, daySeconds, findShiftDays, type History } from "./history.ts";
import { LiteralScheme } from "./literal-scheme.ts";
import { ReplayedPublisher } from "./replayed-publisher.ts";
import { makeRoomyFolder, ReplayedSite } from "./replayed-site.ts";
import { rhythms, Visitor } from "./visitor.ts";

/** What a replay came to. */
export interface ReplayResult {
  readonly name: string;
  readonly days: number;
  readonly firstPages: number;
  readonly lastPages: number;
  /** Publications after the first. */
  readonly publications: number;
  /** Changes in them. */
  readonly changes: number;
  readonly newBases: number;
  readonly mostIntervals: number;
  readonly mostArchives: number;
  readonly withheld: number;
  readonly skippedEvents: number;
  readonly visitors: readonly Visitor[];
}

/** How a history is replayed. */
export interface ReplayHistoryOptions {
  readonly days: number;
  readonly signal: AbortSignal;
  readonly onDay: (day: number, days: number) => void;
}

/**
 * Replays a history with real files and the real exporter, a publication at the end of each UTC day, before the
 * eyes of three visitors. All of them come on the first day; their first visits are not counted.
 *
 * @throws Error if after any visit a visitor holds anything but the site
 */
export async function replayHistory(history: History, options: ReplayHistoryOptions): Promise<ReplayResult> {
  using temp = makeRoomyFolder();
  const docroot = join(temp.path, "docroot");
  mkdirSync(docroot);
  const days = cutDays(history, options.days);
  const shiftDays = findShiftDays(days[0]?.day ?? 0);
  const site = new ReplayedSite(docroot, { shiftSeconds: shiftDays * daySeconds });
  const publisher = new ReplayedPublisher(docroot, join(temp.path, "state"), { signal: options.signal });
  const visitors = rhythms.map((rhythm) => new Visitor(rhythm));
  const sums = { firstPages: 0, publications: 0, changes: 0, newBases: 0, mostIntervals: 0, mostArchives: 0 };
  let withheld = 0;
  for (const [at, { day, events }] of days.entries()) {
    site.apply(events);
    const published = await publisher.publish(site.pages, (day + shiftDays + 1) * daySeconds - 1);
    const { summary, changes } = published;
    const literal = new LiteralScheme(published.pages);
    for (const visitor of visitors) {
      visitor.note(changes);
      if (at % visitor.rhythm.everyDays === 0) visitor.visit(published, literal);
    }
    if (at === 0) sums.firstPages = published.pages.size;
    else {
      sums.publications += summary.published ? 1 : 0;
      sums.changes += changes.length;
      sums.newBases += summary.newBase ? 1 : 0;
    }
    sums.mostIntervals = Math.max(sums.mostIntervals, summary.intervals);
    sums.mostArchives = Math.max(sums.mostArchives, summary.archivesListed);
    withheld = site.pages.size - published.pages.size;
    options.onDay(at, days.length - 1);
  }
  return {
    ...sums,
    name: history.name,
    days: days.length - 1,
    lastPages: site.pages.size - withheld,
    withheld,
    skippedEvents: site.skipped,
    visitors,
  };
}
