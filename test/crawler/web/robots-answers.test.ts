import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FetchOutcome, FetchRequest, Requests } from "../../../src/core/index.ts";
import { crawlWeb } from "../../../src/crawler/web/crawl-web.ts";
import { RobotsAnswers } from "../../../src/crawler/web/robots-answers.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { openLoopbackWeb } from "./loopback-web.ts";
import { optionsFor } from "./web-crawling.ts";

const central = "https://central.example/robots.txt";

function fetched(size: number, cacheControl?: string): FetchOutcome {
  return {
    ...{ kind: "fetched", status: 200, receivedBytes: size, requests: 1, validators: {}, contentType: "text/plain" },
    ...{ contentEncoding: undefined, body: new Uint8Array(size), finalPath: "/robots.txt", cacheControl },
  };
}

/** Sites that redirect to others as given, and what is asked of those where that ends. */
function redirecting(targets: ReadonlyMap<string, string>, answer: (url: string) => Promise<FetchOutcome>) {
  const asked: string[] = [];
  const requests: Requests = {
    get: async ({ origin, path, beforeNext }) => {
      let url = origin + path;
      for (let followed = 1; followed < 5; followed++) {
        const next = targets.get(url);
        if (next === undefined) break;
        if ((await beforeNext?.(next)) === false)
          return { kind: "failed", reason: "aborted", message: "", receivedBytes: 0, requests: followed };
        url = next;
      }
      asked.push(url);
      return await answer(url);
    },
  };
  return { requests, asked };
}

function requestTo(origin: string): FetchRequest {
  return { origin, path: "/robots.txt", maxBytes: 1e6, timeoutMs: 1000, crossOrigin: true };
}

describe("RobotsAnswers", () => {
  const sites = Array.from({ length: 40 }, (_, at) => `https://p${at}.example`);
  const toCentral = new Map(sites.map((site) => [`${site}/robots.txt`, central]));

  it("asks once what the robots.txt of many sites is, also at the same time", async () => {
    const { requests, asked } = redirecting(toCentral, async () => fetched(10));
    const watched = new RobotsAnswers(() => 0).watch(requests);
    const outcomes = await Promise.all(sites.map((site) => watched.get(requestTo(site))));
    assert.deepEqual(asked, [central]);
    assert.deepEqual(new Set(outcomes.map(({ kind, requests: made }) => `${kind} ${made}`)), new Set(["fetched 1"]));
  });

  it("asks again after an hour, or sooner if the answer says so, and where there was none", async () => {
    const now = { ms: 0 };
    for (const [outcome, later, expected] of [
      [fetched(10), 3_599_999, 1],
      [fetched(10), 3_600_000, 2],
      [fetched(10, "max-age=60"), 60_000, 2],
      [fetched(10, "no-store"), 0, 2],
      [{ kind: "gone", status: 404, receivedBytes: 0, requests: 2 }, 3_599_999, 1],
      [{ kind: "unavailable", status: 503, retryAt: undefined, receivedBytes: 0, requests: 2 }, 0, 2],
    ] as const satisfies readonly [FetchOutcome, number, number][]) {
      now.ms = 0;
      const { requests, asked } = redirecting(toCentral, async () => outcome);
      const watched = new RobotsAnswers(() => now.ms).watch(requests);
      await watched.get(requestTo("https://p0.example"));
      now.ms = later;
      await watched.get(requestTo("https://p1.example"));
      assert.equal(asked.length, expected, JSON.stringify({ outcome, later }));
    }
  });

  it("keeps a bounded number of bytes", async () => {
    const own = new Map(sites.map((site) => [`${site}/robots.txt`, `${site}/central.txt`]));
    const { requests, asked } = redirecting(own, async () => fetched(500 * 1024));
    const watched = new RobotsAnswers(() => 0).watch(requests);
    for (const site of [...sites, ...sites]) await watched.get(requestTo(site));
    assert.equal(asked.length, 80);
  });

  it("does not wait for itself where redirects lead to each other", async () => {
    const round = new Map([
      ["https://p0.example/robots.txt", "https://a.example/1"],
      ["https://a.example/1", "https://b.example/1"],
      ["https://p1.example/robots.txt", "https://b.example/1"],
      ["https://b.example/1", "https://a.example/1"],
    ]);
    const failed = { kind: "failed", reason: "redirect-loop", message: "", receivedBytes: 0, requests: 5 } as const;
    const watched = new RobotsAnswers(() => 0).watch(redirecting(round, async () => failed).requests);
    const outcomes = await Promise.all(sites.slice(0, 2).map((site) => watched.get(requestTo(site))));
    assert.deepEqual(outcomes, [failed, failed]);
  });

  it("keeps no site waiting for the Crawl-delay of one to which many redirect", async () => {
    const hosts = Array.from({ length: 30 }, (_, at) => `p${at}.example`);
    await using web = await openLoopbackWeb({
      addressOf: () => ["127.0.0.1"],
      answer: ({ host, path, port }, response) => {
        if (path === "/robots.txt" && host.startsWith("p"))
          response.writeHead(302, { location: `http://central.example:${port}/robots.txt` }).end();
        else if (path === "/robots.txt") response.end("User-agent: *\nCrawl-delay: 2\n");
        else response.setHeader("content-type", "text/html").end();
      },
    });
    using temp = makeTempFolder();
    const waits: string[] = [];
    const summary = await crawlWeb({
      ...optionsFor(web, temp.path, { connections: 4 }),
      seeds: ["central.example", ...hosts].map((host) => `${web.originOf(host)}/`),
      onEvent: (event) => {
        if (event.event === "waiting" && event.site.includes("central")) waits.push(event.why);
      },
    });
    const asked = web.requests.filter(({ host, path }) => host === "central.example" && path === "/robots.txt");
    assert.deepEqual([summary.done, asked.length, waits], [31, 1, []]);
  });
});
