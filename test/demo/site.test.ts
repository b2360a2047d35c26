import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createRandom } from "../../src/core/random.ts";
import { compareFolders } from "../../src/demo/demo.ts";
import { SiteFolder } from "../../src/demo/site-folder.ts";
import { planRound, planSite } from "../../src/demo/site-plan.ts";
import { readTemplates, renderPage } from "../../src/demo/site-text.ts";

describe("the made-up site", () => {
  it("is the same each time", async () => {
    const templates = await readTemplates();
    const make = (): [string, string][] =>
      planSite(300, createRandom(5)).map((page) => [page.path, renderPage(page, 1, templates).toString("base64")]);
    assert.deepEqual(make(), make());
  });

  it("has as many different paths as pages", () => {
    const site = planSite(3000, createRandom(5));
    const { appeared } = planRound(site, createRandom(6));
    assert.equal(new Set([...site, ...appeared].map((page) => page.path)).size, 3010);
  });

  it("changes 40 pages, restores 15 of them, and loses 10 others", () => {
    const site = planSite(200, createRandom(5));
    const { changed, restored, appeared, vanished } = planRound(site, createRandom(6));
    assert.deepEqual([changed.length, restored.length, appeared.length, vanished.length], [40, 15, 10, 10]);
    assert.equal(new Set([...changed, ...vanished]).size, 50);
    assert.ok(restored.every((page) => changed.includes(page)));
  });

  it("has other bytes in another revision", async () => {
    const templates = await readTemplates();
    for (const page of planRound(planSite(300, createRandom(5)), createRandom(6)).changed) {
      assert.notDeepEqual(renderPage(page, 1, templates), renderPage(page, 2, templates), page.path);
    }
  });

  it("leaves no placeholder unfilled", async () => {
    const templates = await readTemplates();
    for (const page of planSite(300, createRandom(5))) {
      assert.doesNotMatch(renderPage(page, 1, templates).toString("latin1"), /\{\{|undefined/, page.path);
    }
  });
});

describe("the site's folder", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "tidemark-test-"));
  });
  after(() => rm(folder, { recursive: true }));

  it("gives a redeployment new times and the bytes it had, and a restored page a time of years ago", async () => {
    const site = new SiteFolder(join(folder, "site"), await readTemplates());
    const plan = planSite(120, createRandom(5));
    const round = planRound(plan, createRandom(6));
    const now = Date.parse("2026-11-20T00:00:00Z");
    site.create(plan, now);
    const page = join(site.folder, "index.html");
    const bytes = await readFile(page);
    assert.ok((await stat(page)).mtimeMs < now);
    site.redeploy([], now + 5000);
    site.apply(round, now + 5000);
    assert.deepEqual(await readFile(page), bytes);
    assert.equal((await stat(page)).mtimeMs, now + 5000);
    const restored = round.restored[0] ?? assert.fail();
    assert.ok((await stat(join(site.folder, restored.path))).mtimeMs < now - 2 * 365 * 86_400_000);
    assert.equal(site.urlPaths.length, 120);
  });

  it("is compared byte by byte", async () => {
    const [left, right] = [await mkdtemp(join(folder, "l-")), await mkdtemp(join(folder, "r-"))];
    for (const [side, name, text] of [
      [left, "same", "1"],
      [right, "same", "1"],
      [left, "other", "1"],
      [right, "other", "2"],
      [left, "lost", "1"],
      [right, "extra", "1"],
      [right, "passed", "1"],
    ] as const)
      await writeFile(join(side, name), text);
    const { equal, unequal } = compareFolders(left, right, (path) => path === "passed");
    assert.deepEqual([equal, unequal.toSorted()], [1, ["extra", "lost", "other"]]);
  });
});
