import assert from "node:assert/strict";
import { test } from "node:test";
import {
  adviseLook,
  isFutureLastmod,
  type LastmodLook,
  type LastmodRecord,
  type LastmodTrust,
  noLastmodRecord,
  noteLook,
  trustOf,
} from "../../../../src/crawler/engine/revisit/lastmod-trust.ts";
import { createRandom, type Random } from "../../../interop/random.ts";
import { fc } from "../../../property.ts";

const look = (facts: Partial<LastmodLook>): LastmodLook => ({
  listed: 1000,
  future: 0,
  unmoved: 990,
  movedPolled: 10,
  movedChanged: 10,
  unmovedPolled: 990,
  unmovedChanged: 0,
  ...facts,
});
const after = (looks: readonly LastmodLook[], start: LastmodRecord = noLastmodRecord): LastmodRecord =>
  looks.reduce(noteLook, start);
const proof = look({});
const silence = look({ unmovedChanged: 1 });
const quiet = look({ unmoved: 1000, movedPolled: 0, movedChanged: 0, unmovedPolled: 1000 });
const proved = after([proof, proof, proof]);

// Each row: looks one after the other, and the trust after the last.
const rows: ReadonlyArray<readonly [what: string, looks: readonly LastmodLook[], trust: LastmodTrust]> = [
  ["nothing was looked at", [], "unproven"],
  ["true over two looks", [proof, proof], "unproven"],
  ["true over three looks", [proof, proof, proof], "trusted"],
  ["looks in which nothing changed prove nothing", [quiet, quiet, quiet, quiet], "unproven"],
  ["but take nothing away", [proof, quiet, proof, quiet, proof], "trusted"],
  ["a silent change", [silence], "distrusted"],
  ["a silent change ends trust at once", [proof, proof, proof, silence], "distrusted"],
  ["a late lastmod is forgiven", [proof, proof, proof, silence, look({ late: 1 })], "trusted"],
  ["a silence that lasts is a lie", [proof, proof, proof, silence, proof, proof, proof], "distrusted"],
  ["and takes six proofs to be forgotten", [silence, quiet, ...new Array(6).fill(proof)], "trusted"],
  ["no sooner", [silence, quiet, ...new Array(5).fill(proof)], "distrusted"],
  ["build stamps on all", [look({ unmoved: 0, movedPolled: 1000, movedChanged: 3, unmovedPolled: 0 })], "false-alarms"],
  ["a real change of all", [look({ unmoved: 0, movedPolled: 1000, movedChanged: 1000, unmovedPolled: 0 })], "unproven"],
  ["stamps on a proved site", [proof, proof, proof, look({ movedPolled: 500, movedChanged: 3 })], "false-alarms"],
  [
    "stamps that ended",
    [look({ movedPolled: 500, movedChanged: 3 }), ...new Array(8).fill(look({ movedPolled: 50, movedChanged: 50 }))],
    "trusted",
  ],
  ["future dates on all", [look({ future: 1000 })], "distrusted"],
  ["future dates end trust", [proof, proof, proof, look({ future: 200 })], "distrusted"],
  ["and need new proofs", [proof, proof, proof, look({ future: 200 }), proof, proof, proof], "distrusted"],
  ["a future date here and there", [look({ future: 9 }), proof, look({ future: 9 })], "trusted"],
  ["a sample too small to prove anything", new Array(5).fill(look({ unmovedPolled: 50 })), "unproven"],
];

for (const [what, looks, trust] of rows) {
  test(`lastmod: ${what}: ${trust}`, () => assert.equal(trustOf(after(looks)), trust));
}

test("unproven and distrusted sitemaps have all pages polled, trusted ones a sample", () => {
  assert.deepEqual(adviseLook(noLastmodRecord, 990), { trust: "unproven", moved: "planned", unmovedSample: 990 });
  assert.deepEqual(adviseLook(after([silence]), 990), { trust: "distrusted", moved: "planned", unmovedSample: 990 });
  const { trust, moved, unmovedSample } = adviseLook(proved, 990);
  assert.deepEqual([trust, moved], ["trusted", "all"]);
  assert.ok(unmovedSample >= 20 && unmovedSample <= 60, `${unmovedSample}`);
  assert.equal(adviseLook(proved, 5).unmovedSample, 5);
  assert.equal(adviseLook(proved, 0).unmovedSample, 0);
  // 5 % of the pages at most, however few of them change.
  const seldom = after(new Array(4).fill(look({ unmoved: 1e6, movedPolled: 1, movedChanged: 1, unmovedPolled: 1e6 })));
  assert.equal(adviseLook(seldom, 1e6).unmovedSample, 50_000);
  const stamped = after([look({ movedPolled: 500, movedChanged: 3 })], proved);
  assert.equal(adviseLook(stamped, 990).moved, "planned");
  assert.ok(adviseLook(stamped, 990).unmovedSample < 100);
  const unprovedStamps = after([look({ movedPolled: 500, movedChanged: 3 })]);
  assert.equal(adviseLook(unprovedStamps, 990).unmovedSample, 990);
});

test("a future lastmod lies more than a day ahead", () => {
  assert.equal(isFutureLastmod(1_000_000, 1_000_000_000 - 86_400_000), false);
  assert.equal(isFutureLastmod(1_000_001, 1_000_000_000 - 86_400_000), true);
  assert.equal(isFutureLastmod(Number.NaN, 0), false);
});

/** A site of a sitemap, some of whose changes are told. */
class ToldSite {
  readonly #random: Random;
  readonly #stale = new Set<number>();
  readonly #pages: number;

  constructor(pages: number, random: Random) {
    this.#pages = pages;
    this.#random = random;
  }

  /** Changes pages, of which the sitemap tells some, and polls as advised. */
  look(
    record: LastmodRecord,
    changes: number,
    toldShare: number,
  ): { readonly look: LastmodLook; readonly missed: number } {
    const told = new Set<number>();
    const changed = this.#random.sample(
      Array.from({ length: this.#pages }, (_, at) => at),
      changes,
    );
    for (const page of changed) {
      if (this.#random.next() < toldShare) told.add(page);
      else this.#stale.add(page);
    }
    const unmovedPages = Array.from({ length: this.#pages }, (_, at) => at).filter((at) => !told.has(at));
    const { unmovedSample } = adviseLook(record, unmovedPages.length);
    const sample = this.#random.sample(unmovedPages, unmovedSample);
    const found = sample.filter((page) => this.#stale.delete(page)).length;
    for (const page of told) this.#stale.delete(page);
    const seen: LastmodLook = {
      listed: this.#pages,
      future: 0,
      unmoved: unmovedPages.length,
      movedPolled: told.size,
      movedChanged: told.size,
      unmovedPolled: sample.length,
      unmovedChanged: found,
    };
    return { look: seen, missed: this.#stale.size };
  }
}

test("property: a sitemap that keeps silent is distrusted in the look in which it first does, and then misses nothing", () => {
  fc.assert(
    fc.property(fc.integer(), fc.double({ min: 0, max: 0.9, noNaN: true }), (seed, toldShare) => {
      const site = new ToldSite(300, createRandom(seed));
      let record = noLastmodRecord;
      let isFoundOut = false;
      for (let at = 0; at < 12; at++) {
        const isTrusted = trustOf(record) === "trusted";
        const { look: seen, missed } = site.look(record, 8, toldShare);
        record = noteLook(record, seen);
        isFoundOut ||= trustOf(record) === "distrusted";
        if (!isTrusted) assert.equal(missed, 0);
        if (seen.unmovedChanged > 0) assert.equal(trustOf(record), "distrusted");
      }
      assert.ok(isFoundOut || toldShare > 0.7);
    }),
  );
});

test("a proved sitemap that falls silent is found out within three looks, as often as promised", () => {
  const runs = 300;
  let found = 0;
  for (let run = 0; run < runs; run++) {
    const site = new ToldSite(1000, createRandom(run));
    let record = noLastmodRecord;
    for (let at = 0; at < 6; at++) record = noteLook(record, site.look(record, 20, 1).look);
    assert.equal(trustOf(record), "trusted");
    for (let at = 0; at < 3 && trustOf(record) === "trusted"; at++)
      record = noteLook(record, site.look(record, 20, 0).look);
    if (trustOf(record) === "distrusted") found += 1;
  }
  assert.ok(found >= 0.92 * runs, `${found} of ${runs}`);
});

test("property: whatever was stored and counted, a record stays a record", () => {
  const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1));
  const record = fc.record({
    provedLooks: number,
    falls: number,
    silent: number,
    movedPolled: number,
    movedEqual: number,
    announced: number,
    future: number,
  });
  const counts = fc.record({
    listed: number,
    future: number,
    unmoved: number,
    movedPolled: number,
    movedChanged: number,
    unmovedPolled: number,
    unmovedChanged: number,
    late: number,
  });
  fc.assert(
    fc.property(record, counts, number, (start, counted, unmoved) => {
      const next = noteLook(start, counted);
      for (const value of Object.values(next)) assert.ok(value >= 0 && Number.isFinite(value), JSON.stringify(next));
      const { unmovedSample } = adviseLook(start, unmoved);
      assert.ok(Number.isInteger(unmovedSample) && unmovedSample >= 0);
    }),
    { numRuns: 500 },
  );
});
