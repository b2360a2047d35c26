import assert from "node:assert/strict";
import { test } from "node:test";
import type { CrawlPlan } from "../../../lab/simulation/crawl-plan.ts";
import { simulateCrawl } from "../../../lab/simulation/simulate-crawl.ts";
import { generateWeb } from "../../../lab/webs/generated-web.ts";
import type { Web } from "../../../lab/webs/web.ts";
import { orderNames } from "../../../src/crawler/engine/order/order-rule.ts";
import { GraphBuilder } from "../../../src/graph/graph-builder.ts";
import { computePageRank } from "../../../src/graph/page-rank.ts";
import { fc } from "../../property.ts";
import { crawlNaively } from "../naive-crawl.ts";
import { numbersFrom } from "../numbers.ts";

const plain: CrawlPlan = {
  order: "depth",
  connections: 1,
  pagesPerTurn: 1,
  restSeconds: 15,
  bytesPerSecond: Number.POSITIVE_INFINITY,
  batchPages: 10,
};

/** A web by hand: links, the site of each page and its bytes; latency 1 s, each site gives 100 bytes a second. */
function webOf(
  links: readonly (readonly [number, number])[],
  siteOf: readonly number[],
  sizes: readonly number[],
): Web {
  const builder = new GraphBuilder(siteOf.length);
  for (const [from, to] of links) builder.addLink(from, to);
  const sites = Math.max(...siteOf) + 1;
  return {
    pages: siteOf.length,
    sites,
    graph: builder.build(),
    siteOf: Uint32Array.from(siteOf),
    homes: Uint32Array.from({ length: sites }, (_, site) => siteOf.indexOf(site)),
    sizeBytes: Float32Array.from(sizes),
    changesPerDay: new Float32Array(siteOf.length),
    latencySeconds: new Float32Array(sites).fill(1),
    bytesPerSecond: new Float32Array(sites).fill(100),
  };
}

interface Retrieval {
  readonly page: number;
  readonly at: number;
}

function crawl(web: Web, plan: Partial<CrawlPlan>) {
  const pages: Retrieval[] = [];
  const turns: (readonly [number, number, number])[] = [];
  const outcome = simulateCrawl(
    web,
    { ...plain, ...plan },
    {
      page: (page, at) => pages.push({ page, at: Math.round(at * 1e6) / 1e6 }),
      turn: (...turn) => turns.push(turn),
    },
  );
  return { outcome, pages, turns };
}

// A site of three pages and one of a page.
const two = webOf(
  [
    [0, 1],
    [1, 2],
  ],
  [0, 0, 0, 1],
  [100, 200, 300, 400],
);

test("one connection: latency, bytes by the site's speed, and rests between turns of a site", () => {
  const { pages, outcome } = crawl(two, {});
  // 0: 1 + 1 s. 3: 1 + 4 s more. 1: at 2 + 15, 1 + 2 s. 2: at 20 + 15, 1 + 3 s.
  assert.deepEqual(pages, [
    { page: 0, at: 2 },
    { page: 3, at: 7 },
    { page: 1, at: 20 },
    { page: 2, at: 39 },
  ]);
  assert.deepEqual(outcome, { pages: 4, seconds: 39, busySeconds: 14, bytes: 1000 });
});

test("k pages of a turn share one latency", () => {
  // Found one after the other, they cannot share a turn: only what is known when it begins is in it.
  assert.equal(crawl(two, { pagesPerTurn: 3 }).outcome.seconds, 39);
  const wide = webOf(
    [
      [0, 1],
      [0, 2],
      [0, 3],
    ],
    [0, 0, 0, 0],
    [100, 100, 100, 100],
  );
  const { pages } = crawl(wide, { pagesPerTurn: 2 });
  assert.deepEqual(
    pages.map(({ at }) => at),
    [2, 19, 20, 37],
  );
});

test("transfers share the crawler's link, and those that begin or end change the others' speed", () => {
  // Both wait 1 s, then get 50 bytes a second each; the first ends after 2 s more, the other has 300 left, at 100.
  const web = webOf([], [0, 1], [100, 400]);
  assert.deepEqual(crawl(web, { connections: 2, bytesPerSecond: 100 }).pages, [
    { page: 0, at: 3 },
    { page: 1, at: 6 },
  ]);
  // A link of 150: 75 each until 1 + 4/3; then the site's own 100.
  const at = crawl(web, { connections: 2, bytesPerSecond: 150 }).pages.map((page) => page.at);
  assert.deepEqual(at, [2.333333, 5.333333]);
  // Not shared: each has all of the link, which is less than its site gives.
  const alone = crawl(web, { connections: 2, bytesPerSecond: 50, sharing: 0 }).pages.map((page) => page.at);
  assert.deepEqual(alone, [3, 9]);
  // By the root: 100 / sqrt 2 each, then 100.
  const soft = crawl(web, { connections: 2, bytesPerSecond: 100, sharing: 0.5 }).pages.map((page) => page.at);
  assert.deepEqual(soft, [2.414214, 5.414214]);
});

test("a slow site does not take what it cannot use, and nobody else gets it", () => {
  const web = { ...webOf([], [0, 1], [100, 400]), bytesPerSecond: Float32Array.of(10, 1000) };
  assert.deepEqual(crawl(web, { connections: 2, bytesPerSecond: 200 }).pages, [
    { page: 1, at: 5 },
    { page: 0, at: 11 },
  ]);
});

test("it ends when it was told to", () => {
  const { outcome, pages } = crawl(two, { stopAfterPages: 2 });
  assert.deepEqual([outcome.pages, pages.length, outcome.seconds], [2, 2, 7]);
});

const shapes = fc.record({
  pages: fc.integer({ min: 1, max: 300 }),
  sites: fc.integer({ min: 1, max: 20 }),
  seed: fc.nat(1000),
  order: fc.constantFrom(...orderNames),
  connections: fc.integer({ min: 1, max: 9 }),
  pagesPerTurn: fc.integer({ min: 1, max: 4 }),
  bytesPerSecond: fc.constantFrom(Number.POSITIVE_INFINITY, 100_000, 5000),
  restSeconds: fc.constantFrom(0, 0.3, 15),
});

test("in every order each page is retrieved once, a site rests between turns and has one connection", () => {
  fc.assert(
    fc.property(shapes, ({ pages, sites, seed, ...plan }) => {
      const web = generateWeb({ pages: Math.max(pages, sites), sites }, numbersFrom(seed));
      const ranks = Float32Array.from(computePageRank(web.graph).ranks);
      const run = () => crawl(web, { ...plan, ranks, random: numbersFrom(seed + 1), batchPages: 20 });
      const { outcome, pages: retrieved, turns } = run();
      assert.equal(new Set(retrieved.map(({ page }) => page)).size, web.pages);
      assert.equal(retrieved.length, web.pages);
      const lastEnd = new Map<number, number>();
      for (const [site, from, to] of turns.toSorted((a, b) => a[1] - b[1])) {
        assert.ok(from >= (lastEnd.get(site) ?? -1e9) + plan.restSeconds - 1e-9, `site ${site} at ${from}`);
        assert.ok(to - from >= (web.latencySeconds[site] ?? 0) - 1e-9);
        lastEnd.set(site, to);
      }
      // Never more connections than allowed, never more bytes than the link takes.
      const ends = turns.map((turn) => turn[2]);
      for (const [, from] of turns) {
        const busy = turns.filter((other, at) => other[1] <= from && (ends[at] ?? 0) > from).length;
        assert.ok(busy <= plan.connections);
      }
      assert.ok(outcome.bytes <= outcome.seconds * plan.bytesPerSecond * (1 + 1e-9));
      assert.ok(outcome.busySeconds <= outcome.seconds * plan.connections * (1 + 1e-9));
      assert.deepEqual(run(), { outcome, pages: retrieved, turns });
    }),
    { numRuns: 60 },
  );
});

test("the spans are the time, and their connections the busy seconds", () => {
  const web = generateWeb({ pages: 500, sites: 20 }, numbersFrom(3));
  let [until, busy] = [0, 0];
  const outcome = simulateCrawl(
    web,
    { ...plain, connections: 8, bytesPerSecond: 20_000 },
    {
      span(from, to, connections) {
        assert.ok(Math.abs(from - until) < 1e-9 && to > from && connections <= 8);
        busy += (to - from) * connections;
        until = to;
      },
    },
  );
  assert.ok(Math.abs(until - outcome.seconds) < 1e-9);
  assert.ok(Math.abs(busy - outcome.busySeconds) < 1e-6);
});

test("ranks lead: optimal takes the best of what it knows, batch computes them each K pages, partial takes temporary ones", () => {
  // From one site's home: 1, 2, 3; 3 is what 4 others link to.
  const links = [
    [0, 1],
    [0, 2],
    [0, 3],
    [4, 3],
    [5, 3],
    [6, 3],
    [7, 3],
  ] as const;
  const web = webOf(links, [0, 0, 0, 0, 1, 2, 3, 4], [1, 1, 1, 1, 1, 1, 1, 1]);
  const ranks = Float32Array.from(computePageRank(web.graph).ranks);
  const from = (plan: Partial<CrawlPlan>) =>
    crawl(web, { restSeconds: 0, ranks, ...plan }).pages.map(({ page }) => page);
  // 0 is as good as the other homes; then 3 is the best by far.
  assert.deepEqual(from({ order: "optimal" }).slice(0, 2), [0, 3]);
  // The batch of the five homes first, whose links then make 3 the best.
  assert.deepEqual(from({ order: "batch", batchPages: 5 }).slice(0, 6), [0, 4, 5, 6, 7, 3]);
  // A home page that gives all it has to 3 raises it above the homes that wait.
  const partial = from({ order: "partial", batchPages: 100 });
  assert.ok(partial.indexOf(3) < 5, `${partial}`);
});

test("an order that lacks what it needs is refused", () => {
  assert.throws(() => crawl(two, { order: "optimal" }), RangeError);
  assert.throws(() => crawl(two, { order: "random" }), RangeError);
});

test("it is the crawl that the naive simulator comes to", () => {
  const plans = shapes.map((shape) => ({
    ...shape,
    order: shape.seed % 2 === 0 ? ("depth" as const) : ("length" as const),
  }));
  fc.assert(
    fc.property(plans, fc.constantFrom(1, 0.55, 0), ({ pages, sites, seed, ...plan }, sharing) => {
      const web = generateWeb({ pages: Math.max(pages, sites), sites }, numbersFrom(seed));
      const whole = { ...plain, ...plan, sharing };
      const naive = new Map(crawlNaively(web, whole).map(({ page, at }) => [page, at]));
      const ours = crawl(web, whole).pages;
      assert.equal(ours.length, naive.size);
      for (const { page, at } of ours)
        assert.ok(Math.abs(at - (naive.get(page) ?? -1)) < 1e-3 * (1 + at), `${page} at ${at}`);
    }),
    { numRuns: 40 },
  );
});
