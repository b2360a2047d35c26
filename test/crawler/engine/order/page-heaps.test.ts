import assert from "node:assert/strict";
import { test } from "node:test";
import { PageHeaps } from "../../../../src/crawler/engine/order/page-heaps.ts";
import { fc } from "../../../property.ts";

interface Entry {
  readonly page: number;
  readonly key: number;
}

const byKey = (a: Entry, b: Entry): number => a.key - b.key || a.page - b.page;

/** The same, said as plainly as can be. */
class NaiveHeaps {
  readonly #sites = new Map<number, Entry[]>();

  of(site: number): Entry[] {
    const entries = this.#sites.get(site) ?? [];
    this.#sites.set(site, entries);
    return entries;
  }

  add(site: number, page: number, key: number): void {
    this.of(site).push({ page, key });
    this.of(site).sort(byKey);
  }

  rebuild(site: number, keyFor: (page: number, key: number) => number | undefined): void {
    const kept = this.of(site).flatMap(({ page, key }) => {
      const other = keyFor(page, key);
      return other === undefined ? [] : [{ page, key: other }];
    });
    this.#sites.set(site, kept.sort(byKey));
  }
}

type Step =
  | { readonly do: "add" | "take"; readonly site: number; readonly times: number; readonly seed: number }
  | { readonly do: "rebuild"; readonly site: number; readonly times: number; readonly seed: number };

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom("add", "add", "take", "take", "rebuild"),
  site: fc.nat(6),
  times: fc.nat(150),
  seed: fc.nat(1000),
});

/** Whole numbers below a bound, in no order, with equal ones among them. */
const mixed = (seed: number, time: number, bound: number): number =>
  (Math.imul(seed * 151 + time + 1, 0x9e3779b1) >>> 8) % bound;

test("pages of many sites come as from sorted lists, whatever is put in, taken out and given other keys in between", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, isReserved) => {
      const heaps = new PageHeaps();
      const naive = new NaiveHeaps();
      if (isReserved) heaps.reserve(500, 3);
      for (const { do: what, site, times, seed } of steps) {
        for (let time = 0; what === "add" && time < times; time++) {
          const [page, key] = [mixed(seed, time, 5000), mixed(seed, time + 1, 400) / 4 - 20];
          heaps.add(site, page, key);
          naive.add(site, page, key);
        }
        for (let time = 0; what === "take" && time < times; time++)
          assert.equal(heaps.take(site), naive.of(site).shift()?.page);
        if (what === "rebuild") {
          const keyFor = (page: number, key: number): number | undefined =>
            page % 3 === seed % 3 ? undefined : mixed(seed, page, 50) - key;
          heaps.rebuild(site, keyFor);
          naive.rebuild(site, keyFor);
        }
        for (let each = 0; each <= 7; each++) {
          const [first] = naive.of(each);
          assert.equal(heaps.count(each), naive.of(each).length);
          assert.equal(heaps.firstKey(each), first?.key ?? Number.POSITIVE_INFINITY);
          assert.equal(heaps.first(each), first?.page);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("200,000 pages of 2,000 sites come in their order while others come", () => {
  const heaps = new PageHeaps();
  const sites = 2000;
  const sorted: number[][] = Array.from({ length: sites }, () => []);
  for (let page = 0; page < 200_000; page++) {
    // Sites of all sizes: the first has a hundredth of all pages.
    const site = Math.floor(sites * (mixed(1, page, 10_000) / 10_000) ** 3);
    const key = mixed(2, page, 1_000_000);
    heaps.add(site, page, key);
    insert(sorted[site] as number[], key);
    if (page % 3 === 0) check(heaps, site, sorted[site] as number[]);
  }
  for (const [site, keys] of sorted.entries()) while (heaps.count(site) > 0) check(heaps, site, keys);
  assert.equal(sorted.flat().length, 0);
});

test("a site of 600,000 pages, more than are sorted at once, gives them in their order while others come", () => {
  const heaps = new PageHeaps();
  const pages = 600_000;
  for (let page = 0; page < pages; page++) heaps.add(0, page, (page * 7919) % pages);
  let last = -1;
  for (let taken = 0; taken < pages / 2; taken++) {
    const key = heaps.firstKey(0);
    assert.ok(key > last, `${key} after ${last}`);
    last = key;
    assert.equal(((heaps.take(0) as number) * 7919) % pages, key);
    // One that comes next, and one far behind.
    if (taken % 1000 !== 0) continue;
    heaps.add(0, pages + taken, key + 0.5);
    heaps.add(0, pages + taken + 1, pages + taken);
    assert.equal(heaps.take(0), pages + taken);
  }
  assert.equal(heaps.count(0), pages / 2 + 300);
});

test("a site takes less than twice the places that its pages need, and less than 1.6 times if room was made for them", () => {
  const heaps = new PageHeaps();
  for (let page = 0; page < 100_000; page++) {
    heaps.add(0, page, page);
    if (page > 10_000) assert.ok(heaps.places < 2 * page, `${heaps.places} places for ${page} pages`);
  }
  const reserved = new PageHeaps();
  reserved.reserve(100_000, 1);
  for (let page = 0; page < 100_000; page++) reserved.add(0, page, page);
  assert.ok(reserved.places < 160_000, `${reserved.places} places`);
});

test("a key that is no number is refused, and nothing is changed", () => {
  const heaps = new PageHeaps();
  heaps.add(0, 1, 5);
  assert.throws(() => heaps.add(0, 2, Number.NaN), { name: "RangeError", message: "the key of page 2 is no number" });
  assert.equal(heaps.take(0), 1);
  assert.equal(heaps.take(0), undefined);
});

/** Puts a number in where it belongs. */
function insert(sorted: number[], key: number): void {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] as number) < key) from = middle + 1;
    else to = middle;
  }
  sorted.splice(from, 0, key);
}

function check(heaps: PageHeaps, site: number, sorted: number[]): void {
  const key = heaps.firstKey(site);
  assert.notEqual(heaps.take(site), undefined);
  assert.equal(key, sorted.shift());
}

test("sites may come one after the other, and rooms for them grow as they do", () => {
  const heaps = new PageHeaps();
  for (let site = 0; site < 1000; site++) for (let page = 0; page < 12; page++) heaps.add(site, page, (page * 5) % 12);
  for (let site = 0; site < 1000; site++)
    assert.deepEqual(
      Array.from({ length: 13 }, () => heaps.take(site)),
      [0, 5, 10, 3, 8, 1, 6, 11, 4, 9, 2, 7, undefined],
    );
  assert.equal(heaps.size, 0);
});
