import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPoliteness } from "../../../src/crawler/index.ts";
import type { LeasedVisit, WaitingUrl } from "../../../src/crawler/leased/leased-visit.ts";
import { LeasedWeb } from "../../../src/crawler/leased/leased-web.ts";
import type { CrawlWebOptions } from "../../../src/crawler/web/web-options.ts";
import { HostAddresses, realTiming } from "../../../src/http/index.ts";
import { openMemoryStore } from "../../../src/storage/index.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type LoopbackWeb, type LoopbackWebOptions, openLoopbackWeb } from "../web/loopback-web.ts";
import { optionsFor } from "../web/web-crawling.ts";

const limits = { timeout: 30_000 };
const restMs = 60_000;

/** Visits to a.example, which has two addresses; b.example has the second one. The clock stands still unless it is moved. */
async function openVisits(answer: LoopbackWebOptions["answer"], more: Partial<CrawlWebOptions> = {}) {
  const addressesOf = (host: string): string[] => (host === "a.example" ? ["127.0.0.1", "127.0.0.2"] : ["127.0.0.2"]);
  const web: LoopbackWeb = await openLoopbackWeb({ addressOf: addressesOf, answer });
  const folder = makeTempFolder("leased-web");
  const [origin, other] = [web.originOf("a.example"), web.originOf("b.example")];
  const clock = { now: Date.now() };
  const timing = realTiming(() => clock.now);
  const politeness = createPoliteness({
    ...{ clock: timing.now, addressesOf: async (host: string) => addressesOf(host), maxWaitMs: 0 },
    ofSites: new Map([[other, { pagesBeforeRest: 1, restMs, loopbackRests: true }]]),
  });
  const hosts = new HostAddresses({ servers: [web.names.address], clock: timing.now });
  const means = { timing, random: Math.random, politeness, hosts };
  const options = optionsFor(web, folder.path, { seeds: [`${origin}/`], ...more });
  const store = openMemoryStore(folder.path);
  let visitor = new LeasedWeb(options, means);
  return {
    ...{ web, clock },
    /** As another process does. */
    restart: (): void => {
      visitor = new LeasedWeb(options, means);
    },
    failures: () => (store.plans.read(origin) as { readonly failures: number }).failures,
    /** Asks the other site once, so that its address rests. @returns until when */
    rest: async (): Promise<number> => {
      const permit = await politeness.acquire(other);
      assert.equal(permit.kind, "permit");
      if (permit.kind === "permit") permit.done({ health: "fine", requests: 1 });
      return clock.now + restMs;
    },
    visit: async (...paths: readonly string[]): Promise<LeasedVisit> => {
      const handed: WaitingUrl[] = paths.map((path) => ({ path, note: "0.0.0" }));
      let turns = 0;
      const visit = await visitor.visit({
        ...{ origin, note: "0.0.0", store, handed, objects: undefined, halt: new AbortController().signal },
        mayGoOn: () => turns++ < 100,
        mustEnd: () => false,
        takeFound: () => undefined,
        takeLinks: () => undefined,
      });
      assert.ok(turns < 100, "it takes turn after turn");
      return visit;
    },
    [Symbol.asyncDispose]: async () => {
      store[Symbol.dispose]();
      await web[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const answerLinks =
  (linksOf: Readonly<Record<string, readonly string[]>>): LoopbackWebOptions["answer"] =>
  ({ path }, response) => {
    if (path === "/robots.txt") {
      response.setHeader("cache-control", "max-age=3600");
      return void response.end();
    }
    response.setHeader("content-type", "text/html");
    response.end((linksOf[path] ?? []).map((to) => `<a href="${to}">x</a>`).join(""));
  };

describe("LeasedWeb", () => {
  it("tries a site again when another address of its host has rested, and counts no failure", limits, async () => {
    await using visits = await openVisits(answerLinks({}));
    const restsUntil = await visits.rest();
    for (let attempt = 0; attempt < 4; attempt++) {
      const { nextAt, counts } = await visits.visit("/");
      assert.deepEqual([nextAt, counts?.requests, visits.failures()], [restsUntil, 0, 0]);
    }
    assert.deepEqual(visits.web.requests, []);
    visits.clock.now = restsUntil;
    const { nextAt } = await visits.visit();
    assert.deepEqual([nextAt, visits.failures(), visits.web.pages()], [Infinity, 0, ["a.example/"]]);
  });

  it("gives a site back until such a rest is over, also where its robots.txt is known", limits, async () => {
    await using visits = await openVisits(answerLinks({}));
    await visits.visit("/");
    const restsUntil = await visits.rest();
    const { nextAt, counts } = await visits.visit("/1");
    assert.deepEqual([nextAt, counts?.requests, visits.failures()], [restsUntil, 0, 0]);
    visits.clock.now = restsUntil;
    await visits.visit();
    assert.deepEqual(visits.web.pages(), ["a.example/", "a.example/1"]);
  });

  it("gives up a site after three visits without an answer, whatever was postponed between them", limits, async () => {
    await using visits = await openVisits((_, response) => void response.destroy());
    for (const failures of [1, 2, 3]) {
      const restsUntil = await visits.rest();
      const postponed = await visits.visit("/");
      assert.ok(postponed.nextAt >= restsUntil && postponed.nextAt < Infinity);
      visits.clock.now += 24 * 3_600_000;
      const { nextAt } = await visits.visit();
      assert.deepEqual([visits.failures(), nextAt === Infinity], [failures, failures === 3]);
    }
    // Links led to it anew.
    const restsUntil = await visits.rest();
    const { nextAt } = await visits.visit("/1");
    assert.ok(nextAt >= restsUntil && nextAt < Infinity);
    assert.deepEqual(visits.web.pages(), []);
  });

  it(
    "keeps to the most pages of a site, also with the links of one page and with URLs that others hand over",
    limits,
    async () => {
      const many = Array.from({ length: 10 }, (_, at) => `/${at}`);
      await using visits = await openVisits(answerLinks({ "/": many }), { maxPages: 4 });
      assert.equal((await visits.visit("/")).nextAt, Infinity);
      await visits.visit("/x", "/y");
      assert.deepEqual(
        visits.web.pages(),
        ["/", "/0", "/1", "/2"].map((path) => `a.example${path}`),
      );
      await using handed = await openVisits(answerLinks({ "/": many }), { maxPages: 4 });
      await handed.visit("/", "/x", "/y");
      assert.deepEqual(
        handed.web.pages().sort(),
        ["/", "/0", "/x", "/y"].map((path) => `a.example${path}`),
      );
    },
  );

  it("takes links to known pages for no further ones", limits, async () => {
    await using visits = await openVisits(
      answerLinks({ "/": ["/0", "/1"], "/2": ["/", "/0", "/1", "/2", "/3", "/4"] }),
      {
        maxPages: 5,
      },
    );
    await visits.visit("/");
    // Another process does not know which links were admitted lately.
    visits.restart();
    await visits.visit("/2", "/1");
    assert.deepEqual(
      visits.web.pages(),
      ["/", "/0", "/1", "/2", "/3"].map((path) => `a.example${path}`),
    );
  });
});
