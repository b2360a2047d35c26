import assert from "node:assert/strict";
import type { VirtualExchange } from "../../lab/hosts/virtual-fetcher.ts";
import type { WebResult } from "./followed-web.ts";
import { addressOf } from "./month.ts";

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

/** Each site was visited at its time, politely, and by the source that it has; a visit that reads archives requested no page needlessly. */
export function checkMonth(month: WebResult, sites: number): void {
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
  const visitsOf = (end: string): number => month.visits.filter(({ source }) => source === end).length;
  assert.equal(visitsOf("failed"), 0);
  // Sites in trouble, now and then, have nothing to say.
  assert.equal(month.summary.failedVisits, visitsOf("none"));
  const { archives, sitemap, links } = Object.fromEntries(month.kinds);
  assert.ok(archives !== undefined && sitemap !== undefined && links !== undefined);
  // Who reads archives asks for no page that has not changed.
  assert.equal(archives.needless, 0);
  assert.ok(sitemap.needless > 0 && links.needless > 0);
}
