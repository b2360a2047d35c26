import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { fewer } from "../../long-run.ts";
import { checkAgreement, StandardsReader } from "./standards-site.ts";
import { TestSite, warningsOf } from "./test-site.ts";

const all = { sitemap: true, resourceSync: true, changeDumps: true, segmentSize: 3, minGroup: 1 };
const names = ["a.html", "b.html", "c.html", "d.html", "e.html", "f.html"];

/** A site with some history, and all formats. */
async function makeSite(): Promise<TestSite> {
  const site = new TestSite();
  for (const [at, name] of names.entries()) site.write(name, name, 1_600_000_000 + at);
  await site.export(all);
  for (let round = 0; round < 3; round++) {
    site.write(names[round] ?? "", `round ${round}`);
    await site.export(all);
  }
  return site;
}

function stateFile(site: TestSite, form: RegExp): string {
  const name = readdirSync(site.stateDir).find((file) => form.test(file));
  assert.ok(name !== undefined, `${form}`);
  return join(site.stateDir, name);
}

/** Replaces a packed JSON file of the state by what is made of it. */
function rewrite(path: string, change: (document: Record<string, unknown>) => unknown): void {
  writeFileSync(path, gzipSync(JSON.stringify(change(JSON.parse(gunzipSync(readFileSync(path)).toString())))));
}

/** Exports, with a change and again without one, and checks all formats each time. */
async function checkNext(site: TestSite, codes: readonly string[], isNewEpoch: boolean): Promise<string> {
  const { epoch, publication } = site.reader().index;
  site.write("f.html", `after, ${site.nowMs}`);
  if (isNewEpoch) assert.deepEqual(warningsOf(await site.export({ ...all, dryRun: true })), codes.slice(0, 1));
  const run = await site.export(all);
  assert.deepEqual(warningsOf(run), codes);
  assert.equal(run.summary.epoch !== epoch, isNewEpoch);
  assert.ok(run.summary.publication > publication);
  site.check(names);
  checkAgreement(site);
  const again = await site.export(all);
  assert.deepEqual([warningsOf(again), again.summary.bytesWritten], [[], 0]);
  for (let round = 0; round < 4; round++) {
    site.write("a.html", `later ${round}`);
    assert.deepEqual(warningsOf(await site.export(all)), []);
    checkAgreement(site);
  }
  // Whatever was retired on the way is gone, and what is listed is there.
  const reader = new StandardsReader(site);
  const listed = reader.changeLists().length;
  assert.equal(reader.names().filter((name) => /^changelist-/.test(name)).length, listed);
  return run.events.flatMap((event) => (event.event === "warning" ? [event.message] : [])).join("\n");
}

const anew = ["state-corrupt", "change-lists-lost"];
const damages: readonly (readonly [string, (path: string) => void])[] = [
  ["deleted", (path) => rmSync(path)],
  ["empty", (path) => writeFileSync(path, "")],
  ["cut", (path) => truncateSync(path, 40)],
  ["another file", (path) => writeFileSync(path, "neither of this nor of that format, and long enough")],
];

for (const [what, damage] of fewer(damages, 2)) {
  test(`each file of the state ${what}: all formats agree after the next export`, async () => {
    for (const [form, codes, isNewEpoch] of fewer(
      [
        [/^ledger/, what === "deleted" ? ["state-missing", "change-lists-lost"] : anew, true],
        [/^pages/, anew, true],
        [/^standards/, what === "deleted" ? ["change-lists-lost"] : ["standards-state", "change-lists-lost"], false],
        [/^last-run/, [], false],
      ] as const,
      2,
    )) {
      using site = await makeSite();
      const path = stateFile(site, form);
      damage(path);
      const said = await checkNext(site, codes, isNewEpoch);
      if (codes.length > 0 && what !== "deleted") assert.ok(said.includes(path), said);
    }
  });
}

test("the whole state deleted: all formats agree after the next export", async () => {
  using site = await makeSite();
  rmSync(site.stateDir, { recursive: true });
  const said = await checkNext(site, ["state-missing", "change-lists-lost"], true);
  assert.ok(said.includes(site.stateDir));
});

test("a ledger of an older version begins a new epoch, and the message says which", async () => {
  using site = await makeSite();
  const path = stateFile(site, /^ledger/);
  rewrite(path, (document) => ({ ...document, version: 0 }));
  const said = await checkNext(site, anew, true);
  assert.ok(said.includes(path) && said.includes("version 0"), said);
});

test("a ledger of a newer version is refused, and nothing is touched", async () => {
  using site = await makeSite();
  const path = stateFile(site, /^ledger/);
  rewrite(path, (document) => ({ ...document, version: 3 }));
  site.write("a.html", "later");
  const before = [site.snapshot(site.docroot), site.snapshot(site.stateDir)];
  for (const dryRun of [true, false])
    await assert.rejects(site.export({ ...all, dryRun }), {
      code: "state-version",
      message: new RegExp(`${path}.*version 3`),
      hint: /Use that version, or move the state folder away/,
    });
  assert.deepEqual([site.snapshot(site.docroot), site.snapshot(site.stateDir)], before);
  checkAgreement(site);
});

test("pages of another version begin a new epoch", async () => {
  for (const header of fewer(["tidemark-blocks 0\n", "tidemark-blocks 2\n"], 2)) {
    using site = await makeSite();
    const path = stateFile(site, /^pages/);
    const bytes = readFileSync(path);
    bytes.write(header, "latin1");
    writeFileSync(path, bytes);
    const said = await checkNext(site, anew, true);
    assert.ok(said.includes(path) && said.includes("not a file of pages"), said);
  }
});

test("what is remembered of sitemaps and ResourceSync in another version is made anew", async () => {
  for (const version of fewer([0, 2, undefined, "1"], 2)) {
    using site = await makeSite();
    const path = stateFile(site, /^standards/);
    rewrite(path, (document) => ({ ...document, version }));
    const said = await checkNext(site, ["standards-state", "change-lists-lost"], false);
    assert.ok(said.includes(path) && said.includes(`version ${version}`), said);
  }
});

test("what is remembered of sitemaps and ResourceSync and is not of that form is made anew", async () => {
  const { state } = await (async () => {
    using site = await makeSite();
    return JSON.parse(gunzipSync(readFileSync(stateFile(site, /^standards/))).toString());
  })();
  for (const part of fewer(
    [
      { shards: [null] },
      { shards: [{ ...state.shards[0], from: 7 }] },
      { listed: [7] },
      { retired: [{}] },
      { retired: [{ name: "../../../a.html", publications: 9, since: 0 }] },
      { resourceSync: null },
      { resourceSync: { ...state.resourceSync, changeLists: [null] } },
      { resourceSync: { ...state.resourceSync, changeLists: [{ name: "../robots.txt" }] } },
      { resourceSync: { ...state.resourceSync, changeDumps: [{}] } },
      { resourceSync: { ...state.resourceSync, resourceDump: { at: 1, completed: 1 } } },
    ],
    4,
  )) {
    using site = await makeSite();
    rewrite(stateFile(site, /^standards/), ({ version, state: was }) => ({
      version,
      state: { ...(was as object), ...part },
    }));
    await checkNext(site, ["standards-state", "change-lists-lost"], false);
    assert.ok(existsSync(join(site.docroot, "a.html")));
  }
});

test("a last run of another version is no last run, and the next one leaves its own", async () => {
  for (const version of [0, 2]) {
    using site = await makeSite();
    const path = stateFile(site, /^last-run/);
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), version }));
    await checkNext(site, [], false);
    assert.equal(JSON.parse(readFileSync(path, "utf8")).version, 1);
  }
});
