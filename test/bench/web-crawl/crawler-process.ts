import { monitorEventLoopDelay } from "node:perf_hooks";
import { crawlWeb } from "../../../src/crawler/web/crawl-web.ts";
import type { CrawlWebOptions } from "../../../src/crawler/web/web-options.ts";

/** What the crawler says about once a second, and at its end. */
export interface CrawlerLine {
  readonly isEnd: boolean;
  readonly pages: number;
  readonly done: number;
  readonly sites: number;
  readonly waiting: number;
  readonly unreachable: number;
  readonly unresolved: number;
  readonly heldBack: Readonly<Record<string, number>>;
  /** From the start of the process to its first page; undefined before. */
  readonly firstPageMs: number | undefined;
  readonly rssBytes: number;
  readonly cpuSeconds: number;
  /** How late the event loop was at worst, and in the 99th of 100 measurements. */
  readonly latestMs: number;
  readonly p99LateMs: number;
}

const options = JSON.parse(process.argv[2] ?? "{}") as CrawlWebOptions;

let firstPageMs: number | undefined;
const lateness = monitorEventLoopDelay({ resolution: 10 });
lateness.enable();

function tell(
  isEnd: boolean,
  { pages, done, sites, waiting, unreachableSites, unresolvedSites, heldBack }: Awaited<ReturnType<typeof crawlWeb>>,
): void {
  const { user, system } = process.cpuUsage();
  const line: CrawlerLine = {
    ...{
      isEnd,
      pages,
      done,
      sites,
      waiting,
      unreachable: unreachableSites,
      unresolved: unresolvedSites,
      heldBack,
      firstPageMs,
    },
    rssBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1e6,
    latestMs: lateness.max / 1e6,
    p99LateMs: lateness.percentile(99) / 1e6,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const onEvent: CrawlWebOptions["onEvent"] = (event) => {
  if (event.event === "page") firstPageMs ??= performance.now();
  if (event.event === "web-progress") tell(false, { ...event, end: "done" });
};
tell(true, await crawlWeb({ ...options, onEvent }));
