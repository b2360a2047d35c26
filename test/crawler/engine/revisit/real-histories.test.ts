import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { runTrial } from "../../../bench/poll/polled-site.ts";
import { createEstimating, createRoundRobin } from "../../../bench/poll/pollers.ts";
import { makePoissonSite, takeHistory } from "../../../bench/poll/trial-sites.ts";
import { readHistory } from "../../../bench/replay/history.ts";
import { repositoryFolder } from "../../../repository-folder.ts";

// As in the benchmark: what is counted is the second year, after one of learning.
const days = 730;

test("on a Poisson site the index with estimated rates is fresher than uniform polls, and dates help", () => {
  const site = makePoissonSite(1000, 365, 5);
  const uniform = runTrial(site, createRoundRobin(), 33, 150).freshness;
  const index = runTrial(site, createEstimating(site, { dated: false }), 33, 150).freshness;
  const dated = runTrial(site, createEstimating(site, { dated: true }), 33, 150).freshness;
  assert.ok(index > uniform && dated > index + 0.005, `${uniform} ${index} ${dated}`);
});

for (const name of ["flink-web.tsv.gz", "nodejs-org.tsv.gz"]) {
  const file = join(repositoryFolder(), "fixtures/histories", name);
  test(`at ${name} the index with estimated rates is fresher than uniform polls, a poll a page and month`, async () => {
    const site = takeHistory(await readHistory(file, name), days);
    const live = site.pages.filter(({ bornAt, goneAt }) => bornAt <= site.until && goneAt > site.until).length;
    const budget = Math.round(live / 30);
    const uniform = runTrial(site, createRoundRobin(), budget, days / 2);
    const index = runTrial(site, createEstimating(site, { dated: false }), budget, days / 2);
    assert.ok(index.freshness > uniform.freshness, `${index.freshness} <= ${uniform.freshness}`);
  });
}
