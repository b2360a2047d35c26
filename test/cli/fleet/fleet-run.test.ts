import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { openFleet } from "../../../src/fleet/index.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { parseOpenMetrics } from "../open-metrics.ts";
import { runProgram, startProgram } from "../run-program.ts";

const counts = { visits: 7, failedVisits: 1, requests: 90, pageRequests: 80, created: 5, updated: 2, deleted: 1 };

/** A fleet of two workers, one of which said how it does. */
async function openWorked() {
  const folder = makeTempFolder("fleet");
  const file = join(folder.path, "fleet.db");
  const worker = await openFleet(file, { worker: 'a "1"', version: "0.1.0" });
  const other = await openFleet(file, { worker: "b-2" });
  await worker.addSites([{ origin: "https://one.test", note: "", priority: 1 }]);
  await worker.claim(1);
  await worker.report({ ...counts, text: "not a number", "odd name": 3 });
  return {
    file,
    list: join(folder.path, "sites.txt"),
    worker,
    [Symbol.asyncDispose]: async () => {
      await worker[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

test("tidemark fleet status shows workers, sites and what waits", async () => {
  await using fleet = await openWorked();
  writeFileSync(fleet.list, "https://two.test/seed?x priority=8\nhttps://three.test/\n");
  const added = await runProgram("fleet", "add", fleet.file, "--sites", fleet.list);
  assert.deepEqual([added.code, added.stdout], [0, "2 sites listed; those that were new are due.\n"]);
  const { code, stdout, stderr } = await runProgram("fleet", "status", fleet.file);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^sites: 2 due, 0 waiting, 1 held, 0 ended\n0 pages; 2 URLs from links wait for their sites\n/);
  assert.match(stdout, /^a "1" +[\d.]+ s ago +1 +7 +- +0 +\S+ +0\.1\.0$/m);
  for (const line of stdout.split("\n")) assert.ok(/^[ -~]{0,90}$/.test(line), line);
});

test("tidemark fleet status tells the same as lines of JSON", async () => {
  await using fleet = await openWorked();
  const { stdout } = await runProgram("fleet", "status", fleet.file, "--json");
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ event }) => event),
    ["worker", "worker", "summary"],
  );
  const told = lines.find(({ name }) => name === 'a "1"');
  assert.deepEqual([told.held, told.lostLeases, told.isDraining, told.counts], [1, 0, false, counts]);
  const { event: _, nowMs, ...summary } = lines[2];
  assert.ok(Math.abs(nowMs - Date.now()) < 600_000);
  assert.deepEqual(summary, {
    ...{ isPaused: false, due: 0, waiting: 0, held: 1, ended: 0 },
    ...{ pages: 0, handedUrls: 0, areEstimates: false, workers: 2 },
  });
});

test("tidemark fleet pauses, resumes and drains", async () => {
  await using fleet = await openWorked();
  assert.equal((await runProgram("fleet", "pause", fleet.file)).code, 0);
  assert.equal((await fleet.worker.report({})).isPaused, true);
  assert.match((await runProgram("fleet", "status", fleet.file)).stdout, /^paused\n/);
  assert.equal((await runProgram("fleet", "resume", fleet.file)).code, 0);
  const { stdout } = await runProgram("fleet", "drain", fleet.file, "--worker", 'a "1"', "--json");
  assert.deepEqual(JSON.parse(stdout), { event: "summary", worker: 'a "1"', isDraining: true });
  assert.deepEqual(await fleet.worker.report({}), { isPaused: false, isDraining: true });
  const unknown = await runProgram("fleet", "drain", fleet.file, "--worker", "nobody");
  assert.equal(unknown.code, 4);
  assert.match(unknown.stderr, /The fleet has no worker nobody\./);
});

test("metrics of a fleet are OpenMetrics, whatever its workers are called", async () => {
  await using fleet = await openWorked();
  const { stdout } = await runProgram("fleet", "status", fleet.file, "--openmetrics");
  const samples = parseOpenMetrics(stdout);
  const sampleOf = (name: string, labels: Readonly<Record<string, string>>) =>
    samples.find((sample) => sample.name === name && JSON.stringify(sample.labels) === JSON.stringify(labels))?.value;
  assert.equal(sampleOf("tidemark_fleet_sites", { state: "held" }), 1);
  assert.equal(sampleOf("tidemark_fleet_worker_visits_total", { worker: 'a "1"' }), 7);
  assert.equal(sampleOf("tidemark_fleet_worker_pages_total", { worker: 'a "1"', outcome: "updated" }), 2);
  assert.equal(sampleOf("tidemark_fleet_worker_visits_total", { worker: "b-2" }), undefined);
  assert.equal(sampleOf("tidemark_fleet_worker_held_sites", { worker: "b-2" }), 0);
  const file = `${fleet.file}.prom`;
  await runProgram("fleet", "status", fleet.file, "--openmetrics", file);
  assert.equal(parseOpenMetrics(readFileSync(file, "utf8")).length, samples.length);
});

test("tidemark fleet status --listen serves metrics until it is stopped", { timeout: 30_000 }, async () => {
  await using fleet = await openWorked();
  const child = startProgram(["fleet", "status", fleet.file, "--listen", "0", "--json"]);
  assert.ok(child.stdout !== null);
  const ended = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    const { url } = JSON.parse(line);
    const accept = { Accept: "application/openmetrics-text" };
    const answer = await fetch(`${url}/metrics`, { headers: accept });
    assert.equal(answer.headers.get("content-type"), "application/openmetrics-text; version=1.0.0; charset=utf-8");
    assert.ok(parseOpenMetrics(await answer.text()).length > 10);
    assert.match(await (await fetch(`${url}/metrics`)).text(), /^# TYPE tidemark_fleet_paused gauge\n/);
    assert.equal((await fetch(`${url}/`)).status, 404);
    assert.equal((await fetch(`${url}/metrics`, { method: "POST" })).status, 405);
    child.kill("SIGTERM");
  }
  assert.deepEqual(await ended, [0, null]);
});

test("what cannot be meant is refused", async () => {
  await using fleet = await openWorked();
  for (const [args, message] of [
    [["fleet", "stop", fleet.file], /stop is none of status, pause, resume, drain, add/],
    [["fleet", "drain", fleet.file], /--worker is missing/],
    [["fleet", "add", fleet.file], /--sites is missing/],
    [
      ["fleet", "pause", fleet.file, "--worker", "a"],
      /option of tidemark fleet drain was given to tidemark fleet pause/,
    ],
    [["fleet", "status", fleet.file, "--listen", "0", "--openmetrics", "x"], /exclude each other/],
    [["fleet", "status", fleet.file, "--json", "--openmetrics"], /exclude each other/],
    [["fleet", "status", fleet.file, "--listen", "0.0.0.0:0"], /whoever does sees all workers/],
  ] as const) {
    const { code, stderr } = await runProgram(...args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
  }
  const missing = await runProgram("fleet", "status", `${fleet.file}.not`);
  assert.deepEqual([missing.code, missing.stderr.includes("There is no fleet in")], [4, true]);
  const nobody = await runProgram("fleet", "status", "postgres://user:secret@127.0.0.1:9/none");
  assert.deepEqual([nobody.code, nobody.stderr.includes("secret")], [6, false]);
});
