import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { exportSite } from "../../../src/exporter/export-site.ts";
import { seal } from "./sealed-folder.ts";
import type { PublishedPlace } from "./standards-site.ts";
import { checkAgreement, StandardsReader } from "./standards-site.ts";
import { TestSite, warningsOf } from "./test-site.ts";

const hourMs = 3_600_000;
const names = ["a.html", "b.html", "c.html", "d.html", "e.html"];
const taken = ["published-by-another", "change-lists-lost"];
const all = { sitemap: true, resourceSync: true, changeDumps: true, segmentSize: 2, minGroup: 1 };

/** A site that two exporters publish, which remember in different folders. */
function makeSite(): TestSite {
  const site = new TestSite();
  for (const [at, name] of names.entries()) site.write(name, name, 1_600_000_000 + at);
  return site;
}

function otherState(site: TestSite): { readonly stateDir: string } {
  return { stateDir: join(site.folder, "other-state") };
}

function missingOf(site: PublishedPlace, listed: readonly string[]): string[] {
  return listed.filter((name) => !existsSync(join(site.publishedFolder, name)));
}

test("of two exports at once that remember in different folders one is told who is at it", async () => {
  using site = makeSite();
  await site.export(all);
  await site.export({ ...all, ...otherState(site) });
  // Old enough to go, were they nobody's.
  const old = (site.nowMs - 200 * hourMs) / 1000;
  for (const name of site.reader().listed) utimesSync(join(site.publishedFolder, name), old, old);
  site.write("a.html", "changed");
  let inner: Promise<unknown> | undefined;
  const outer = site.export({
    ...all,
    ...otherState(site),
    onEvent: (event) => {
      if (event.event !== "progress" || inner !== undefined) return;
      const { docroot, stateDir } = site;
      inner = exportSite({ ...all, docroot, stateDir, baseUrl: "https://example.org/", clock: () => site.nowMs });
      inner.catch(() => undefined);
    },
  });
  await outer;
  assert.ok(inner !== undefined);
  await assert.rejects(inner, { code: "locked", message: new RegExp(`process ${process.pid} on`) });
  assert.deepEqual(missingOf(site, site.reader().listed), []);
  site.check(names);
  checkAgreement(site);
  assert.deepEqual(
    readdirSync(site.publishedFolder).filter((name) => name.startsWith(".")),
    [],
  );
});

test("two exporters that take turns leave one whole set each time, and each says so", async () => {
  using site = makeSite();
  const first = await site.export(all);
  assert.deepEqual(warningsOf(first), []);
  const other = { ...all, ...otherState(site), exclude: ["e.html"] };
  const begun = await site.export(other);
  assert.deepEqual(warningsOf(begun), ["state-missing", "change-lists-lost"]);
  const visits = [site.reader().listed];
  for (let round = 0; round < 8; round++) {
    const isOther = round % 2 === 1;
    if (round % 4 < 2) site.write("a.html", `round ${round}`);
    const run = await site.export(isOther ? other : all);
    assert.deepEqual(warningsOf(run), taken);
    assert.equal(run.summary.epoch, (isOther ? begun : first).summary.epoch);
    site.check(isOther ? names.slice(0, -1) : names);
    checkAgreement(site);
    assert.deepEqual(missingOf(site, site.reader().listed), []);
    assert.deepEqual(missingOf(site, visits.at(-1) ?? []), [], "readers on their way find what they were told of");
    visits.push(site.reader().listed);
  }
  // One of the two is switched off.
  assert.deepEqual(warningsOf(await site.export(all)), taken);
  for (let round = 0; round < 4; round++) {
    site.write("b.html", `alone ${round}`);
    assert.deepEqual(warningsOf(await site.export(all)), []);
    checkAgreement(site);
  }
  const known = new Set([...site.reader().listed, "index.gz"]);
  const rest = readdirSync(site.publishedFolder).filter((name) => name.endsWith(".gz") && !known.has(name));
  assert.ok(rest.length < 10, `what the other listed goes: ${rest.length} are left`);
});

test("an export without sitemaps and ResourceSync takes away those of another, once readers had time", async () => {
  using site = makeSite();
  const plain = { segmentSize: 2, minGroup: 1 };
  await site.export(plain);
  await site.export({ ...all, ...otherState(site) });
  const reader = new StandardsReader(site);
  const published = reader.names();
  assert.ok(published.includes("sitemap.xml"));
  await site.export(plain);
  assert.equal(reader.sitemapUrl, undefined);
  assert.deepEqual(reader.names(), published);
  assert.ok(!existsSync(join(site.docroot, ".well-known/resourcesync")));
  for (let round = 0; round < 3; round++) {
    site.write("a.html", `round ${round}`);
    await site.export(plain);
  }
  assert.deepEqual(reader.names(), []);
});

test("an export that has nothing to write needs no lock in a folder that cannot be written", async (t) => {
  using site = makeSite();
  await site.export(all);
  {
    using sealed = seal(site.publishedFolder);
    if (sealed === undefined) {
      t.skip("folders cannot be sealed here");
      return;
    }
    assert.equal((await site.export(all)).summary.bytesWritten, 0);
    site.write("a.html", "changed");
    const before = site.snapshot();
    await assert.rejects(site.export(all), { code: "no-permission" });
    assert.deepEqual(site.snapshot(), before);
    checkAgreement(site);
  }
  await site.export(all);
  site.check(names);
  checkAgreement(site);
});

test("the lock of a published folder is left by a killed run to the next, and not shown to others", async () => {
  using site = makeSite();
  await site.export(all);
  const path = join(site.publishedFolder, ".tidemark.lock");
  const { pid } = spawnSync(process.execPath, ["--version"]);
  writeFileSync(path, JSON.stringify({ pid, host: hostname(), processStart: "boot 1", since: "then" }));
  let mode: number | undefined;
  const onEvent = () => {
    mode ??= statSync(path).mode & 0o777;
  };
  site.write("a.html", "changed");
  await site.export({ ...all, onEvent });
  assert.equal(mode, 0o640);
  assert.ok(!existsSync(path));
  writeFileSync(path, JSON.stringify({ pid: 1, host: "another.example", since: "then" }));
  await assert.rejects(site.export(all), { code: "locked", message: /process 1 on another\.example/ });
});
