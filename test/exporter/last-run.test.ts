import assert from "node:assert/strict";
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { RunRecord, readLastRun } from "../../src/exporter/last-run.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { TestSite } from "./publish/test-site.ts";

describe("what a run leaves for tidemark status", () => {
  it("says what it came to, and when a run ended well", async () => {
    using site = new TestSite();
    site.write("a.html", "a");
    site.write(".env", "secret");
    await site.export();
    const first = await readLastRun(site.stateDir);
    assert.deepEqual(
      [first?.site, first?.docroot, first?.kind, first?.outcome, first?.created, first?.withheld, first?.succeededMs],
      ["https://example.org/", site.docroot, "export", "published", 1, 1, site.nowMs],
    );
    await site.export();
    const second = await readLastRun(site.stateDir);
    assert.deepEqual([second?.outcome, second?.created, second?.withheld], ["unchanged", 0, 1]);
    assert.equal(statSync(join(site.stateDir, "last-run.json")).mode & 0o777, 0o600);
  });

  it("says why it failed, and since when", async () => {
    using site = new TestSite();
    site.write("a.html", "a");
    await site.export();
    const succeededMs = site.nowMs;
    renameSync(site.docroot, `${site.docroot}-away`);
    await assert.rejects(site.export(), { code: "not-found" });
    const failed = await readLastRun(site.stateDir);
    assert.deepEqual([failed?.outcome, failed?.error?.code, failed?.succeededMs], ["failed", "not-found", succeededMs]);
    assert.match(failed?.error?.message ?? "", /document root/);
    renameSync(`${site.docroot}-away`, site.docroot);
    await site.export();
    assert.equal((await readLastRun(site.stateDir))?.error, undefined);
  });

  it("is nothing of a dry run, nor of one that never had a state", async () => {
    using site = new TestSite();
    site.write("a.html", "a");
    await site.export({ dryRun: true });
    await assert.rejects(site.export({ docroot: join(site.folder, "none") }), { code: "not-found" });
    assert.ok(!existsSync(site.stateDir));
  });

  it("is not replaced by who may not work on the state", async () => {
    using site = new TestSite();
    site.write("a.html", "a");
    await site.export();
    const file = join(site.stateDir, "last-run.json");
    const before = readFileSync(file, "utf8");
    await assert.rejects(site.export({ baseUrl: "https://other.example/" }), { code: "bad-option" });
    const signal = AbortSignal.abort();
    await assert.rejects(site.export({ signal }), { code: "aborted" });
    writeFileSync(join(site.stateDir, "lock"), JSON.stringify({ pid: 1, host: "elsewhere.example", since: "now" }));
    await assert.rejects(site.export(), { code: "locked" });
    assert.equal(readFileSync(file, "utf8"), before);
  });

  it("does not undo a publication where it cannot be written", async () => {
    using site = new TestSite();
    site.write("a.html", "a");
    await site.export();
    renameSync(join(site.stateDir, "last-run.json"), join(site.stateDir, "old.json"));
    const { mkdirSync } = await import("node:fs");
    mkdirSync(join(site.stateDir, "last-run.json/full"), { recursive: true });
    site.write("b.html", "b");
    const { summary, events } = await site.export();
    assert.deepEqual([summary.created, summary.warnings], [1, 1]);
    assert.ok(events.some((event) => event.event === "warning" && /record of this run/.test(event.message)));
    site.check(["a.html", "b.html"]);
  });

  it("is bounded, whatever happened", async () => {
    using folder = makeTempFolder();
    const clock = () => 5_000;
    const facts = { site: "https://example.org/", docroot: "/d", robotsDir: "/d", segmentSize: 2000 } as const;
    const record = new RunRecord({ ...facts, stateDir: folder.path, clock, kind: "watch" });
    for (let at = 0; at < 1000; at++) {
      record.add({
        event: "item-error",
        code: "io",
        message: `${at} ${"x".repeat(5000)}`,
        path: "/".padEnd(9000, "y"),
      });
    }
    await record.fail(new RangeError("z".repeat(100_000)));
    const run = await readLastRun(folder.path);
    assert.deepEqual([run?.kind, run?.errors, run?.troubles.length, run?.error?.code], ["watch", 1000, 20, "bug"]);
    assert.equal(run?.troubles[0]?.message.length, 500);
    assert.ok(statSync(join(folder.path, "last-run.json")).size < 30_000);
  });

  it("is taken for nothing where it is damaged", async () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "last-run.json");
    const good = { version: 1, site: "s", docroot: "d", robotsDir: "r", kind: "export", outcome: "published" };
    const counts = { startedMs: 1, endedMs: 2, segmentSize: 1, created: 0, updated: 0, deleted: 0, withheld: 0 };
    const run = { ...good, ...counts, errors: 0, warnings: 0, troubles: [] };
    writeFileSync(file, JSON.stringify(run));
    assert.equal((await readLastRun(folder.path))?.endedMs, 2);
    const broken = [
      "",
      "{",
      "null",
      "[]",
      JSON.stringify({ ...run, version: 2 }),
      JSON.stringify({ ...run, endedMs: "2" }),
      JSON.stringify({ ...run, endedMs: 1e300 }),
      JSON.stringify({ ...run, outcome: "fine" }),
      JSON.stringify({ ...run, troubles: [1] }),
      JSON.stringify({ ...run, error: {} }),
      JSON.stringify(run).padEnd(300_000),
    ];
    for (const text of broken) {
      writeFileSync(file, text);
      assert.equal(await readLastRun(folder.path), undefined, text.slice(0, 80));
    }
  });
});
