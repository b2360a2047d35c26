import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { VirtualTime } from "../../../lab/hosts/virtual-time.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { followMonth } from "../month.ts";
import { checkMonth } from "../month-check.ts";

describe("the loop of production in virtual time", () => {
  it("follows 40 sites for 14 days: each at its time, politely, fresh for few requests", async () => {
    using temp = makeTempFolder();
    checkMonth(await followMonth({ seed: 1, sites: 40, days: 14 }, temp.path), 40);
  });

  it("decides the same for the same seed, to the byte, and otherwise for another", async () => {
    const lines = async (seed: number): Promise<string> => {
      using temp = makeTempFolder();
      return (await followMonth({ seed, sites: 12, days: 4 }, temp.path)).decisions.join("\n");
    };
    const once = await lines(7);
    assert.equal(await lines(7), once);
    assert.notEqual(await lines(8), once);
  });
});

describe("virtual time", () => {
  it("jumps from wait to wait, in the order of their ends and then of their beginnings", async () => {
    const time = new VirtualTime(1000, () => new Promise((resolve) => setImmediate(resolve)));
    const seen: string[] = [];
    const stop = new AbortController();
    for (const [name, delayMs] of [
      ["d", 30],
      ["a", 5],
      ["b", 30],
      ["z", 50],
    ] as const)
      void time.delay(delayMs, undefined).then(() => seen.push(`${name}${time.now()}`));
    void time.delay(20, stop.signal).then(() => seen.push(`left${time.now()}`));
    void time.delay(10, undefined).then(() => stop.abort());
    await time.run(1040);
    assert.deepEqual(seen, ["a1005", "left1010", "d1030", "b1030"]);
    assert.equal(time.now(), 1040);
    await time.run(1100);
    assert.equal(seen.at(-1), "z1050");
  });
});
