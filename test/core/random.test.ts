import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createRandom, shuffle } from "../../src/core/random.ts";

const take = (random: () => number, count: number): number[] => Array.from({ length: count }, random);

describe("createRandom", () => {
  it("gives the same numbers for the same seed and words, and others for others", () => {
    const numbers = take(createRandom(7, "needless", "cho"), 50);
    assert.deepEqual(take(createRandom(7, "needless", "cho"), 50), numbers);
    for (const other of [
      createRandom(8, "needless", "cho"),
      createRandom(7, "needless", "chp"),
      createRandom(7, "needlessc", "ho"),
      createRandom(7),
    ])
      assert.equal(take(other, 50).filter((number) => numbers.includes(number)).length, 0);
  });

  it("gives the numbers that it always gave", () => {
    assert.deepEqual(take(createRandom(1, "golden"), 3), golden);
  });

  it("gives numbers from 0 to below 1 that are spread evenly", () => {
    const random = createRandom(3);
    const tenths = new Array<number>(10).fill(0);
    for (const number of take(random, 100_000)) {
      assert.ok(number >= 0 && number < 1);
      const at = Math.floor(number * 10);
      tenths[at] = (tenths[at] ?? 0) + 1;
    }
    // A tenth lies within 6 standard deviations.
    for (const count of tenths) assert.ok(Math.abs(count - 10_000) < 570, String(tenths));
  });
});

const golden: readonly number[] = [0.09717668473814756, 0.7105441596968091, 0.7299617913045247];

describe("shuffle", () => {
  it("keeps every number, and puts each anywhere", () => {
    const random = createRandom(5);
    const first = new Array<number>(8).fill(0);
    for (let turn = 0; turn < 8000; turn++) {
      const items = Int32Array.from({ length: 8 }, (_, at) => at);
      shuffle(items, random);
      assert.deepEqual([...items].sort(), [0, 1, 2, 3, 4, 5, 6, 7]);
      first[items[0] ?? 0] = (first[items[0] ?? 0] ?? 0) + 1;
    }
    for (const count of first) assert.ok(Math.abs(count - 1000) < 200, String(first));
  });
});
