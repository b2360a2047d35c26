import { mkdirSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { EpochSeconds } from "../../../src/core/time.ts";
import type { LastmodTrust } from "../../../src/crawler/engine/revisit/lastmod-trust.ts";
import { exportSite } from "../../../src/exporter/export-site.ts";
import { findFreePort, startWebServer } from "../../interop/web-server.ts";
import { copyRealPages } from "../peers/real-pages.ts";
import { cutDays, daySeconds, type History } from "../replay/history.ts";
import { CopyCheck } from "./copy-check.ts";
import { type Follower, makeCrawler } from "./follower.ts";
import { type DayChanges, LivingSite } from "./living-site.ts";
import { makePublications, type Publication } from "./publications.ts";

/** What one visit came to. */
export interface DayVisit {
  /** By the server's log. */
  readonly requests: number;
  /** Bytes of bodies that were sent, by the server's log. */
  readonly bytes: number;
  readonly wallMs: number;
  /** Share of the pages that the copy had as they were: before the visit and after it. */
  readonly freshBefore: number;
  readonly freshAfter: number;
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
  readonly firstPages: number;
  readonly lastPages: number;
  readonly days: number;
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
  /** Who comes beside our crawlers. */
  readonly makePeers?: (folder: string, url: string) => readonly Follower[];
  /** Who of all comes; undefined for all. */
  readonly isWanted?: (name: string) => boolean;
  /** The day at whose end they come first, and the one at whose end they come last; undefined for 0 and the last one. */
  readonly from?: number;
  readonly until?: number;
  readonly onVisit?: (day: number, name: string, visit: DayVisit) => void;
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

/** One who follows, beside what is known of the copy. */
class Followed {
  readonly follower: Follower;
  readonly visits: DayVisit[] = [];
  readonly #check: CopyCheck;

  constructor(follower: Follower) {
    this.follower = follower;
    this.#check = new CopyCheck(follower.copy, follower.isExact);
  }

  async visit(site: LivingSite, docroot: string, port: number, now: EpochSeconds): Promise<DayVisit> {
    const { follower } = this;
    const { freshShare: freshBefore } = this.#check.compare(site, false);
    await using server = await startWebServer("nginx", docroot, { port, gzip: false, snippet: follower.snippet });
    const startedMs = performance.now();
    await follower.update(now);
    const wallMs = performance.now() - startedMs;
    const requests = await server.takeLog();
    const { freshShare: freshAfter, missed, leftOver } = this.#check.compare(site, true);
    const visit = {
      requests: requests.length,
      bytes: requests.reduce((sum, { bytes }) => sum + bytes, 0),
      wallMs,
      freshBefore,
      freshAfter,
      missed,
      leftOver,
      trust: follower.trust?.(),
    };
    this.visits.push(visit);
    return visit;
  }
}

/**
 * Lets a site of real pages live through the last days of a history, the last of which ends today. Each day the site is
 * published in all ways, and each of those who follow it comes once, at the day's end, to the same server.
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
  const lastDay = before.day + days.length;
  // The last day ended before now.
  const shiftSeconds = (Math.floor(Date.now() / 1000 / daySeconds) - 1 - lastDay) * daySeconds;
  const endOf = (day: number): EpochSeconds => (before.day + day + 1) * daySeconds + shiftSeconds - 1;
  const lateDay = Math.ceil(days.length / 3) + 1;
  const site = new LivingSite(docroot, originals, before.events, endOf(0));
  const firstPages = site.pages.size;
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/`;
  const exporter = new Exporter(docroot, join(folder, "state"), url);
  const publications = makePublications(join(folder, "published"), url.slice(0, -1), endOf(lateDay - 1));
  const copies = join(folder, "copies");
  const crawlers = publications.map((publication, at) => makeCrawler(publication, join(copies, `${at}`), url));
  const followed = [...crawlers, ...(options.makePeers?.(copies, url) ?? [])]
    .filter(({ name }) => options.isWanted?.(name) ?? true)
    .map((one) => new Followed(one));
  const { from = 0, until = days.length } = options;
  const sums = { created: 0, updated: 0, deleted: 0 };
  const live = async (day: number, changes: DayChanges): Promise<void> => {
    if (day < from || day > until) return;
    await exporter.publish(site, endOf(day));
    publishAll(publications, site, changes, endOf(day));
    for (const one of followed) {
      const visit = await one.visit(site, docroot, port, endOf(day));
      options.onVisit?.(day, one.follower.name, visit);
    }
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
    firstPages,
    lastPages: site.pages.size,
    days: days.length,
    ...sums,
    followed: followed.map(({ follower, visits }) => {
      const liedAt = follower.liedAt?.();
      const liedOn = liedAt === undefined ? undefined : (liedAt - endOf(0)) / daySeconds;
      return { name: follower.name, visits, liedOn };
    }),
  };
}

function publishAll(
  publications: readonly Publication[],
  site: LivingSite,
  changes: DayChanges,
  endsAt: EpochSeconds,
): void {
  for (const { publish } of publications) publish?.(site, changes, endsAt);
}
