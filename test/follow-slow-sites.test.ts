import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import type { FollowedSite } from "../src/crawler/crawl-site-options.ts";
import { followSites } from "../src/crawler/follow/follow-sites.ts";
import { readMirror } from "./crawler/engine/mirror.ts";
import { PublishedSite } from "./crawler/engine/published-site.ts";
import { ManualTime } from "./manual-time.ts";
import { makeTempFolder } from "./temp-folder.ts";

const connections = 4;
const others = 6;

/** A site whose pages come byte by byte, for ever. */
class DrippingSite {
  readonly requests: string[] = [];
  /** Resolves once a page is under way. */
  readonly begun: Promise<void>;
  readonly #server: Server;
  readonly #host: string;

  constructor(host: string) {
    let begin = (): void => undefined;
    this.begun = new Promise((resolve) => (begin = resolve));
    this.#server = createServer((request, response) => {
      this.requests.push(request.url ?? "");
      if (request.url === "/robots.txt") return void response.writeHead(404).end();
      response.writeHead(200, { "content-type": "text/html" }).write("<p>");
      const timer = setInterval(() => response.write("x"), 20);
      response.once("close", () => clearInterval(timer));
      begin();
    });
    this.#host = host;
  }

  async open(): Promise<FollowedSite> {
    await once(this.#server.listen(0, this.#host), "listening");
    const { address, port } = this.#server.address() as AddressInfo;
    return { url: `http://${address}:${port}/`, sources: ["links"] };
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe("as many sites that drip as there are connections", () => {
  it("keep no other from being visited, and hold up no end beyond the timeout", { timeout: 30_000 }, async () => {
    const time = new ManualTime();
    using folder = makeTempFolder();
    const dripping = Array.from({ length: connections }, (_, at) => new DrippingSite(`127.0.8.${at + 1}`));
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
      const listed = await Promise.all(dripping.map((site) => site.open()));
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
      for (const { requests } of dripping) assert.deepEqual(requests, ["/robots.txt", "/"]);
      stop.abort();
      time.pass(30_000);
      await following;
      for (const { requests } of dripping) assert.deepEqual(requests, ["/robots.txt", "/"]);
    } finally {
      stop.abort();
      for (const site of dripping) site.close();
      for (const site of sites) await site[Symbol.asyncDispose]();
    }
  });
});
