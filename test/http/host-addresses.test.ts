import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HostAddresses } from "../../src/http/host-addresses.ts";
import { listenNames } from "../dns-server.ts";

describe("HostAddresses", () => {
  it("keeps an answer for its time, from a minute to a day, and a failure for five minutes", async () => {
    let now = 0;
    for (const [ttlSeconds, keptSeconds] of [
      [1, 60],
      [600, 600],
      [1_000_000, 86_400],
    ] as const) {
      await using names = await listenNames((name) => (name === "a.test" ? ["192.0.2.1", "192.0.2.2"] : "no-name"), {
        ttlSeconds,
      });
      const hosts = new HostAddresses({ servers: [names.address], clock: () => now });
      const begin = now;
      assert.deepEqual(await hosts.of("a.test"), ["192.0.2.1", "192.0.2.2"]);
      assert.deepEqual(await hosts.of("b.test"), []);
      now = begin + keptSeconds * 1000 - 1;
      await hosts.of("a.test");
      assert.deepEqual(names.asked.filter((name) => name === "a.test").length, 1);
      now++;
      await hosts.of("a.test");
      assert.deepEqual(names.asked.filter((name) => name === "a.test").length, 2);
      now = begin + 299_999;
      await hosts.of("b.test");
      const early = names.asked.filter((name) => name === "b.test").length;
      now = begin + 300_001;
      await hosts.of("b.test");
      assert.deepEqual([early, names.asked.filter((name) => name === "b.test").length], [1, 2]);
      assert.deepEqual(hosts.counts.failures, 2);
    }
  });

  it("makes no more look-ups at once than it may, and one for those who ask for the same name", async () => {
    await using names = await listenNames(() => ["192.0.2.1"], { delayMs: 5 });
    const hosts = new HostAddresses({ servers: [names.address], atOnce: 3, clock: () => 0 });
    const found = Array.from({ length: 40 }, (_, at) => hosts.of(`h${at % 20}.test`));
    for (const addresses of await Promise.all(found)) assert.deepEqual(addresses, ["192.0.2.1"]);
    assert.deepEqual([names.asked.length, names.mostAtOnce()], [20, 3]);
  });

  it("waits for a slow answer, however fast the server's other answers were", async () => {
    const delayMs = (name: string): number => (name === "slow.test" ? 1500 : 0);
    await using names = await listenNames(() => ["192.0.2.1"], { delayMs });
    const hosts = new HostAddresses({ servers: [names.address], clock: () => 0 });
    for (let at = 0; at < 10; at++) await hosts.of(`fast${at}.test`);
    assert.deepEqual(await hosts.find("slow.test"), ["192.0.2.1"]);
    assert.deepEqual(names.asked.filter((name) => name === "slow.test").length, 1);
  });

  it("forgets the hosts that were looked up first when it has too many", async () => {
    await using names = await listenNames(() => ["192.0.2.1"]);
    const hosts = new HostAddresses({ servers: [names.address], maxHosts: 2, clock: () => 0 });
    for (const name of ["a.test", "b.test", "c.test", "c.test", "b.test", "a.test"]) await hosts.of(name);
    assert.deepEqual(names.asked, ["a.test", "b.test", "c.test", "a.test"]);
  });

  it("gives connections what it found, in the wanted family, or says that there is nothing", async () => {
    await using names = await listenNames((name) => (name === "a.test" ? ["192.0.2.1"] : "failure"));
    const { resolve } = new HostAddresses({ servers: [names.address], clock: () => 0 });
    const ask = (name: string, family: number): Promise<unknown> =>
      new Promise((done) => resolve(name, { all: true, family }, (error, found) => done(error?.code ?? found)));
    assert.deepEqual(await ask("a.test", 0), [{ address: "192.0.2.1", family: 4 }]);
    assert.deepEqual(await ask("a.test", 6), "ENOTFOUND");
    assert.deepEqual(await ask("b.test", 0), "ENOTFOUND");
    assert.deepEqual(await ask("192.0.2.7", 0), [{ address: "192.0.2.7", family: 4 }]);
  });

  it("reads the system's file of hosts unless name servers are given", async () => {
    assert.ok((await new HostAddresses({ clock: () => 0 }).of("localhost")).length > 0);
  });

  it("refuses what is no address of a name server", () => {
    assert.throws(() => new HostAddresses({ servers: ["ns.example"], clock: () => 0 }), { code: "bad-option" });
  });
});
