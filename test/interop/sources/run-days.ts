import { mkdirSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { EpochSeconds } from "../../../src/core/time.ts";
import type { LastmodTrust } from "../../../src/crawler/engine/revisit/lastmod-trust.ts";
import { exportSite } from "../../../src/exporter/export-site.ts";
import { copyRealPages } from "../../bench/peers/real-pages.ts";
import { cutDays, daySeconds, type History } from "../../bench/replay/history.ts";
import { findFreePort, startWebServer } from "../web-server.ts";
import { type Follower, makeCrawler } from "./follower.ts";
import { compareCopy, type DayChanges, LivingSite } from "./living-site.ts";
import { makePublications } from "./publications.ts";

/** What one visit came to. */
export interface DayVisit {
  /** Pages that the copy had not as they were, after it; pages that it had and the site not any more. */
  readonly missed: number;
  readonly leftOver: number;
  readonly trust: LastmodTrust | undefined;
}

/** What the days came to for one who follows the site. */
export interface FollowedDays {
  readonly name: string;
  /** That of the whole download before the days, then one a day. */
  readonly visits: readonly DayVisit[];
  /** The day on which a `lastmod` lied first, if it ever did. */
  readonly liedOn: number | undefined;
}

/** What was run. */
export interface DaysResult {
  /** Changes of pages in the days, by kind. */
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly followed: readonly FollowedDays[];
}

/** How the days are run. */
export interface RunDaysOptions {
  readonly folder: string;
  readonly pages: number;
  readonly days: number;
  readonly history: History;
  /** The day, in days since 1970, on which the history ends. The samples of a sitemap's pages depend on it. */
  readonly lastDay: number;
}

// nginx makes ETags of seconds and sizes: what was published in one day of the history must not look like the day before.
function dateFiles(folder: string, sinceMs: number, at: EpochSeconds): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && statSync(file).mtimeMs >= sinceMs) utimesSync(file, at, at);
  }
}

class Exporter {
  readonly #docroot: string;
  readonly #stateDir: string;
  readonly #baseUrl: string;

  constructor(docroot: string, stateDir: string, baseUrl: string) {
    this.#docroot = docroot;
    this.#stateDir = stateDir;
    this.#baseUrl = baseUrl;
  }

  async publish(site: LivingSite, endsAt: EpochSeconds): Promise<void> {
    const startedMs = Date.now() - 1000;
    const summary = await exportSite({
      docroot: this.#docroot,
      stateDir: this.#stateDir,
      baseUrl: this.#baseUrl,
      sitemap: true,
      resourceSync: true,
      noindexPages: true,
      // All that the packages have is pages here, whatever its type.
      include: ["**", "**/{*,*.*}"],
      clock: () => endsAt * 1000,
    });
    if (summary.pages !== site.pages.size || summary.errors > 0)
      throw new Error(`${summary.pages} pages are published, the site has ${site.pages.size}`);
    dateFiles(join(this.#docroot, ".well-known"), startedMs, endsAt);
    utimesSync(join(this.#docroot, "robots.txt"), endsAt, endsAt);
  }
}

async function visit(
  follower: Follower,
  site: LivingSite,
  docroot: string,
  port: number,
  now: EpochSeconds,
): Promise<DayVisit> {
  await using _server = await startWebServer("nginx", docroot, { port, gzip: false, snippet: follower.snippet });
  await follower.update(now);
  return { ...compareCopy(follower.copy, site), trust: follower.trust?.() };
}

/**
 * Lets a site of real pages live through the last days of a history. Each day the site is published in all ways, and each
 * of those who follow it comes once, at the day's end, to the same server.
 *
 * @throws Error if a crawler used another source than the one that is measured
 */
export async function runDays(options: RunDaysOptions): Promise<DaysResult> {
  const { folder, history } = options;
  const docroot = join(folder, "docroot");
  mkdirSync(docroot);
  const originals = copyRealPages(docroot, options.pages, "adjacent");
  const [before, ...days] = cutDays(history, options.days);
  if (before === undefined || days.length === 0) throw new Error(`${history.name} has no days to be replayed`);
  const shiftSeconds = (options.lastDay - before.day - days.length) * daySeconds;
  const endOf = (day: number): EpochSeconds => (before.day + day + 1) * daySeconds + shiftSeconds - 1;
  const lateDay = Math.ceil(days.length / 3) + 1;
  const site = new LivingSite(docroot, originals, before.events, endOf(0));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/`;
  const exporter = new Exporter(docroot, join(folder, "state"), url);
  const publications = makePublications(join(folder, "published"), url.slice(0, -1), endOf(lateDay - 1));
  const copies = join(folder, "copies");
  const crawlers = publications.map((publication, at) => makeCrawler(publication, join(copies, `${at}`), url));
  const followed = crawlers.map((follower) => ({ follower, visits: [] as DayVisit[] }));
  const sums = { created: 0, updated: 0, deleted: 0 };
  const live = async (day: number, changes: DayChanges): Promise<void> => {
    await exporter.publish(site, endOf(day));
    for (const { publish } of publications) publish?.(site, changes, endOf(day));
    for (const { follower, visits } of followed) visits.push(await visit(follower, site, docroot, port, endOf(day)));
  };
  await live(0, { created: new Set(), updated: new Set(), deleted: new Set() });
  for (const [at, { events }] of days.entries()) {
    const changes = site.apply(events, shiftSeconds, endOf(at + 1));
    sums.created += changes.created.size;
    sums.updated += changes.updated.size;
    sums.deleted += changes.deleted.size;
    await live(at + 1, changes);
  }
  return {
    ...sums,
    followed: followed.map(({ follower, visits }) => {
      const liedAt = follower.liedAt?.();
      const liedOn = liedAt === undefined ? undefined : (liedAt - endOf(0)) / daySeconds;
      return { name: follower.name, visits, liedOn };
    }),
  };
}
