import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FollowedSite } from "../src/crawler/crawl-site-options.ts";
import { followSites } from "../src/crawler/follow/follow-sites.ts";
import { readMirror } from "./crawler/engine/mirror.ts";
import { PublishedSite } from "./crawler/engine/published-site.ts";
import { ManualTime } from "./manual-time.ts";
import { listenSite, type SiteServer } from "./site-server.ts";
import { makeTempFolder } from "./temp-folder.ts";

const connections = 4;
const others = 6;

/** A site whose pages come byte by byte, for ever. @returns it, and what resolves once a page is under way */
async function openDripping(host: string): Promise<SiteServer & { readonly begun: Promise<void> }> {
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const site = await listenSite((request, response) => {
    if (request.url === "/robots.txt") return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/html" }).write("<p>");
    const timer = setInterval(() => response.write("x"), 20);
    response.once("close", () => clearInterval(timer));
    begin();
  }, host);
  return Object.assign(site, { begun });
}

describe("as many sites that drip as there are connections", () => {
  it("keep no other from being visited, and hold up no end beyond the timeout", { timeout: 30_000 }, async () => {
    const time = new ManualTime();
    using folder = makeTempFolder();
    const dripping = await Promise.all(
      Array.from({ length: connections }, async (_, at) => await openDripping(`127.0.8.${at + 1}`)),
    );
    const sites = await Promise.all(
      Array.from({ length: others }, async (_, at) => await PublishedSite.open(`127.0.8.${at + 101}`)),
    );
    const stop = new AbortController();
    let endRound = (): void => undefined;
    const round = new Promise<void>((resolve) => (endRound = resolve));
    const visited = new Set<string>();
    try {
      for (const site of sites) {
        site.set({ "/": "<p>home", "/a.html": "<p>page" });
        site.publishBase();
      }
      const listed = dripping.map(({ origin }): FollowedSite => ({ url: `${origin}/`, sources: ["links"] }));
      const { now: clock, delay } = time;
      let next: (sites: FollowedSite[]) => void = () => undefined;
      const second = new Promise<FollowedSite[]>((resolve) => (next = resolve));
      const lists = async function* (): AsyncGenerator<FollowedSite[]> {
        yield listed;
        yield await second;
        await new Promise(() => undefined);
      };
      const following = followSites({
        sites: lists(),
        into: folder.path,
        connections,
        clock,
        delay,
        random: () => 0,
        signal: stop.signal,
        onVisit: ({ site }) => {
          visited.add(site);
          if (sites.every(({ origin }) => visited.has(origin))) endRound();
        },
      });
      await Promise.all(dripping.map(({ begun }) => begun));
      next([...listed, ...sites.map(({ origin }): FollowedSite => ({ url: `${origin}/`, sources: ["archives"] }))]);
      time.pass(5000);
      await round;
      for (const { origin } of sites) assert.equal(Object.keys(readMirror(folder.path, origin)).length, 2);
      for (const { requests } of dripping) assert.deepEqual(requests, ["GET /robots.txt", "GET /"]);
      stop.abort();
      time.pass(30_000);
      await following;
      for (const { requests } of dripping) assert.deepEqual(requests, ["GET /robots.txt", "GET /"]);
    } finally {
      stop.abort();
      for (const site of [...dripping, ...sites]) await site[Symbol.asyncDispose]();
    }
  });
});
