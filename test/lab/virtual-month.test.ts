import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { VirtualTime } from "../../src/lab/index.ts";
import type { VirtualExchange } from "../../src/virtual-fetcher.ts";
import { makeTempFolder } from "../temp-folder.ts";
import type { WebResult } from "./followed-web.ts";
import { listenHosts } from "./host-servers.ts";
import { followMinute, followServers } from "./minute.ts";
import { addressOf, followMonth } from "./month.ts";

/** The paces of production: so many requests, and then a rest. */
const pace = { others: { pages: 10, restMs: 15_000 }, archives: { pages: 100, restMs: 1000 } } as const;

function groupBy(requests: readonly VirtualExchange[], keyOf: (origin: string) => string): VirtualExchange[][] {
  const groups = new Map<string, VirtualExchange[]>();
  for (const request of requests) {
    const key = keyOf(request.origin);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [request]);
    else group.push(request);
  }
  return [...groups.values()].map((group) => group.sort((a, b) => a.beganAt - b.beganAt));
}

function checkSpared(requests: readonly VirtualExchange[], { pages, restMs }: { pages: number; restMs: number }): void {
  let inARow = 0;
  for (const [at, request] of requests.entries()) {
    const before = requests[at - 1];
    if (before !== undefined) assert.ok(request.beganAt >= before.endedAt, `two requests at once: ${request.path}`);
    inARow = before !== undefined && request.beganAt - before.endedAt < restMs ? inARow + 1 : 1;
    assert.ok(inARow <= pages, `${inARow} requests without a rest: ${request.origin}`);
  }
}

function checkMonth(month: WebResult, sites: number): void {
  const numberOf = (origin: string): number => Number(/\d+/.exec(origin)?.[0]);
  const kindOf = (origin: string) => month.hosts.get(origin)?.plan.kind;
  // Each site, and each address, has its clock.
  for (const group of groupBy(month.requests, (origin) => origin))
    checkSpared(group, kindOf(group[0]?.origin ?? "") === "archives" ? pace.archives : pace.others);
  for (const group of groupBy(month.requests, (origin) => addressOf(numberOf(origin))))
    checkSpared(group, pace.archives);
  // No site is asked before its time.
  const requestsOf = new Map(groupBy(month.requests, (origin) => origin).map((group) => [group[0]?.origin, group]));
  const next = new Map<string, { at: number; nextAt: number }>();
  for (const { site, at, nextAt } of month.visits) {
    const before = next.get(site);
    if (before !== undefined) {
      const early = requestsOf.get(site)?.find(({ beganAt }) => beganAt > before.at && beganAt < before.nextAt);
      assert.equal(early, undefined, `${site} was asked before ${before.nextAt}`);
    }
    next.set(site, { at, nextAt });
  }
  assert.equal(next.size, sites, "each site was visited");
  // What asked to be left alone was.
  for (const group of requestsOf.values()) {
    for (const [at, request] of group.entries()) {
      const before = group[at - 1];
      if (before?.status === 503) assert.ok(request.beganAt - before.endedAt >= 7200_000, `${request.origin} rests`);
    }
  }
  for (const { site, source } of month.visits) {
    const { plan } = month.hosts.get(site) ?? {};
    assert.ok(source === plan?.kind || plan?.trouble !== undefined, `${site} is read by ${source}`);
  }
}

describe("the loop of production in virtual time", () => {
  it("follows 1,000 sites for 30 days: each at its time, politely, fresh for few requests", async (context) => {
    using temp = makeTempFolder();
    const began = performance.now();
    const [sites, days] = [Number(process.env.TIDEMARK_MONTH_SITES ?? 1000), 30];
    const month = await followMonth({ seed: 1, sites, days }, temp.path);
    const seconds = (performance.now() - began) / 1000;
    context.diagnostic(`${month.visits.length} visits, ${month.requests.length} requests in ${seconds.toFixed(1)} s`);
    checkMonth(month, sites);
    const visitsOf = (end: string): number => month.visits.filter(({ source }) => source === end).length;
    assert.equal(visitsOf("failed"), 0);
    // Sites in trouble, now and then, have nothing to say.
    assert.equal(month.summary.failedVisits, visitsOf("none"));
    const { archives, sitemap, links } = Object.fromEntries(month.kinds);
    assert.ok(archives !== undefined && sitemap !== undefined && links !== undefined);
    for (const [kind, { visits, requests, needless, freshness }] of month.kinds)
      context.diagnostic(
        `${kind}: ${visits} visits, ${requests} requests, ${needless} needless, freshness ${freshness.toFixed(4)}`,
      );
    // Who reads archives asks for no page that has not changed.
    assert.equal(archives.needless, 0);
    assert.ok(sitemap.needless > 0 && links.needless > 0);
  });

  it("decides the same for the same seed, to the byte, and otherwise for another", async () => {
    const lines = async (seed: number): Promise<string> => {
      using temp = makeTempFolder();
      return (await followMonth({ seed, sites: 24, days: 6 }, temp.path)).decisions.join("\n");
    };
    const once = await lines(7);
    assert.equal(await lines(7), once);
    assert.notEqual(await lines(8), once);
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
