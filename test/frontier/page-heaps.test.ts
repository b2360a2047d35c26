import assert from "node:assert/strict";
import { test } from "node:test";
import { PageHeaps } from "../../src/frontier/page-heaps.ts";
import { fc } from "../property.ts";

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
  const taken: number[][] = Array.from({ length: sites }, () => []);
  let left = 0;
  for (let page = 0; page < 200_000; page++) {
    // Sites of all sizes: the first has a hundredth of all pages.
    const site = Math.floor(sites * (mixed(1, page, 10_000) / 10_000) ** 3);
    heaps.add(site, page, mixed(2, page, 1_000_000));
    left++;
    if (page % 3 !== 0) continue;
    if (heaps.take(site) !== undefined) left--;
  }
  for (const [site, keys] of taken.entries())
    for (let key = heaps.firstKey(site); heaps.take(site) !== undefined; key = heaps.firstKey(site)) keys.push(key);
  assert.equal(taken.flat().length, left);
  for (const keys of taken)
    assert.deepEqual(
      keys,
      keys.toSorted((a, b) => a - b),
    );
});

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
