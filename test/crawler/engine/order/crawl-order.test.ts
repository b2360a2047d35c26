import assert from "node:assert/strict";
import { test } from "node:test";
import { PoliteSequencer } from "../../../../src/crawler/engine/order/combined-sequencer.ts";
import { CrawlOrder } from "../../../../src/crawler/engine/order/crawl-order.ts";
import { type OrderRule, orderNames } from "../../../../src/crawler/engine/order/order-rule.ts";
import { PartialPages } from "../../../../src/crawler/engine/order/partial-pages.ts";
import { PrioritySequencer } from "../../../../src/crawler/engine/order/sequencer.ts";
import type { SiteTurn, TurnOptions } from "../../../../src/crawler/engine/order/site-turns.ts";
import { fc } from "../../../property.ts";
import { NaiveOrder } from "./naive-order.ts";

const pages = 60;
const sites = 9;
const addresses = 5;

/** Numbers from 0 to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Ranks that differ from time to time, with equal ones among them. */
function changingRanks(seed: number): () => Float32Array {
  const random = seeded(seed);
  return () => Float32Array.from({ length: pages - 5 }, () => Math.floor(random() * 20) / 20);
}

function makeRule(kind: OrderRule["kind"], seed: number): OrderRule {
  if (kind === "batch" || kind === "partial") return { kind, pages: 1 + (seed % 12), ranks: changingRanks(seed) };
  if (kind === "optimal") return { kind, ranks: changingRanks(seed)() };
  return kind === "random" ? { kind, random: seeded(seed) } : { kind };
}

type Step =
  | { readonly do: "add"; readonly page: number; readonly depth: number }
  | { readonly do: "raise"; readonly page: number; readonly by: number }
  | { readonly do: "next" }
  | { readonly do: "done"; readonly which: number; readonly askedMs: number }
  | { readonly do: "wait"; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("add"), page: fc.nat(pages - 1), depth: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("raise"), page: fc.nat(pages - 1), by: fc.nat(8) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("next") }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("done"), which: fc.nat(), askedMs: fc.constantFrom(0, 0, 30, 100) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait"), ms: fc.nat(40) }) },
) as fc.Arbitrary<Step>;

const turnOptions = fc.record({
  connections: fc.integer({ min: 1, max: 4 }),
  pagesPerTurn: fc.integer({ min: 1, max: 5 }),
  restMs: fc.constantFrom(0, 10, 25),
  addressOf: fc.constantFrom<TurnOptions["addressOf"]>(undefined, (site) => site % addresses),
});

const siteOf = (page: number): number => (page * 7) % sites;

for (const kind of orderNames) {
  test(`${kind} gives what the naive order gives, at the same times, whatever happens in between`, () => {
    fc.assert(
      fc.property(turnOptions, fc.nat(1000), fc.array(step, { maxLength: 100 }), (options, seed, steps) => {
        const order = new CrawlOrder(makeRule(kind, seed), options);
        const naive = new NaiveOrder(makeRule(kind, seed), options);
        const underWay: number[] = [];
        let now = 1000;
        for (const one of steps) {
          if (one.do === "wait") now += one.ms;
          if (one.do === "add") for (const each of [order, naive]) each.add(one.page, siteOf(one.page), one.depth);
          if (one.do === "raise") for (const each of [order, naive]) each.raise(one.page, one.by / 16);
          if (one.do === "next") {
            const turn = order.next(now);
            assert.deepEqual(turn, naive.next(now));
            if (turn !== undefined) underWay.push(turn.site);
          }
          if (one.do === "done" && underWay.length > 0) {
            const [site = 0] = underWay.splice(one.which % underWay.length, 1);
            for (const each of [order, naive]) each.done(site, now, now + one.askedMs);
          }
          assert.equal(order.backlog, naive.backlog);
          assert.equal(order.readyAt(now) <= now, naive.readyAt(now) <= now);
        }
      }),
      { numRuns: 200 },
    );
  });

  test(`${kind} loses no page, gives none twice, and neither a site nor an address two connections or too short a rest`, () => {
    fc.assert(
      fc.property(
        turnOptions,
        fc.nat(1000),
        fc.uniqueArray(fc.nat(pages - 1), { maxLength: 50 }),
        (options, seed, added) => {
          const order = new CrawlOrder(makeRule(kind, seed), options);
          for (const page of added) order.add(page, siteOf(page), 0);
          const addressOf = options.addressOf ?? ((site: number) => site);
          const endedAt = new Map<number, number>();
          const open = new Map<number, { readonly turn: SiteTurn; readonly endsAt: number }>();
          const given: number[] = [];
          for (let now = 0; order.backlog > 0 || open.size > 0; ) {
            for (const [address, { turn, endsAt }] of open) {
              if (endsAt > now) continue;
              open.delete(address);
              endedAt.set(address, now);
              order.done(turn.site, now);
            }
            for (let turn = order.next(now); turn !== undefined; turn = order.next(now)) {
              const address = addressOf(turn.site);
              assert.equal(open.has(address), false, "two connections to an address");
              assert.ok(now >= (endedAt.get(address) ?? -100) + options.restMs, "before its time");
              assert.ok(turn.pages.length > 0 && turn.pages.length <= options.pagesPerTurn);
              for (const page of turn.pages) assert.equal(siteOf(page), turn.site);
              given.push(...turn.pages);
              open.set(address, { turn, endsAt: now + 1 + (turn.site % 7) });
              assert.ok(open.size <= options.connections && order.underWay === open.size);
            }
            const ends = [...open.values()].map(({ endsAt }) => endsAt);
            const next = Math.min(order.readyAt(now), ...ends);
            assert.ok(next > now, "time passes");
            if (next === Number.POSITIVE_INFINITY) break;
            now = next;
          }
          assert.deepEqual(
            given.toSorted((a, b) => a - b),
            added.toSorted((a, b) => a - b),
          );
        },
      ),
      { numRuns: 100 },
    );
  });
}

test("nobody waits for the rest of a site or an address without pages, and a page that comes then waits for its end", () => {
  const order = new CrawlOrder({ kind: "depth" }, { connections: 2, pagesPerTurn: 5, restMs: 100 });
  const turnOf = (page: number, site: number, now: number): void => {
    order.add(page, site, 0);
    assert.deepEqual(order.next(now), { site, pages: [page] });
  };
  turnOf(0, 0, 0);
  order.done(0, 10);
  assert.equal(order.readyAt(10), Number.POSITIVE_INFINITY);
  order.add(1, 0, 1);
  assert.equal(order.readyAt(20), 110);
  turnOf(2, 1, 20);
  order.done(1, 30, 5000);
  assert.deepEqual(order.next(110), { site: 0, pages: [1] });
  order.done(0, 120);
  assert.equal(order.readyAt(120), Number.POSITIVE_INFINITY);
  order.add(3, 1, 1);
  assert.equal(order.readyAt(300), 5000);
});

interface Found {
  readonly page: number;
  readonly site: number;
  readonly key: number;
}

for (const kind of ["depth", "length", "optimal"] as const) {
  test(`${kind} is a polite sequencer of priority sequencers`, () => {
    const found = fc.uniqueArray(fc.record({ page: fc.nat(pages - 1), depth: fc.nat(4) }), {
      selector: ({ page }) => page,
      maxLength: 50,
      size: "max",
    });
    fc.assert(
      fc.property(turnOptions, found, fc.nat(1000), (options, list, seed) => {
        const { connections, pagesPerTurn, restMs } = options;
        const rule = makeRule(kind, seed);
        const order = new CrawlOrder(rule, { connections, pagesPerTurn, restMs });
        const composed = new PoliteSequencer<Found, PrioritySequencer<Found>>(
          ({ site }) => site,
          () => new PrioritySequencer<Found>(({ key }) => key),
          {
            connections,
            itemsPerTurn: pagesPerTurn,
            restMs,
            keyOf: (part, site) =>
              (kind === "length" ? -part.backlog : part.firstKey) + Number(site) / 2 ** (kind === "optimal" ? 40 : 10),
          },
        );
        for (const [number, { page, depth }] of list.entries()) {
          order.add(page, siteOf(page), depth);
          const tie = page / 2 ** 50;
          const key = rule.kind === "optimal" ? tie - (rule.ranks[page] ?? 0) : depth * 1000 + number;
          composed.add({ page, site: siteOf(page), key });
        }
        const open: number[] = [];
        for (let now = 0; order.backlog > 0 || open.length > 0; now += 5) {
          for (let turn = order.next(now); turn !== undefined; turn = order.next(now)) {
            const { site } = turn;
            const same = turn.pages.map(() => composed.next(now));
            assert.deepEqual(
              same.map((one) => [one?.site, one?.page]),
              turn.pages.map((page) => [site, page]),
            );
            open.push(site);
          }
          assert.equal(order.backlog, composed.backlog);
          const site = open.shift();
          if (site === undefined) continue;
          order.done(site, now);
          composed.done(site, now);
        }
      }),
      { numRuns: 100 },
    );
  });
}

test("a batch is retrieved before the next begins, and is chosen among all that is known by then", () => {
  const ranks = Float32Array.from([0.1, 0.9, 0.5, 0.7, 0.2]);
  const order = new CrawlOrder(
    { kind: "batch", pages: 2, ranks: () => ranks },
    { connections: 4, pagesPerTurn: 1, restMs: 0 },
  );
  for (const page of [0, 1, 2]) order.add(page, page, 0);
  assert.deepEqual(order.next(0), { site: 1, pages: [1] });
  order.add(3, 3, 1);
  assert.deepEqual(order.next(0), { site: 2, pages: [2] });
  order.done(1, 0);
  // The other page of the batch is still under way.
  assert.equal(order.next(0), undefined);
  order.done(2, 0);
  assert.deepEqual(order.next(0), { site: 3, pages: [3] });
});

test("between two computings of ranks a page has what leads to it, and then its own rank", () => {
  const ranks = Float32Array.from([0, 0, 0.1, 0.9]);
  const order = new CrawlOrder(
    { kind: "partial", pages: 1, ranks: () => ranks },
    { connections: 1, pagesPerTurn: 1, restMs: 0 },
  );
  for (const page of [0, 2, 3]) order.add(page, page, 0);
  order.raise(0, 0.2);
  order.raise(2, 0.1);
  order.raise(2, 0.2);
  assert.equal(order.next(0)?.site, 2);
  order.done(2, 0);
  assert.equal(order.next(0)?.site, 3);
  order.add(2, 2, 0);
  // It has a rank of its own now.
  order.raise(0, 5);
  order.done(3, 0);
  assert.equal(order.next(0)?.site, 2);
});

test("a page that comes again after it was retrieved is raised as a new one is", () => {
  const ranks = Float32Array.from([0, 0.9, 0.1]);
  const order = new CrawlOrder(
    { kind: "partial", pages: 2, ranks: () => ranks },
    { connections: 1, pagesPerTurn: 1, restMs: 0 },
  );
  for (const page of [0, 1, 2, 3, 4]) order.add(page, page, 0);
  for (const page of [3, 4]) order.raise(page, 1);
  for (let turn = order.next(0); turn !== undefined && turn.site !== 1; turn = order.next(0)) order.done(turn.site, 0);
  order.add(1, 1, 0);
  order.raise(1, 0.5);
  order.done(1, 0);
  assert.deepEqual(order.next(0)?.pages, [1]);
});

test("a page that waits for another site than before is given by that one alone", () => {
  const order = new CrawlOrder(
    { kind: "partial", pages: 100, ranks: () => new Float32Array(0) },
    { connections: 1, pagesPerTurn: 1, restMs: 0 },
  );
  for (const page of [7, 8]) order.add(page, 0, 0);
  order.raise(7, 2);
  order.raise(8, 1);
  assert.deepEqual(order.next(0), { site: 0, pages: [7] });
  order.done(0, 0);
  order.add(7, 1, 0);
  order.add(9, 0, 0);
  for (const page of [8, 9]) {
    assert.deepEqual(order.next(0), { site: 0, pages: [page] });
    order.done(0, 0);
  }
  assert.deepEqual(order.next(0), { site: 1, pages: [7] });
  order.done(1, 0);
  assert.equal(order.next(0), undefined);
});

for (const kind of ["batch", "partial", "optimal"] as const) {
  test(`${kind} takes a rank that is below 0, or no number, for none`, () => {
    const ranks = Float32Array.from([Number.NaN, -3, 0.2, Number.NaN, 0.5, Number.NEGATIVE_INFINITY, 0.7]);
    const rules: Record<typeof kind, OrderRule> = {
      batch: { kind: "batch", pages: 3, ranks: () => ranks },
      partial: { kind: "partial", pages: 1, ranks: () => ranks },
      optimal: { kind: "optimal", ranks },
    };
    const order = new CrawlOrder(rules[kind], { connections: 1, pagesPerTurn: 1, restMs: 0 });
    for (let page = 0; page < 8; page++) order.add(page, 0, 0);
    order.raise(0, Number.NaN);
    const given: number[] = [];
    for (let turn = order.next(0); turn !== undefined; turn = order.next(0)) {
      given.push(...turn.pages);
      order.done(turn.site, 0);
    }
    // No rank is known before the first page.
    assert.deepEqual(given, kind === "partial" ? [0, 6, 4, 2, 1, 3, 5, 7] : [6, 4, 2, 0, 1, 3, 5, 7]);
  });
}

test("a page that is raised many times, and comes again and again, keeps its place and leaves little behind", () => {
  const pages = new PartialPages();
  for (let round = 0; round < 50; round++) {
    for (let page = 0; page < 100; page++) if (!pages.has(page)) pages.add(page, 0);
    for (let time = 0; time < 5; time++)
      for (let page = 0; page < 100; page++) pages.raise(page, 1 + ((page * 37) % 100) / 100);
    const given = Array.from({ length: 20 }, () => pages.take(0) ?? -1);
    const rank = (page: number): number => (page * 37) % 100;
    if (round === 0)
      assert.deepEqual(
        given,
        given.toSorted((a, b) => rank(b) - rank(a)),
      );
    assert.equal(new Set(given).size, 20);
    assert.equal(pages.size, 80);
    assert.ok(pages.entries <= 2 * 100 + 33, `${pages.entries} entries`);
  }
});

test("pages that were raised, given and put in again are there once after what is not true any more went", () => {
  const pages = new PartialPages();
  for (let page = 0; page < 100; page++) {
    pages.add(page, 0);
    pages.raise(page, page === 99 ? 0.5 : 1);
  }
  const given = Array.from({ length: 99 }, () => pages.take(0) ?? -1);
  for (const page of given) pages.add(page, 0);
  for (let time = 0; time < 40; time++) pages.raise(99, 1);
  assert.ok(pages.entries <= 100 + 40, `${pages.entries} entries`);
  assert.deepEqual(
    Array.from({ length: 101 }, () => pages.take(0)),
    [99, ...Array.from({ length: 99 }, (_, page) => page), undefined],
  );
});

test("of pages that were raised nothing else is left once they have ranks, as often as these are computed", () => {
  const pages = new PartialPages();
  for (let page = 0; page < 100; page++) {
    pages.add(page, 0);
    pages.raise(page, 1 + page);
  }
  for (const times of [1, 3]) {
    pages.rank(Float32Array.from({ length: 100 }, (_, page) => 1000 + ((page * times) % 100)));
    assert.equal(pages.entries, 100);
  }
  assert.equal(pages.firstKey(0), -1099);
  assert.equal(pages.take(0), 33);
});

test("ranks that are to be computed after no page are refused", () => {
  for (const kind of ["batch", "partial"] as const)
    for (const pages of [0, -1, Number.NaN])
      assert.throws(
        () =>
          new CrawlOrder(
            { kind, pages, ranks: () => new Float32Array(0) },
            { connections: 1, pagesPerTurn: 1, restMs: 0 },
          ),
        { name: "RangeError", message: `ranks cannot be computed after ${pages} pages` },
      );
});

test("a page whose depth is no number is refused and does not wait", () => {
  const order = new CrawlOrder({ kind: "depth" }, { connections: 1, pagesPerTurn: 1, restMs: 0 });
  assert.throws(() => order.add(1, 0, Number.NaN), { name: "RangeError" });
  assert.equal(order.backlog, 0);
  order.add(1, 0, 2);
  assert.deepEqual(order.next(0)?.pages, [1]);
});

test("a page that has a rank of its own is not raised", () => {
  const ranks = Float32Array.from([0.1, 0.5]);
  const order = new CrawlOrder(
    { kind: "partial", pages: 1, ranks: () => ranks },
    { connections: 1, pagesPerTurn: 1, restMs: 0 },
  );
  order.add(2, 2, 0);
  order.next(0);
  for (const page of [0, 1]) order.add(page, page, 0);
  order.done(2, 0);
  order.raise(0, 5);
  assert.deepEqual(order.next(0)?.pages, [1]);
});

test("who ends a turn that nobody has is told so", () => {
  const order = new CrawlOrder({ kind: "depth" }, { connections: 1, pagesPerTurn: 1, restMs: 0 });
  assert.throws(() => order.done(3, 0), RangeError);
});
