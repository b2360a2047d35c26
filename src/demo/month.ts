import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import { createRandom, type EpochMs } from "../core/index.ts";
import { crawlSite } from "../crawler/index.ts";
import { exportSite, readSiteStatus, type SiteStatus } from "../exporter/index.ts";
import { makeMissingFolder } from "../fs/index.ts";
import { serveFolder } from "../server/index.ts";
import { readTraffic, type TrafficSummary } from "../traffic/index.ts";
import { useDemoFolder } from "./demo-folder.ts";
import { SiteFolder } from "./site-folder.ts";
import { type DemoPage, planRound, planSite } from "./site-plan.ts";
import { readTemplates } from "./site-text.ts";
import { Downloader } from "./traffic.ts";

/** What a simulated month may be told. */
export interface MonthOptions {
  /** Pages of the site, at least 100. @default 400 */
  readonly pages?: number;
  /** @default 30 */
  readonly days?: number;
  /** Folder, empty or new, where site, logs and mirrors stay; without it nothing stays. */
  readonly keepFolder?: string;
  readonly signal?: AbortSignal;
  readonly onStep?: (message: string) => void;
}

/** One of the two months: the log, and what it says. */
export interface Month {
  readonly log: string;
  readonly summary: TrafficSummary;
  /** The site's exporter; undefined in the month without. */
  readonly status: SiteStatus | undefined;
}

/** The same month twice: crawlers that poll, and the same crawlers as readers of archives. */
export interface Months {
  readonly polled: Month;
  readonly published: Month;
  readonly elapsedMs: number;
}

/** A crawler of the demonstration: the names are those of real ones, so that a report knows their purposes. */
interface Visitor {
  readonly agent: string;
  readonly address: string;
  readonly everyDays: number;
  readonly isConditional: boolean;
}

const visitors: readonly Visitor[] = [
  {
    agent: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    ...{ address: "192.0.2.10", everyDays: 2, isConditional: true },
  },
  {
    agent: "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    ...{ address: "192.0.2.20", everyDays: 5, isConditional: false },
  },
  {
    agent: "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)",
    ...{ address: "192.0.2.30", everyDays: 10, isConditional: false },
  },
];
const reader = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const readersEachDay = 200;
const daySizes = { changed: 4, restored: 1, appeared: 1, vanished: 0 } as const;
const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Between two lines of a log. */
const lineMs = 100;

/**
 * Simulates a month of visits to a site twice: once every crawler polls all pages, once the site publishes its changes and
 * the same crawlers read them. Real servers, exports and crawls; only the clock is virtual. People visit alike in both.
 *
 * @throws TidemarkError `not-found`, `bad-option` for the folder; `aborted`; what export and crawl throw
 */
export async function simulateMonths(options: MonthOptions = {}): Promise<Months> {
  const startedMs = performance.now();
  return await useDemoFolder(options.keepFolder, async (folder) => {
    const polled = await simulateMonth(join(folder, "without"), false, options);
    const published = await simulateMonth(join(folder, "with"), true, options);
    // The site changed alike in both months: the archives of one tell what was needless in the other.
    const archives = join(folder, "with", "site");
    const read = (log: string): Promise<TrafficSummary> =>
      readTraffic({ logs: [log], archives, ...(options.signal && { signal: options.signal }) });
    return {
      polled: { ...polled, summary: await read(polled.log) },
      published: { ...published, summary: await read(published.log) },
      elapsedMs: Math.round(performance.now() - startedMs),
    };
  });
}

async function simulateMonth(
  folder: string,
  isPublished: boolean,
  options: MonthOptions,
): Promise<Omit<Month, "summary">> {
  const { pages = 400, days = 30, signal, onStep } = options;
  const random = createRandom(2000);
  const plan: DemoPage[] = planSite(pages, random);
  const [docroot, stateDir, log] = [join(folder, "site"), join(folder, "state"), join(folder, "access.log")];
  const site = new SiteFolder(docroot, await readTemplates());
  await makeMissingFolder(docroot);
  const file = createWriteStream(log);
  const lines = new LogLines(file);
  const first = Math.floor(Date.now() / dayMs) * dayMs - days * dayMs;
  let now: EpochMs = first;
  await using server = await serveFolder({
    folder: docroot,
    onRequest: ({ method, path, status, bytes }) => {
      now += lineMs;
      lines.add(now, `${method} ${path} HTTP/1.1`, status, bytes);
    },
    ...(signal && { signal }),
  });
  const origin = new URL(server.url).origin;
  const crawlers = visitors.map(({ agent, isConditional }) => new Downloader(origin, isConditional, agent));
  site.create(plan, first);
  for (let day = 0; day < days; day++) {
    onStep?.(`${isPublished ? "with" : "without"} Tidemark: day ${day + 1} of ${days}`);
    const midnight = first + day * dayMs;
    if (day > 0) {
      const round = planRound(plan, random, daySizes);
      plan.push(...round.appeared);
      site.apply(round, midnight);
    }
    now = midnight + hourMs;
    const clock = (): EpochMs => now;
    if (isPublished) await exportSite({ docroot, baseUrl: `${origin}/`, stateDir, clock, ...(signal && { signal }) });
    for (const [at, { agent, address, everyDays }] of visitors.entries()) {
      if (day % everyDays !== 0) continue;
      now = midnight + (3 + 3 * at) * hourMs;
      lines.actor = { address, agent };
      if (isPublished)
        await crawlSite({
          url: `${origin}/`,
          into: join(folder, `mirror-${at}`),
          userAgent: agent,
          clock,
          ...(signal && { signal }),
        });
      else await crawlers[at]?.visit(["/robots.txt", ...site.urlPaths], signal);
    }
    now = midnight + 15 * hourMs;
    for (let one = 0; one < readersEachDay; one++) {
      lines.actor = { address: `198.51.100.${1 + (one % 250)}`, agent: reader };
      const paths = site.urlPaths;
      using person = new Downloader(origin, false, reader);
      await person.visit([paths[(day * 7 + one * 31) % paths.length] ?? "/"], signal);
    }
  }
  for (const crawler of crawlers) crawler[Symbol.dispose]();
  file.end();
  await once(file, "close");
  const status = isPublished ? await readSiteStatus({ stateDir, days, clock: () => now }) : undefined;
  return { log, status };
}

/** Writes lines in Apache's combined format. */
class LogLines {
  readonly #file: WriteStream;
  actor = { address: "", agent: "" };

  constructor(file: WriteStream) {
    this.#file = file;
  }

  add(now: EpochMs, request: string, status: number, bytes: number): void {
    const { address, agent } = this.actor;
    const [, day, month, year, time] = new Date(now).toUTCString().split(" ");
    const at = `${day}/${month}/${year}:${time} +0000`;
    this.#file.write(`${address} - - [${at}] "${request}" ${status} ${bytes} "-" "${agent}"\n`);
  }
}
