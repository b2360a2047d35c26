import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { exitCodes } from "../../../src/cli/terminal/exit-code.ts";
import { Crawler } from "../../crawler/engine/site-visit.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { runProgram } from "../run-program.ts";

const line =
  '192.0.2.1 - - [25/Nov/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 500 "-" "Mozilla/5.0 (compatible; Googlebot/2.1)"\n';

test("a report of logs prints what traffic prints, and writes a page", async () => {
  using folder = makeTempFolder();
  const [log, html] = [join(folder.path, "access.log"), join(folder.path, "report.html")];
  writeFileSync(log, line.repeat(3));
  const traffic = await runProgram("traffic", log);
  const report = await runProgram("report", log, log, "--html", html, "--base-url", "http://site.example/");
  assert.equal(report.code, exitCodes.done, report.stderr);
  assert.match(traffic.stdout, /^3 requests/);
  assert.match(report.stdout, /^6 requests/);
  assert.match(readFileSync(html, "utf8"), /<h1>What crawlers cost: site\.example<\/h1>/);
  assert.doesNotMatch(readFileSync(html, "utf8"), /192\.0\.2/);
});

test("a page replaces a page, and nothing else", async () => {
  using folder = makeTempFolder();
  const [log, html] = [join(folder.path, "access.log"), join(folder.path, "report.html")];
  writeFileSync(log, line);
  writeFileSync(html, "");
  for (let time = 0; time < 2; time++) assert.equal((await runProgram("report", log, "--html", html)).code, 0);
  for (const file of [log, folder.path]) {
    const { code, stderr } = await runProgram("report", log, "--html", file);
    assert.deepEqual([code, stderr.includes("is no page of HTML")], [exitCodes.usage, true], stderr);
  }
  assert.equal(readFileSync(log, "utf8"), line);
});

test("a report reads a log from a pipe", async () => {
  using folder = makeTempFolder();
  const pipe = join(folder.path, "pipe");
  execFileSync("mkfifo", [pipe]);
  const [report] = await Promise.all([runProgram("report", pipe), writeFile(pipe, line)]);
  assert.equal(report.code, exitCodes.done, report.stderr);
  assert.match(report.stdout, /^1 request,/);
});

test("a report tells a crawler's state from a log", async () => {
  await using crawler = await Crawler.open();
  crawler.site.set({ "/a.html": "a" });
  crawler.site.publishBase();
  await crawler.visit();
  const { path } = crawler.folder;
  for (const from of [path, join(path, ".tidemark.sqlite")].filter(existsSync)) {
    const { code, stdout } = await runProgram("report", from);
    assert.deepEqual([code, stdout.includes("1 page")], [exitCodes.done, true], stdout);
  }
  const strange = await runProgram("report", path, "--format", "combined");
  assert.deepEqual(
    [strange.code, strange.stderr.includes("--format is of logs")],
    [exitCodes.usage, true],
    strange.stderr,
  );
  using folder = makeTempFolder();
  const log = join(folder.path, "access.log");
  writeFileSync(log, line);
  const other = await runProgram("report", log, "--check", "3");
  assert.deepEqual(
    [other.code, other.stderr.includes("--check is of a crawler")],
    [exitCodes.usage, true],
    other.stderr,
  );
  assert.equal((await runProgram("report", join(folder.path, "none"))).code !== exitCodes.done, true);
  assert.equal((await runProgram("report", "-", "-")).code, exitCodes.usage);
});
