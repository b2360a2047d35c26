import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { createVirtualFetcher } from "../../../lab/hosts/virtual-fetcher.ts";
import { VirtualTime } from "../../../lab/hosts/virtual-time.ts";
import { TidemarkError } from "../../../src/core/error.ts";
import type { VisitPlan } from "../../../src/core/site-record.ts";
import { bucketOfRate } from "../../../src/crawler/engine/revisit/rate-buckets.ts";
import { crawlWebBy } from "../../../src/crawler/web/crawl-web.ts";
import type { CrawlWebOptions, WebSummary } from "../../../src/crawler/web/web-options.ts";
import { LinkLog, openMemoryStore, UrlQueue } from "../../../src/storage/index.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 0, 1);
const robots = "/robots.txt";
const paths = ["/", "/1.html", "/2.html", "/3.html"];
const text = (body: string): Uint8Array => new TextEncoder().encode(body);
const home = text(paths.map((path) => `<a href="${path}">x</a>`).join(""));

interface Visited {
  readonly summary: WebSummary;
  /** Requested paths by origin, since the sites are known. */
  readonly asked: ReadonlyMap<string, readonly string[]>;
  readonly plans: ReadonlyMap<string, VisitPlan | undefined>;
  readonly warnings: readonly { readonly site: string; readonly code: string; readonly message: string }[];
}

/**
 * Crawls sites in virtual time; after 30 days their known pages are visited for a while.
 *
 * @param errorOf - thrown by requests to a site by then
 */
async function visitKnown(
  origins: readonly string[],
  forMs: number,
  errorOf: (origin: string) => Error | undefined = () => undefined,
): Promise<Visited> {
  const time = new VirtualTime(startMs, () => new Promise(setImmediate));
  const hosts = {
    get: (origin: string) => ({
      answer: async ({ path }: { readonly path: string }) => {
        const error = time.now() < startMs + 30 * dayMs ? undefined : errorOf(origin);
        if (error !== undefined) throw error;
        const [status, type] = path === robots ? [200, "text/plain"] : [paths.includes(path) ? 200 : 404, "text/html"];
        const body = path === "/" ? home : text(path === robots ? "" : path);
        return { kind: "answer" as const, status, fields: { "content-type": type }, body };
      },
    }),
  };
  const asked = new Map<string, string[]>(origins.map((origin) => [origin, []]));
  const onAsk = ({ origin, path }: { origin: string; path: string }): unknown => asked.get(origin)?.push(path);
  const warnings: { site: string; code: string; message: string }[] = [];
  const onEvent: CrawlWebOptions["onEvent"] = (event) => {
    if (event.event === "warning") warnings.push(event);
  };
  using temp = makeTempFolder();
  const into = temp.path;
  using store = openMemoryStore(into);
  using queue = new UrlQueue(join(into, "queue"), { memoryBytes: 2 ** 22 });
  await using links = new LinkLog(join(into, "links"), { clock: time.now });
  const stop = new AbortController();
  const crawl = (isForever: boolean): Promise<WebSummary> =>
    crawlWebBy(
      {
        ...{ store, queue, links, ranks: undefined, since: startMs / 1000, delay: time.delay, tickMs: 60_000 },
        createFetcher: ({ allowedPrivateOrigins = [], knownPublic } = {}) => {
          if (allowedPrivateOrigins.length > 0) knownPublicSets.add(knownPublic);
          return createVirtualFetcher({ hosts, time, answerMs: 100, onAsk });
        },
      },
      {
        ...{ into, seeds: origins.map((origin) => `${origin}/`), keep: "metadata", allowPrivate: true, isForever },
        ...{ clock: time.now, random: () => 0.5, signal: stop.signal, onEvent },
      },
    );
  const knownPublicSets = new Set<unknown>();
  const both = async (): Promise<WebSummary> => {
    await crawl(false);
    for (const origin of origins) asked.set(origin, []);
    warnings.length = 0;
    await time.delay(30 * dayMs, undefined);
    void time.delay(forMs, undefined).then(() => stop.abort());
    return await crawl(true);
  };
  const visiting = both();
  void visiting.finally(() => time.end()).catch(() => undefined);
  await time.run(Number.POSITIVE_INFINITY);
  const summary = await visiting;
  const plans = new Map(origins.map((origin) => [origin, store.plans.read(origin) as VisitPlan | undefined]));
  // All requests of a crawl know which seeds had a public address.
  assert.equal(knownPublicSets.size, 2);
  assert.ok(!knownPublicSets.has(undefined));
  return { summary, asked, plans, warnings };
}

it("visits sites of one address one after the other, and notes nothing of what was not asked", async () => {
  const origins = Array.from({ length: 12 }, (_, site) => `http://10.0.0.1:${8000 + site}`);
  const { summary, asked, plans, warnings } = await visitKnown(origins, dayMs / 24);
  assert.equal(summary.knownSites, 12);
  for (const origin of origins) {
    const requested = asked.get(origin) ?? [];
    assert.deepEqual(
      [robots, ...paths].filter((path) => requested.filter((one) => one === path).length !== 1),
      [],
      `${origin} ${requested}`,
    );
    const { failures, lookedAt, bucket } = (plans.get(origin) ?? {}) as Partial<VisitPlan> & { bucket?: number };
    assert.equal(failures, 0, origin);
    // Its pages were as they had been thirty days before.
    assert.ok((bucket ?? 255) < bucketOfRate(1 / (7 * 86_400)), `${origin} ${bucket}`);
    assert.ok((lookedAt ?? 0) > startMs + 30 * dayMs, origin);
  }
  // Ten requests, then a rest: the tenth may be the first of the next site, whose visit goes on then.
  assert.ok(summary.visits <= 2 * origins.length, String(summary.visits));
  assert.deepEqual([...new Set(warnings.map(({ code }) => code))], ["site-postponed"]);
});

const origins = ["http://10.0.0.1", "http://10.0.0.2", "http://10.0.0.3"];
const failing = (error: Error) => (origin: string) => (origin === origins[1] ? error : undefined);

it("goes on with all other sites after an error of one, and says which and why", async () => {
  for (const [code, failures] of [
    ["archive-corrupt", 1],
    ["io", 0],
  ] as const) {
    const error = new TidemarkError(code, "Its file is away.");
    const { plans, asked, warnings } = await visitKnown(origins, 60_000, failing(error));
    const told = warnings.map(({ site, code, message }) => [site, code, message]);
    assert.deepEqual(told, [
      [origins[1], "visit-failed", "The visit failed: Its file is away. It is tried again later."],
    ]);
    assert.deepEqual(
      origins.map((origin) => plans.get(origin)?.failures),
      [0, failures, 0],
    );
    assert.deepEqual(
      origins.map((origin) => (plans.get(origin)?.at ?? 0) > startMs + 30 * dayMs + 60_000),
      [true, true, true],
    );
    assert.ok(asked.get(origins[0] as string)?.includes("/") && asked.get(origins[2] as string)?.includes("/"));
  }
});

it("ends with an error that is about more than one site", async () => {
  const ends = ["disk-full", "state-corrupt", "locked"] as const;
  for (const error of [...ends.map((code) => new TidemarkError(code, "None left.")), new TypeError("a bug")])
    await assert.rejects(visitKnown(origins, 60_000, failing(error)), (thrown) => thrown === error);
});
