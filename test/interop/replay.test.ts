import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { EpochSeconds } from "../../src/core/time.ts";
import { crawlSite } from "../../src/crawler/crawl-site.ts";
import { serveFolder } from "../../src/server/folder-server.ts";
import {
  cutDays,
  daySeconds,
  findShiftDays,
  type History,
  type HistoryDay,
  readHistory,
} from "../bench/replay/history.ts";
import { MirrorCheck } from "../bench/replay/mirror-check.ts";
import { ReplayedPublisher } from "../bench/replay/replayed-publisher.ts";
import { makeRoomyFolder, ReplayedSite } from "../bench/replay/replayed-site.ts";
import { repositoryFolder } from "../repository-folder.ts";

const file = join(repositoryFolder(), "fixtures/histories/flink-web.tsv.gz");

const publicationsWanted = 120;
/** Sizes are a tenth of the real ones: what is tested is which pages are asked for, not how fast bytes travel. */
const scale = 10;

class Crawler {
  readonly name: string;
  readonly #everyDays: number;
  readonly #into: string;
  visits = 0;

  constructor(name: string, everyDays: number, folder: string) {
    this.name = name;
    this.#everyDays = everyDays;
    this.#into = join(folder, name);
  }

  isDue(day: number): boolean {
    return day % this.#everyDays === 0;
  }

  async visit(url: string, time: EpochSeconds): Promise<string> {
    const summary = await crawlSite({ url, into: this.#into, concurrency: 4, clock: () => time * 1000 });
    assert.deepEqual(
      { source: summary.source, failed: summary.failed, differing: summary.differing, pending: summary.pending },
      { source: "archives", failed: 0, differing: 0, pending: 0 },
    );
    this.visits += 1;
    return join(this.#into, new URL(url).host.replace(":", "_"));
  }
}

/** The days from which on as many as wanted have events; the first holds all that was before. */
function cutLastDays(history: History, wanted: number): HistoryDay[] {
  const all = cutDays(history, Number.POSITIVE_INFINITY);
  const eventful = all.flatMap(({ events }, at) => (events.length > 0 ? [at] : []));
  const first = eventful.at(-wanted) ?? 1;
  return cutDays(history, all.length - first);
}

test("crawlers that come daily, weekly and monthly hold a real site as it was on each day", async () => {
  using temp = makeRoomyFolder();
  const docroot = join(temp.path, "docroot");
  const days = cutLastDays(await readHistory(file, "flink-web"), publicationsWanted + 2);
  const shiftDays = findShiftDays(days[0]?.day ?? 0);
  const site = new ReplayedSite(docroot, { shiftSeconds: shiftDays * daySeconds, scale });
  await using server = await serveFolder({ folder: docroot });
  const publisher = new ReplayedPublisher(docroot, join(temp.path, "state"), { baseUrl: `${server.url}/` });
  const check = new MirrorCheck(docroot);
  const crawlers = [
    new Crawler("daily", 1, temp.path),
    new Crawler("weekly", 7, temp.path),
    new Crawler("monthly", 30, temp.path),
  ];
  let publications = 0;
  for (const [at, { day, events }] of days.entries()) {
    const time = (day + shiftDays + 1) * daySeconds - 1;
    const isLast = at === days.length - 1;
    if (events.length > 0) {
      site.apply(events);
      const { summary, pages } = await publisher.publish(site.pages, time);
      publications += summary.published ? 1 : 0;
      check.expect(pages);
    }
    for (const crawler of crawlers) {
      // Of days on which nothing happened, the daily crawler sees only the first of each row.
      if (crawler.name === "daily" && events.length === 0 && days[at - 1]?.events.length === 0) continue;
      if (!crawler.isDue(at) && !isLast) continue;
      const mirror = await crawler.visit(server.url, time);
      if (isLast) check.compareBytes(mirror);
      check.compare(mirror);
    }
  }
  assert.ok(publications >= publicationsWanted, `${publications} publications`);
  assert.ok(crawlers.every(({ visits }) => visits > days.length / 31));
});
