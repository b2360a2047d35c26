import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TidemarkError } from "../../src/core/error.ts";
import { createPoliteness, type Politeness } from "../../src/crawler/politeness.ts";
import { VirtualTime } from "./engine/order/virtual-time.ts";

const aday = 86_400_000;

/** When each of some sites may be asked, one after the other, from the first. */
async function askAll(time: VirtualTime, politeness: Politeness, sites: readonly string[]): Promise<number[]> {
  const from = time.now();
  const began: number[] = [];
  const work = async (): Promise<void> => {
    for (const site of sites) {
      const turn = await politeness.acquire(site);
      began.push(time.now() - from);
      if (turn.kind === "permit") turn.done({ health: "fine", requests: 1 });
    }
  };
  await time.run(work());
  return began;
}

describe("createPoliteness", () => {
  it("gives no rest to loopback addresses, and takes an address for what it is", async () => {
    for (const [site, restMs] of [
      ["http://127.0.0.1:8080", 0],
      ["http://127.255.3.4", 0],
      ["http://[::1]:8080", 0],
      ["http://[::ffff:127.0.0.1]", 15_000],
      ["http://127.1", 0],
      ["https://192.0.2.1", 15_000],
      ["https://[2001:db8::1]", 15_000],
      ["https://home.example", 0],
      ["https://both.example", 15_000],
      ["https://127.0.0.1.example", 15_000],
      ["https://lost.example", 15_000],
    ] as const) {
      const time = new VirtualTime();
      const addressesOf = async (host: string): Promise<readonly string[]> => {
        if (host === "lost.example") throw new Error("not found");
        if (host === "home.example") return ["::1", "127.0.0.1"];
        return host === "both.example" ? ["127.0.0.1", "192.0.2.9"] : ["192.0.2.8"];
      };
      const politeness = createPoliteness({ clock: time.now, delay: time.delay, pagesBeforeRest: 2, addressesOf });
      assert.deepEqual(await askAll(time, politeness, [site, site, site]), [0, 0, restMs], site);
    }
  });

  it("spares some sites in a way of their own, and refuses one that cannot be meant", async () => {
    const time = new VirtualTime();
    const [a, b] = ["https://a.example", "https://b.example"] as const;
    const politeness = createPoliteness({
      clock: time.now,
      delay: time.delay,
      pagesBeforeRest: 2,
      addressesOf: async (host) => [host === "a.example" ? "192.0.2.1" : "192.0.2.2"],
      ofSites: new Map([[a, { crawlDelayMs: 4000, maxWaitMs: 5000 }]]),
    });
    assert.deepEqual(await askAll(time, politeness, [a, a, a]), [0, 4000, 8000]);
    politeness.describe(a, { crawlDelayMs: 6000 });
    assert.equal((await politeness.acquire(a)).kind, "later");
    assert.deepEqual(await askAll(time, politeness, [b, b, b]), [0, 0, 15_000]);
    assert.throws(() => createPoliteness({ ofSites: new Map([[b, { restMs: -1 }]]) }), { code: "bad-option" });
  });

  it("counts sites of one address together, and looks an address up again after five minutes", async () => {
    const time = new VirtualTime();
    const asked: string[] = [];
    const addressesOf = async (host: string): Promise<readonly string[]> => {
      asked.push(host);
      return host === "c.example" ? ["192.0.2.2"] : ["192.0.2.1", "2001:db8::1"];
    };
    const politeness = createPoliteness({ clock: time.now, delay: time.delay, pagesBeforeRest: 2, addressesOf });
    const [a, b, c] = ["https://a.example", "http://b.example:81", "https://c.example"] as const;
    assert.deepEqual(await askAll(time, politeness, [a, b, c, a]), [0, 0, 0, 15_000]);
    assert.deepEqual(asked, ["a.example", "b.example", "c.example"]);
    time.set(time.now() + 300_000);
    await askAll(time, politeness, [a]);
    assert.equal(asked.length, 4);
  });

  it("waits in real time for a real name", async () => {
    const politeness = createPoliteness({ crawlDelayMs: 30 });
    const ask = async (): Promise<void> => {
      const turn = await politeness.acquire("http://localhost:9");
      if (turn.kind === "permit") turn.done({ health: "fine", requests: 1 });
    };
    const from = performance.now();
    await ask();
    await ask();
    assert.ok(performance.now() - from >= 25);
  });

  it("refuses options that make no sense", () => {
    for (const options of [{ pagesBeforeRest: 0 }, { restMs: -1 }, { crawlDelayMs: Number.NaN }, { maxWaitMs: -aday }])
      assert.throws(() => createPoliteness(options), TidemarkError);
  });

  it("comes to the end of a wait although its clock stands still", async () => {
    const politeness = createPoliteness({ clock: () => 1_800_000_000_000, crawlDelayMs: 20, loopbackRests: true });
    for (let request = 0; request < 3; request++) {
      const turn = await politeness.acquire("http://127.0.0.1:8080");
      if (turn.kind === "permit") turn.done({ health: "fine", requests: 1 });
    }
  });
});
