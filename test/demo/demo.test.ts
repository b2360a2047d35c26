import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { TidemarkError } from "../../src/core/error.ts";
import { runDemonstration } from "../../src/demo/demo.ts";
import type { DemoReport } from "../../src/demo/report.ts";
import { endOf, startProgram } from "../cli/run-program.ts";

const pages = 150;

describe("the demonstration", () => {
  let folder = "";
  let report: DemoReport | undefined;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "tidemark-test-"));
    report = await runDemonstration({ pages, keepFolder: join(folder, "kept") });
  });
  after(() => rm(folder, { recursive: true }));

  it("keeps every promise", () => {
    const checks = report?.checks ?? [];
    assert.deepEqual(
      checks.filter((check) => !check.held),
      [],
    );
    assert.deepEqual(
      checks.map((check) => check.visit),
      [1, 1, 2, 2, 2, 3, 3, 3],
    );
  });

  it("shows what each visit costs", () => {
    const [first, second, third] = report?.visits ?? [];
    assert.ok(first && second && third);
    assert.equal(first.changedPages, pages);
    assert.equal(second.changedPages, 50);
    assert.equal(second.deletedPages, 10);
    assert.equal(second.touchedPages, pages - 50);
    assert.equal(second.traffic.tidemark.requests - second.traffic.tidemark.metadataRequests, 50);
    assert.equal(second.traffic.polling.requests, pages + 10);
    assert.equal(second.traffic.polling.notModified, 0);
    assert.equal(third.traffic.polling.notModified, pages);
    assert.equal(third.traffic.everything.requests, pages);
    assert.deepEqual([third.traffic.tidemark.requests, third.traffic.tidemark.notModified], [2, 2]);
  });

  it("keeps site, state and mirror where it is asked to", async () => {
    assert.deepEqual((await readdir(join(folder, "kept"))).sort(), ["mirror", "site", "state"]);
  });

  it("refuses a folder that holds something", async () => {
    await writeFile(join(folder, "precious"), "x");
    await assert.rejects(runDemonstration({ pages, keepFolder: folder }), (error) => {
      return error instanceof TidemarkError && error.code === "bad-option";
    });
    assert.ok((await readdir(folder)).includes("precious"));
  });

  it("leaves nothing behind when it is interrupted", async () => {
    const own = await mkdtemp(join(folder, "tmp-"));
    const child = startProgram(["demo", "--pages", "400", "--json"], { TMPDIR: own });
    const ended = endOf(child);
    let seen = "";
    child.stdout?.on("data", (chunk) => {
      seen += chunk;
      if (seen.includes("crawling") && !child.killed) child.kill("SIGINT");
    });
    const { code, stdout } = await ended;
    assert.equal(code, 130, stdout);
    assert.equal(JSON.parse(stdout.trim().split("\n").at(-1) ?? "").code, "aborted");
    assert.deepEqual(await readdir(own), []);
  });
});
