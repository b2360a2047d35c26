import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeTempFolder } from "../temp-folder.ts";
import { type RunningCommand, runTidemark, startTidemark } from "./command.ts";
import { skipWithout } from "./programs.ts";
import { createRandom } from "./random.ts";
import { startWebServer, type WebServer } from "./web-server.ts";

const siteCount = 60;
const pagesPerSite = 5;
/** Seconds for which crawlers are watched, after as many in which they learn how often pages change. */
const watchedSeconds = 30;
const changesPerSecond = (siteCount * pagesPerSite) / 20;

const random = createRandom(21);
const pages = Array.from({ length: pagesPerSite }, (_, page) => `p${page}.html`);

/** Sites that change: which crawler holds which version of each page is seen by what they were sent. */
class ChangingSites implements AsyncDisposable {
  readonly #server: Server;
  readonly #versions = new Map<string, number>();
  /** By crawler and page, the version that it was sent or told to be unchanged. */
  readonly #held = new Map<string, Map<string, number>>();
  readonly requests = new Map<string, number>();

  constructor(server: Server) {
    this.#server = server;
    for (const origin of this.origins) for (const page of pages) this.#versions.set(`${origin}/${page}`, 1);
    server.on("request", (request, response) => {
      const crawler = request.headers["user-agent"]?.split("/", 1)[0] ?? "";
      const url = `http://${request.headers.host}${request.url}`;
      this.requests.set(crawler, (this.requests.get(crawler) ?? 0) + 1);
      response.setHeader("content-type", "text/html");
      const version = this.#versions.get(url);
      if (request.url === "/") {
        // Each crawler has an order of its own: "a random permutation of W".
        const links = pages.map((page) => `<a href="/${page}">x</a>`);
        response.end(random.sample(links, links.length).join(""));
      } else if (version === undefined) response.writeHead(404).end();
      else {
        const held = this.#held.get(crawler) ?? new Map<string, number>();
        this.#held.set(crawler, held.set(url, version));
        const tag = `"${version}"`;
        response.setHeader("etag", tag);
        if (request.headers["if-none-match"] === tag) response.writeHead(304).end();
        else response.end(`version ${version}`);
      }
    });
  }

  static async open(): Promise<ChangingSites> {
    const server = createServer().listen(0, "0.0.0.0");
    await once(server, "listening");
    return new ChangingSites(server);
  }

  get origins(): string[] {
    const { port } = this.#server.address() as AddressInfo;
    return Array.from({ length: siteCount }, (_, site) => `http://127.1.0.${site + 1}:${port}`);
  }

  /** Changes a page. */
  change(): void {
    const [url = ""] = random.sample([...this.#versions.keys()], 1);
    this.#versions.set(url, (this.#versions.get(url) ?? 0) + 1);
  }

  /** The share of pages of which a crawler has the version of now. */
  freshnessOf(crawler: string): number {
    const held = this.#held.get(crawler);
    let fresh = 0;
    for (const [url, version] of this.#versions) if (held?.get(url) === version) fresh += 1;
    return fresh / this.#versions.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

const names = ["a", "b", "c"] as const;

test("three crawlers that share are each fresher than three that do not, at the same number of requests", {
  skip: skipWithout("nginx"),
  timeout: 240_000,
}, async (context) => {
  using folder = makeTempFolder();
  await using sites = await ChangingSites.open();
  const list = join(folder.path, "sites.txt");
  writeFileSync(list, sites.origins.map((origin) => `${origin}/\n`).join(""));
  const servers = new Map<string, WebServer>();
  const crawlers: RunningCommand[] = [];
  const all = [...names.map((name) => `alone-${name}`), ...names.map((name) => `sharing-${name}`)];
  try {
    for (const name of names) {
      const docroot = join(folder.path, `docroot-${name}`);
      mkdirSync(docroot);
      servers.set(name, await startWebServer("nginx", docroot));
    }
    const common = (crawler: string): string[] => [
      ...["crawl", "--sites", list, "--into", join(folder.path, crawler), "--user-agent", `${crawler}/1`],
      ...["--source", "links", "--keep", "none", "--crawl-delay", "0", "--json"],
    ];
    for (const crawler of all) {
      const first = await runTidemark(common(crawler));
      assert.equal(first.exitCode, 0, first.stderr);
    }
    for (const crawler of all) {
      const [group, name = ""] = crawler.split("-");
      const url = servers.get(name)?.url ?? "";
      const peers = names.filter((other) => other !== name).map((other) => servers.get(other)?.url ?? "");
      const sharing = [
        ...["--mode", "sharing-hybrid", "--rho", "0.85", "--exchange", "1s"],
        ...["--share-into", join(folder.path, `docroot-${name}`), "--share-url", url],
        ...peers.flatMap((peer) => ["--peer", peer]),
      ];
      const going = [
        "--forever",
        "--planner",
        "round-robin",
        "--budget",
        "1",
        "--min-interval",
        "4s",
        "--max-interval",
        "4s",
      ];
      crawlers.push(startTidemark([...common(crawler), ...going, ...(group === "sharing" ? sharing : [])]));
    }
    const sums = new Map(all.map((crawler) => [crawler, 0]));
    let samples = 0;
    const before = new Map<string, number>();
    const start = performance.now();
    for (let changes = 0; ; ) {
      await sleep(100);
      const seconds = (performance.now() - start) / 1000;
      for (; changes < seconds * changesPerSecond; changes++) sites.change();
      if (seconds > 2 * watchedSeconds) break;
      if (seconds < watchedSeconds) continue;
      if (samples === 0) for (const [crawler, count] of sites.requests) before.set(crawler, count);
      samples += 1;
      for (const crawler of all) sums.set(crawler, (sums.get(crawler) ?? 0) + sites.freshnessOf(crawler));
    }
    const requests = new Map(all.map((of) => [of, (sites.requests.get(of) ?? 0) - (before.get(of) ?? 0)]));
    for (const { child } of crawlers) child.kill("SIGTERM");
    for (const { result } of crawlers) {
      const { exitCode, stderr } = await result;
      assert.equal(exitCode, 0, stderr);
    }
    const logs = await Promise.all(names.map(async (name) => (await servers.get(name)?.takeLog()) ?? []));
    const bytes = new Map(
      names.map((name, at) => [`sharing-${name}`, logs[at]?.reduce((sum, { bytes: sent }) => sum + sent, 0) ?? 0]),
    );
    const freshness = (crawler: string): number => (sums.get(crawler) ?? 0) / samples;
    context.diagnostic("crawler, freshness, requests to sites, bytes sent to peers");
    for (const crawler of all)
      context.diagnostic(
        `${crawler}, ${freshness(crawler).toFixed(3)}, ${requests.get(crawler)}, ${bytes.get(crawler) ?? 0}`,
      );
    const counts = [...requests.values()];
    assert.ok(Math.max(...counts) <= 1.1 * Math.min(...counts), `other numbers of requests: ${counts.join(" ")}`);
    const [alone, sharing] = ["alone", "sharing"].map((group) => names.map((name) => freshness(`${group}-${name}`)));
    assert.ok(Math.min(...(sharing ?? [])) > Math.max(...(alone ?? [])) + 0.02, `${sharing} against ${alone}`);
    assert.ok([...bytes.values()].every((sent) => sent > 0));
  } finally {
    for (const { child } of crawlers) child.kill("SIGKILL");
    for (const server of servers.values()) await server[Symbol.asyncDispose]();
  }
});
