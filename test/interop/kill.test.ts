import assert from "node:assert/strict";
import { test } from "node:test";
import { killCrawls, killExports } from "./kill.ts";
import { killWatches } from "./kill-watch.ts";
import { skipWithout } from "./programs.ts";

const options = { times: 25, seed: 20_261_121, pages: 800 };
const skip = skipWithout("nginx");

test("an export that is killed at any instant leaves a whole published set, and the next one heals the rest", {
  skip,
}, async () => {
  const report = await killExports(options);
  assert.equal(report.killed, options.times);
  assert.ok(report.checks > 0);
});

test("a crawl that is killed at any instant leaves whole pages, and the next one makes the mirror equal", {
  skip,
}, async () => {
  const report = await killCrawls(options);
  assert.equal(report.killed, options.times);
});

test("a watch that is killed at any instant leaves a whole published set, and the next one catches up", {
  skip,
}, async () => {
  const report = await killWatches({ ...options, times: 12 });
  assert.equal(report.killed, 12);
  assert.ok(report.publications > 1);
});
