import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { mirrorFolderOf } from "../../src/storage/mirror/mirror-path.ts";

import { PublishedSite } from "../crawler/engine/published-site.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { crawl, startTidemark } from "./command.ts";
import { killSites } from "./kill-sites.ts";

const links = ["--source", "links"];

test("a page that goes back to what it was before a crawl was killed is not left as the killed one saw it", async () => {
  await using site = await PublishedSite.open();
  using temp = makeTempFolder("kill-revert");
  const file = join(temp.path, mirrorFolderOf(site.origin), "a.html");
  site.set({ "/": '<a href="/a.html"></a><a href="/b.html"></a>', "/a.html": "first", "/b.html": "b" });
  await crawl(site.origin, temp.path, ...links);
  site.set({ "/a.html": "second, and longer" });
  let hold: (() => void) | undefined;
  const asked = new Promise<void>((resolve) => {
    hold = resolve;
  });
  // It is never answered whole: the crawler dies before.
  site.answers.set("/b.html", (_, response) => {
    response.writeHead(200, { "content-length": "9" });
    response.flushHeaders();
    hold?.();
  });
  const { child, result } = startTidemark(["crawl", site.origin, "--into", temp.path, ...links]);
  await asked;
  while (readFileSync(file, "utf8") === "first") await wait(5);
  const ended = once(child, "close");
  child.kill("SIGKILL");
  await ended;
  assert.equal((await result).signal, "SIGKILL");
  site.answers.clear();
  site.set({ "/a.html": "first" });
  await crawl(site.origin, temp.path, ...links);
  assert.equal(readFileSync(file, "utf8"), "first");
});

test("crawls of twenty sites that are killed at any instant keep every page once, politely", {
  timeout: 300_000,
}, async (t) => {
  const options = { times: 20, seed: 20_261_122, pages: 1200, sites: 20, withinMs: 1500, troubleEvery: 40 };
  const report = await killSites(options);
  t.diagnostic(JSON.stringify(report));
  assert.equal(report.killed, options.times);
  assert.ok(report.requests > options.pages && report.looks > 0);
});
