import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeTempFolder } from "../temp-folder.ts";
import { listenHosts } from "./host-servers.ts";
import { followMinute, followServers } from "./minute.ts";
import { followMonth } from "./month.ts";
import { checkMonth } from "./month-check.ts";

describe("the loop of production in virtual time", () => {
  it("follows 1,000 sites for 30 days: each at its time, politely, fresh for few requests", async (context) => {
    using temp = makeTempFolder();
    const began = performance.now();
    const [sites, days] = [Number(process.env.TIDEMARK_MONTH_SITES ?? 1000), 30];
    const month = await followMonth({ seed: 1, sites, days }, temp.path);
    const seconds = (performance.now() - began) / 1000;
    context.diagnostic(`${month.visits.length} visits, ${month.requests.length} requests in ${seconds.toFixed(1)} s`);
    checkMonth(month, sites);
    for (const [kind, { visits, requests, needless, freshness }] of month.kinds)
      context.diagnostic(
        `${kind}: ${visits} visits, ${requests} requests, ${needless} needless, freshness ${freshness.toFixed(4)}`,
      );
  });
});

describe("the loop of production against real servers", () => {
  it("decides for a minute what it decides in virtual time, in the same order, at the same instants", async (context) => {
    const [sites, seconds] = [Number(process.env.TIDEMARK_MINUTE_SITES ?? 50), 60];
    await using servers = await listenHosts(sites);
    const size = { seed: 3, origins: servers.origins, seconds };
    using real = makeTempFolder();
    using virtual = makeTempFolder();
    const began = performance.now();
    const served = await followServers(size, servers, real.path);
    context.diagnostic(`${served.requests.length} requests over HTTP in ${Math.round(performance.now() - began)} ms`);
    const made = await followMinute(size, virtual.path);
    assert.ok(served.visits.length >= 3 * sites, `${served.visits.length} visits`);
    assert.deepEqual(served.decisions, made.decisions);
  });
});
