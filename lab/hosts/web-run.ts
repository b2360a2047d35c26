import { setMaxListeners } from "node:events";
import { join } from "node:path";
import { createRandom } from "../../src/core/random.ts";
import { crawlWebBy } from "../../src/crawler/web/crawl-web.ts";
import { GivenRanks } from "../../src/crawler/web/priorities.ts";
import { LinkLog } from "../../src/storage/links/link-log.ts";
import { readLinks } from "../../src/storage/links/read-links.ts";
import { UrlQueue } from "../../src/storage/queue/url-queue.ts";
import { openMemoryStore } from "../../src/storage/state/store.ts";
import type { CrawledPage, WebCrawlPlan } from "../experiment/ports.ts";
import type { Web } from "../webs/web.ts";
import { LinkedSites } from "./linked-sites.ts";
import { createVirtualFetcher, type VirtualExchange } from "./virtual-fetcher.ts";
import { VirtualTime } from "./virtual-time.ts";

/** When crawls begin; any time will do, as long as it stays the same. */
const startMs = Date.UTC(2004, 3, 1);

/** Nothing here outlives a kill, so that little needs to be written to the disk. */
const tickMs = 3_600_000;
const dayMs = 86_400_000;

/** An address for each site: sites that share one would share its clock. */
const originOf = (site: number): string => `http://10.${(site >> 16) & 255}.${(site >> 8) & 255}.${site & 255}`;

/**
 * Crawls a web in virtual time with the crawler of production: its queue on disk, its orders, turns and rests, and the links that it
 * keeps. All answers take equally long. The same plan gives the same crawl.
 *
 * @param into - an empty folder, for queue and links
 * @throws as `crawlWeb`
 */
export async function crawlWebVirtually(web: Web, plan: WebCrawlPlan, into: string): Promise<CrawledPage[]> {
  const { order, connections, restSeconds, answerSeconds, batchPages, mostPages, seed, revisits } = plan;
  const { ranks: given, onPage } = plan;
  let untimed: Promise<void> = Promise.resolve();
  let waiting = 0;
  const time = new VirtualTime(startMs, async () => {
    do {
      await untimed;
      await new Promise(setImmediate);
    } while (waiting > 0);
  });
  const sites = new LinkedSites(web, originOf);
  const numbers = new Map(Array.from({ length: web.pages }, (_, page) => [sites.urlOf(page), page]));
  const ranks = order === "optimal" && given !== undefined ? new GivenRanks() : undefined;
  if (ranks !== undefined) for (const [url, page] of numbers) ranks.set(url, given?.[page] ?? 0);
  const hosts = {
    get: (origin: string) => ({
      answer: async ({ path }: { readonly path: string }) => {
        const page = sites.pageOf(origin, path);
        const body = page === undefined ? new Uint8Array() : sites.bodyOf(page);
        const fields = page === undefined ? missingFields : pageFields;
        return { kind: "answer" as const, status: page === undefined ? 404 : 200, fields, body };
      },
    }),
  };
  const onRequest = ({ origin, path, status, endedAt }: VirtualExchange): void => {
    const page = status === 200 ? sites.pageOf(origin, path) : undefined;
    if (page !== undefined) revisits?.onRequest(page, (endedAt - startMs) / dayMs);
  };
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  if (revisits !== undefined) void time.delay(revisits.days * dayMs, undefined).then(() => stop.abort());
  const pages: { page: number; seconds: number }[] = [];
  using store = openMemoryStore(into);
  using queue = new UrlQueue(join(into, "queue"), { memoryBytes: 2 ** 24 });
  const folder = join(into, "links");
  {
    await using links = new LinkLog(folder, { clock: time.now });
    const crawl = crawlWebBy(
      {
        ...{ store, queue, links, ranks, since: startMs / 1000, delay: time.delay, tickMs },
        createFetcher: () => createVirtualFetcher({ hosts, time, answerMs: answerSeconds * 1000, onRequest }),
        untimed: (work) => {
          waiting++;
          untimed = work.finally(() => waiting--);
        },
      },
      {
        ...{ into, seeds: sites.homes, order, connections, batchPages, keep: "metadata", allowPrivate: true },
        ...{
          maxTotal: mostPages,
          isForever: revisits !== undefined,
          newShare: revisits?.newShare,
          signal: stop.signal,
        },
        ...{
          pagesBeforeRest: revisits?.pagesBeforeRest ?? 1,
          restMs: restSeconds * 1000,
          maxSites: web.sites,
          lookups: web.sites,
        },
        ...{
          timeoutMs: Math.max(30_000, 2000 * answerSeconds),
          clock: time.now,
          random: createRandom(seed, "crawl"),
          maxNewSites: web.sites,
        },
        onEvent: (event) => {
          if (event.event !== "page" || event.outcome !== "created") return;
          const page = sites.pageOf(event.site, event.path);
          if (page === undefined) throw new TypeError(`${event.site}${event.path} is no page`);
          pages.push({ page, seconds: (time.now() - startMs) / 1000 });
          onPage?.(page);
        },
      },
    );
    void crawl.finally(() => time.end()).catch(() => undefined);
    await time.run(Number.POSITIVE_INFINITY);
    await crawl;
  }
  const kept = new Map<number, Uint32Array>();
  for (const { url, links } of readLinks(folder)) {
    const page = numbers.get(url);
    if (page !== undefined)
      kept.set(
        page,
        Uint32Array.from(links, (link) => numbers.get(link) ?? 0),
      );
  }
  return pages.map(({ page, seconds }) => ({ page, seconds, links: kept.get(page) ?? new Uint32Array() }));
}

const pageFields = { "content-type": "text/html" };
const missingFields = {};
