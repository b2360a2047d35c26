import assert from "node:assert/strict";
import { chmodSync, cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readLedger } from "../../../src/exporter/publish/ledger.ts";
import { repositoryFolder } from "../../repository-folder.ts";
import { oddPages, readPages } from "./golden-state.ts";
import { countsOf, TestSite, warningsOf } from "./test-site.ts";

// A state of version 1 stays readable for ever: these files are never made again.
const fixture = join(repositoryFolder(), "fixtures/export/v1");

test("the ledger and the pages of version 1 are read as they were meant", async () => {
  // JSON has no undefined: a page without a digest has no such field.
  const expected = JSON.parse(readFileSync(join(fixture, "state.json"), "utf8"));
  const ledger = await readLedger(join(fixture, "state"));
  assert.deepEqual(ledger, expected.ledger);
  const names: { name: string }[] = expected.ledger.pageFiles;
  const pages = readPages(...names.map(({ name }) => join(fixture, "state", name)));
  assert.deepEqual(JSON.parse(JSON.stringify(pages)), expected.pages);
  assert.ok(pages.length > 5 && (ledger?.intervals.length ?? 0) > 3);
});

test("every form of a page's record of version 1 is read", () => {
  assert.deepEqual(readPages(join(fixture, "odd-pages.blocks")), oddPages);
});

test("an export goes on from a state of version 1", async () => {
  using site = new TestSite();
  cpSync(join(fixture, "site"), site.docroot, { recursive: true });
  cpSync(join(fixture, "state"), site.stateDir, { recursive: true });
  // A checkout gives modes as its umask says.
  for (const name of readdirSync(site.docroot, { recursive: true, encoding: "utf8" })) {
    const path = join(site.docroot, name);
    chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
  }
  const { ledger } = JSON.parse(readFileSync(join(fixture, "state.json"), "utf8"));
  const options = { segmentSize: 4, minGroup: 2 };
  const run = await site.export(options);
  assert.deepEqual(warningsOf(run), []);
  assert.deepEqual([run.summary.epoch, run.summary.publication], [ledger.epoch, ledger.publication]);
  assert.match(countsOf(run), /^9 pages: 0 created, 0 updated, 0 deleted/);
  site.write("page-0.html", "changed");
  assert.equal(countsOf(await site.export(options)), "9 pages: 0 created, 1 updated, 0 deleted, 0 touched");
  const reader = site.reader();
  assert.equal(reader.index.epoch, ledger.epoch);
  assert.ok(reader.canFollow(ledger.publication));
  site.check([...Array.from({ length: 8 }, (_, at) => `page-${at}.html`), "café/ü.txt"]);
});
