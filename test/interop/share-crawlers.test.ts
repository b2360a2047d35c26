import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeTempFolder } from "../temp-folder.ts";
import { type RunningCommand, runTidemark, startTidemark } from "./command.ts";
import { skipWithout } from "./programs.ts";
import { SharedSites } from "./shared-sites.ts";
import { startWebServer, type WebServer } from "./web-server.ts";

const counts = { sites: 60, pages: 10 };
/** A page changes every so many seconds in the mean; a crawler alone polls it every 44. */
const secondsPerChange = 80;
const warmUpSeconds = 50;
const watchedSeconds = 90;
const names = ["a", "b", "c"];

test("three crawlers that share are each fresher than three that do not, at the same number of requests", {
  skip: skipWithout("nginx"),
  timeout: 290_000,
}, async (context) => {
  using folder = makeTempFolder();
  await using sites = await SharedSites.open(folder.path, counts);
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
      ...["--source", "links", "--keep", "none", "--json"],
    ];
    // Each begins with the pages in an order of its own, one a second: "a random permutation of W" ([M] 5.6).
    const firsts = await Promise.all(
      all.map(async (crawler) => await runTidemark([...common(crawler), "--order", "random", "--connections", "60"])),
    );
    for (const { exitCode, stderr } of firsts) assert.equal(exitCode, 0, stderr);
    for (const crawler of all) {
      const [group, name = ""] = crawler.split("-");
      const url = servers.get(name)?.url ?? "";
      const peers = names.filter((other) => other !== name).map((other) => servers.get(other)?.url ?? "");
      const sharing = [
        ...["--mode", "sharing-hybrid", "--rho", "0.85", "--exchange", "2s"],
        ...["--share-into", join(folder.path, `docroot-${name}`), "--share-url", url],
        ...peers.flatMap((peer) => ["--peer", peer]),
      ];
      const going = [
        ...["--forever", "--planner", "round-robin", "--budget", "1", "--crawl-delay", "0"],
        ...["--min-interval", "4s", "--max-interval", "4s"],
      ];
      crawlers.push(startTidemark([...common(crawler), ...going, ...(group === "sharing" ? sharing : [])]));
    }
    const changesPerSecond = (counts.sites * counts.pages) / secondsPerChange;
    const start = Date.now() / 1000;
    const from = start + warmUpSeconds;
    const to = from + watchedSeconds;
    for (let changes = 0; Date.now() / 1000 < to; await sleep(50))
      for (; changes < (Date.now() / 1000 - start) * changesPerSecond; changes++) sites.change();
    for (const { child } of crawlers) child.kill("SIGTERM");
    for (const { result } of crawlers) {
      const { exitCode, stderr } = await result;
      assert.equal(exitCode, 0, stderr);
    }
    const records = await sites.readRecords(from, to);
    context.diagnostic("| crawler | freshness | requests to sites | bytes of them | bytes sent to peers |");
    const sent = new Map<string, number>();
    for (const name of names) {
      const log = (await servers.get(name)?.takeLog()) ?? [];
      sent.set(
        `sharing-${name}`,
        log.reduce((sum, { bytes }) => sum + bytes, 0),
      );
    }
    const rows = all.map((crawler) => ({
      crawler,
      ...(records.get(crawler) ?? { freshness: 0, requests: 0, bytes: 0 }),
    }));
    for (const { crawler, freshness, requests, bytes } of rows)
      context.diagnostic(
        `| ${crawler} | ${freshness.toFixed(3)} | ${requests} | ${bytes} | ${sent.get(crawler) ?? 0} |`,
      );
    const requests = rows.map((row) => row.requests);
    assert.ok(
      Math.max(...requests) <= 1.25 * Math.min(...requests),
      `other numbers of requests: ${requests.join(" ")}`,
    );
    const [alone = [], sharing = []] = ["alone", "sharing"].map((group) =>
      rows.filter(({ crawler }) => crawler.startsWith(group)),
    );
    for (const one of sharing)
      for (const other of alone) {
        assert.ok(one.freshness > other.freshness + 0.02, `${one.freshness} against ${other.freshness}`);
        // Who polls in turn is stale for half as long with twice as many requests: that is not what makes the difference.
        const staleness = ({ freshness, requests: of }: typeof one): number => (1 - freshness) * of;
        assert.ok(staleness(one) < staleness(other), `${staleness(one)} against ${staleness(other)}`);
      }
    for (const bytes of sent.values()) assert.ok(bytes > 0);
  } finally {
    for (const { child } of crawlers) child.kill("SIGKILL");
    for (const server of servers.values()) await server[Symbol.asyncDispose]();
  }
});
