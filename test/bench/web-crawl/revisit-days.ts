import { setMaxListeners } from "node:events";
import { join } from "node:path";
import { FreshnessMeter } from "../../../lab/hosts/freshness-meter.ts";
import { drawCourse, type PageCourse } from "../../../lab/hosts/page-course.ts";
import { createVirtualFetcher, type VirtualExchange } from "../../../lab/hosts/virtual-fetcher.ts";
import type { HostAnswer, HostRequest } from "../../../lab/hosts/virtual-host.ts";
import { VirtualTime } from "../../../lab/hosts/virtual-time.ts";
import { createRandom } from "../../../src/core/random.ts";
import { planOptimum } from "../../../src/crawler/engine/revisit/optimum.ts";
import { crawlWebBy } from "../../../src/crawler/web/crawl-web.ts";
import type { WebSummary } from "../../../src/crawler/web/web-options.ts";
import { LinkLog } from "../../../src/storage/links/link-log.ts";
import { UrlQueue } from "../../../src/storage/queue/url-queue.ts";
import { openMemoryStore } from "../../../src/storage/state/store.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { MadeSites } from "./made-sites.ts";

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 0, 1);
/** Shares of pages, added up, by the mean time between two changes, in days, as Cho and Garcia-Molina saw them (VLDB 2000, 720,000 pages). */
const changeDays: ReadonlyArray<readonly [upTo: number, least: number, most: number]> = [
  [0.23, 0.25, 1],
  [0.38, 1, 7],
  [0.54, 7, 30],
  [0.7, 30, 120],
  [1, 120, 1000],
];
/** Every third site has a sitemap with the times of changes. */
const hasSitemap = (site: number): boolean => site % 3 === 2;
const answerMs = 200;
const mostConnections = 64;
const tickMs = 3_600_000;

/** A Web of which pages change, and how to ask for them. */
class ChangingSites {
  readonly courses: readonly PageCourse[];
  /** Changes a second of each page in the mean. */
  readonly rates: readonly number[];
  readonly #made: MadeSites;

  constructor(made: MadeSites, days: number, seed: number) {
    const random = createRandom(seed);
    const [from, to] = [startMs / 1000, startMs / 1000 + days * 86_400];
    this.#made = made;
    const rates: number[] = [];
    this.courses = Array.from({ length: made.pages }, () => {
      const draw = random();
      const [, least, most] = changeDays.find(([upTo]) => draw < upTo) as (typeof changeDays)[number];
      const meanSeconds = 86_400 * least * (most / least) ** random();
      rates.push(1 / meanSeconds);
      return drawCourse("", { from, to, meanSeconds }, random);
    });
    this.rates = rates;
  }

  /** Courses of the pages of sites that have a sitemap, or of those that have none. */
  coursesOf(isListed: boolean): PageCourse[] {
    const { sites, firsts } = this.#made;
    return Array.from({ length: sites }, (_, site) =>
      hasSitemap(site) === isListed ? this.courses.slice(firsts[site], firsts[site + 1]) : [],
    ).flat();
  }

  originOf(site: number): string {
    return `http://10.${site >> 16}.${(site >> 8) & 255}.${site & 255}`;
  }

  /** The number of the page at a URL; undefined if there is none. */
  pageAt(origin: string, path: string): number | undefined {
    const site = this.#siteOf(origin);
    const page = this.#made.pageOf(path);
    return page !== undefined && page < this.#made.sizeOf(site)
      ? (this.#made.firsts[site] as number) + page
      : undefined;
  }

  answer(origin: string, { path, ifNoneMatch }: HostRequest, now: number): HostAnswer {
    const site = this.#siteOf(origin);
    const fields = { "content-type": path === "/sitemap.xml" ? "application/xml" : "text/html" };
    const say = (text: string): HostAnswer => ({ kind: "answer", status: 200, fields, body: Buffer.from(text) });
    if (hasSitemap(site) && path === "/robots.txt") return say(`Sitemap: ${origin}/sitemap.xml\n`);
    if (hasSitemap(site) && path === "/sitemap.xml") return say(this.#sitemapOf(site, origin, now));
    const number = this.pageAt(origin, path);
    if (number === undefined) return { kind: "answer", status: 404, fields: {}, body: new Uint8Array() };
    const etag = `"${(this.courses[number] as PageCourse).versionAt(now)}"`;
    if (ifNoneMatch === etag) return { kind: "answer", status: 304, fields: { etag }, body: new Uint8Array() };
    const html = this.#linksOf(site, number - (this.#made.firsts[site] as number));
    return { kind: "answer", status: 200, fields: { ...fields, etag }, body: Buffer.from(`${etag}${html}`) };
  }

  #siteOf(origin: string): number {
    const [, a = 0, b = 0, c = 0] = /^http:\/\/10\.(\d+)\.(\d+)\.(\d+)$/.exec(origin)?.map(Number) ?? [];
    return (a << 16) + (b << 8) + c;
  }

  #linksOf(site: number, page: number): string {
    const links = this.#made.linksOf(site, page);
    return links.map(([to, at]) => `<a href="${this.originOf(to)}${this.#made.pathOf(at)}">x</a>`).join("");
  }

  #sitemapOf(site: number, origin: string, now: number): string {
    const rows = Array.from({ length: this.#made.sizeOf(site) }, (_, page) => {
      const course = this.courses[(this.#made.firsts[site] as number) + page] as PageCourse;
      const changedAt = new Date(course.beginOf(course.versionAt(now)) * 1000).toISOString();
      return `<url><loc>${origin}${this.#made.pathOf(page)}</loc><lastmod>${changedAt}</lastmod></url>`;
    });
    return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${rows.join("")}</urlset>`;
  }
}

/** Mean freshness, over a long time, of pages of known rates that are polled at the best intervals. */
function optimumOf(ratesPerSecond: readonly number[], perSecond: number): number {
  const { pollsPerSecond } = planOptimum(ratesPerSecond, new Float64Array(ratesPerSecond.length).fill(1), perSecond);
  const fresh = ratesPerSecond.map((rate, page) => {
    const polls = pollsPerSecond[page] as number;
    return polls > 0 ? (-Math.expm1(-rate / polls) * polls) / rate : 0;
  });
  return fresh.reduce((sum, share) => sum + share, 0) / fresh.length;
}

/** Mean freshness of all pages where each is requested in turn, spread evenly over the time. */
function visitInTurn(courses: readonly PageCourse[], requests: number, fromMs: number, toMs: number): number {
  const meter = new FreshnessMeter(fromMs);
  for (const course of courses) meter.note(course, fromMs);
  for (let request = 0; request < requests; request++)
    meter.note(
      courses[request % courses.length] as PageCourse,
      fromMs + ((request + 0.5) * (toMs - fromMs)) / requests,
    );
  return meter.freshnessOf(courses, toMs);
}

/** A Web whose pages change, and how long it is crawled. */
export interface CrawlDays {
  readonly sites: number;
  readonly pages: number;
  readonly days: number;
  readonly seed: number;
  /** Requests a page and day that the crawler's connections allow; 0: as many as it wants. */
  readonly capacity: number;
  /** Called each two days: what holds since the first; freshness as in {@link SeenDays}. */
  readonly onDays?: (seen: SeenSoFar) => void;
}

interface SeenSoFar extends Pick<SeenDays, "days" | "freshness" | "inTurn"> {
  readonly requests: number;
}

interface RequestCounts {
  readonly requests: number;
  readonly pageRequests: number;
}

/** What a crawl of some days came to; freshness as shares of time, from 0 to 1. */
export interface SeenDays extends Pick<CrawlDays, "sites" | "pages" | "days"> {
  readonly connections: number;
  readonly answerMs: number;
  /** Until each page was requested once, and requests until then and since. */
  readonly firstDays: number;
  readonly before: RequestCounts;
  readonly since: RequestCounts;
  readonly visits: number;
  readonly freshness: number;
  readonly listed: number;
  readonly unlisted: number;
  /** Where all pages are requested in turn, with as many requests. */
  readonly inTurn: number;
  /** Of the best polls, if all rates were known. */
  readonly atKnownRates: number;
  readonly seconds: number;
}

/** Crawls a Web in virtual time with the crawler of production, each page once, and goes on for some days within a bound of requests. */
export async function crawlDays({ sites, pages, days, seed, capacity, onDays }: CrawlDays): Promise<SeenDays> {
  using temp = makeTempFolder("bench");
  const made = new MadeSites(sites, pages, seed, true);
  const web = new ChangingSites(made, days + 30, seed);
  const time = new VirtualTime(startMs, () => new Promise((resolve) => void setImmediate(resolve)));
  const known = new Set<number>();
  let meter: FreshnessMeter | undefined;
  let fromMs = Number.POSITIVE_INFINITY;
  const before = { requests: 0, pageRequests: 0 };
  const since = { requests: 0, pageRequests: 0 };
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const onRequest = ({ origin, path, beganAt }: VirtualExchange): void => {
    const page = web.pageAt(origin, path);
    const counts = meter === undefined ? before : since;
    counts.requests++;
    if (page === undefined) return;
    counts.pageRequests++;
    known.add(page);
    meter?.note(web.courses[page] as PageCourse, beganAt);
    if (meter !== undefined || known.size < made.pages) return;
    // All are taken as fresh then, for both alike.
    fromMs = time.now();
    meter = new FreshnessMeter(fromMs);
    for (const course of web.courses) meter.note(course, fromMs);
    if (onDays !== undefined) tellDays(meter, onDays);
    void time.delay(days * dayMs, undefined).then(() => stop.abort());
  };
  const tellDays = (seen: FreshnessMeter, tell: NonNullable<CrawlDays["onDays"]>, day = 2): void => {
    if (day >= days) return;
    void time.delay(fromMs + day * dayMs - time.now(), undefined).then(() => {
      const { requests } = since;
      const inTurn = visitInTurn(web.courses, requests, fromMs, time.now());
      tell({ days: day, requests, freshness: seen.freshnessOf(web.courses, time.now()), inTurn });
      tellDays(seen, tell, day + 2);
    });
  };
  const hosts = {
    get: (origin: string) => ({
      answer: async (request: HostRequest, now: number) => web.answer(origin, request, now),
    }),
  };
  const perSecond = (capacity * made.pages * 1000) / dayMs;
  const connections = capacity === 0 ? undefined : Math.ceil(Math.min(mostConnections, (perSecond * answerMs) / 1000));
  const takesMs = connections === undefined ? answerMs : (connections * 1000) / perSecond;
  const begunAt = performance.now();
  using store = openMemoryStore(temp.path);
  using queue = new UrlQueue(join(temp.path, "queue"), { memoryBytes: 2 ** 24 });
  await using links = new LinkLog(join(temp.path, "links"), { clock: time.now });
  const crawlBy = (isForever: boolean, tookMs: number, most: number | undefined): Promise<WebSummary> =>
    crawlWebBy(
      {
        ...{ store, queue, links, ranks: undefined, since: startMs / 1000, delay: time.delay, tickMs },
        createFetcher: () => createVirtualFetcher({ hosts, time, answerMs: tookMs, onRequest }),
      },
      {
        ...{ into: temp.path, seeds: [`${web.originOf(0)}/`], keep: "metadata", allowPrivate: true, isForever },
        ...{ connections: most, timeoutMs: Math.max(30_000, 2 * tookMs) },
        ...{ clock: time.now, random: createRandom(seed, "crawl"), signal: stop.signal, maxNewSites: sites },
      },
    );
  const crawl = crawlBy(false, answerMs, undefined).then(() => crawlBy(true, takesMs, connections));
  void crawl.finally(() => time.end()).catch(() => undefined);
  await time.run(Number.POSITIVE_INFINITY);
  const summary: WebSummary = await crawl;
  if (meter === undefined) throw new Error(`${known.size} of ${made.pages} pages were requested`);
  const toMs = fromMs + days * dayMs;
  const freshnessOf = (pages: readonly PageCourse[]): number => meter?.freshnessOf(pages, toMs) ?? 0;
  return {
    ...{ sites, pages: made.pages, days, connections: connections ?? mostConnections, answerMs: takesMs },
    ...{ firstDays: (fromMs - startMs) / dayMs, before, since, visits: summary.visits },
    freshness: freshnessOf(web.courses),
    inTurn: visitInTurn(web.courses, since.requests, fromMs, toMs),
    listed: freshnessOf(web.coursesOf(true)),
    unlisted: freshnessOf(web.coursesOf(false)),
    atKnownRates: optimumOf(web.rates, (since.requests / days) * (1000 / dayMs)),
    seconds: (performance.now() - begunAt) / 1000,
  };
}

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;

/** Freshness until a day, as a line of text. */
export const formatDay = ({ days, requests, freshness, inTurn }: SeenSoFar): string =>
  `until day ${days}: ${requests} requests, fresh ${percent(freshness)}, all in turn ${percent(inTurn)}\n`;

/** What came of it, as lines of text. */
export function formatDays(seen: SeenDays): string {
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["sites, pages", `${seen.sites}, ${seen.pages}`],
    ["connections, milliseconds a request", `${seen.connections}, ${seen.answerMs.toFixed(0)}`],
    ["days until each page was requested", seen.firstDays.toFixed(2)],
    ["requests until then, of them for pages", `${seen.before.requests}, ${seen.before.pageRequests}`],
    ["days of revisits", String(seen.days)],
    ["requests in them, of them for pages", `${seen.since.requests}, ${seen.since.pageRequests}`],
    ["requests a page and day", (seen.since.requests / seen.pages / seen.days).toFixed(3)],
    ["visits to known sites", String(seen.visits)],
    ["freshness", percent(seen.freshness)],
    ["  of sites with a sitemap, and without", `${percent(seen.listed)}, ${percent(seen.unlisted)}`],
    ["  all in turn with as many requests", percent(seen.inTurn)],
    ["  polls alone at known rates, in the long run", percent(seen.atKnownRates)],
    ["seconds", seen.seconds.toFixed(0)],
  ];
  return rows.map(([name, value]) => `${name.padEnd(48)}${value}\n`).join("");
}
