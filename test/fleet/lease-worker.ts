// Leases sites again and again, and says when it held them: node lease-worker.js DATABASE NAME SITES VISITS
import { setTimeout as wait } from "node:timers/promises";
import { openFleet } from "../../src/fleet/index.ts";
import { resultsOf } from "./lease-cases.ts";

/** How long addresses rest. */
const restMs = 20;

const [address = "", name = "", sites = "", visits = ""] = process.argv.slice(2);

async function work(): Promise<void> {
  await using fleet = await openFleet(address, { worker: name, leaseMs: 30_000 });
  // By a clock that all processes of the machine share.
  const nowMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;
  // A worker that holds two sites of an address lets that rest by itself.
  const freeMs = new Map<string, number>();
  const visited: string[] = [];
  while (visited.length < Number(visits)) {
    const leases = await fleet.claim(3);
    if (leases.length === 0) await wait(5);
    for (const lease of leases) {
      // Four sites have one address.
      const renewed = await fleet.renew(
        [lease],
        new Map([[lease.site, `address ${lease.site % (Number(sites) / 4)}`]]),
      );
      const [held] = renewed;
      if (held === undefined) continue;
      const own = held.address ?? "";
      while (nowMs() < (freeMs.get(own) ?? 0)) await wait(1);
      const begunMs = nowMs();
      await wait(Math.random() * 5);
      const endedMs = nowMs();
      freeMs.set(own, endedMs + restMs);
      const next = { siteMs: 0, addressMs: restMs, priority: 1 };
      const visit = JSON.stringify({ worker: name });
      if (!(await fleet.commit(held, resultsOf({ visit, next })))) throw new Error("a lease was lost");
      visited.push(`${held.site} ${held.address} ${begunMs} ${endedMs}\n`);
    }
  }
  process.stdout.write(visited.join(""));
}

await work();
