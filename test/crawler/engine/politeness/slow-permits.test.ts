import assert from "node:assert/strict";
import { it } from "node:test";
import type { Permit } from "../../../../src/core/rate-limit.ts";
import { SiteRateLimiter } from "../../../../src/crawler/engine/politeness/rate-limiter.ts";
import { VirtualTime } from "../order/virtual-time.ts";

const connections = 4;

function openLimiter(time: VirtualTime): SiteRateLimiter {
  const ports = { now: time.now, delay: time.delay, random: () => 0, addressesOf: async () => [] };
  return new SiteRateLimiter(ports, {}, undefined, connections);
}

async function take(rateLimiter: SiteRateLimiter, name: string): Promise<Permit> {
  const permit = await rateLimiter.acquire(`http://${name}.example`);
  assert.ok(permit.kind === "permit");
  return permit;
}

it("lends the places of requests that are slow to others that wait, and takes no place of who is quick", async () => {
  const time = new VirtualTime();
  const rateLimiter = openLimiter(time);
  const slow: Permit[] = [];
  await time.run(
    (async () => {
      for (let at = 0; at < connections; at++) slow.push(await take(rateLimiter, `slow${at}`));
    })(),
  );
  const began = time.now();
  let served = 0;
  await time.run(
    (async () => {
      for (let at = 0; at < 20; at++) {
        (await take(rateLimiter, `quick${at}`)).done({ health: "fine", requests: 1 });
        served++;
      }
    })(),
  );
  assert.equal(served, 20);
  assert.equal(time.now() - began, 5000, "only the first waits until somebody is slow");
  assert.deepEqual(
    slow.map((permit) => permit.isRecalled()),
    [false, false, false, false],
  );
});

it("recalls the one that has taken longest, after a minute, where as many again are slow and somebody waits", async () => {
  const time = new VirtualTime();
  const rateLimiter = openLimiter(time);
  const slow: Permit[] = [];
  await time.run(
    (async () => {
      for (let at = 0; at < 2 * connections; at++) slow.push(await take(rateLimiter, `slow${at}`));
      await time.delay(60_000);
    })(),
  );
  const recalled = (): number[] => slow.flatMap((permit, at) => (permit.isRecalled() ? [at] : []));
  assert.deepEqual(recalled(), [], "nobody waits");
  let isServed = false;
  const waiting = take(rateLimiter, "quick").then(() => (isServed = true));
  await time.run(time.delay(10));
  assert.equal(isServed, false);
  assert.deepEqual(recalled(), [0]);
  slow[0]?.done({ health: "unreachable", requests: 1 });
  await time.run(waiting);
  assert.equal(isServed, true);
});
