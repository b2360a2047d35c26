import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { TidemarkError } from "../../../src/core/error.ts";
import { formatArchiveName } from "../../../src/formats/archive/archive-name.ts";
import { MemorySite } from "./memory-site.ts";
import { PublishedReader } from "./published-reader.ts";
import { seal } from "./sealed-folder.ts";
import { countsOf, TestSite } from "./test-site.ts";

const small = { segmentSize: 5, minGroup: 2 };

function makeSite(): { site: TestSite; names: string[] } {
  const site = new TestSite();
  const names = Array.from({ length: 24 }, (_, at) => `d${at % 5}/page-${at}.${at % 2 === 0 ? "html" : "txt"}`);
  for (const name of names) site.write(name, name);
  return { site, names };
}

function leftovers(site: TestSite): string[] {
  return readdirSync(site.folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.tmp|(?:^|\/)lock/.test(name),
  );
}

test("stopped at any event, an export leaves what was public and what was remembered", async () => {
  const { site, names } = makeSite();
  using _site = site;
  const stopAt = async (event: number) => {
    const controller = new AbortController();
    let seen = 0;
    const run = await site
      .export({
        ...small,
        signal: controller.signal,
        onEvent: () => {
          if (seen++ === event) controller.abort();
        },
      })
      .catch((error: unknown) => error);
    return { run, isStopped: seen > event };
  };
  for (const round of [0, 1, 2]) {
    for (const name of names.slice(round * 3, round * 3 + 9)) site.write(name, `round ${round} of ${name}`);
    // Before the first publication there is no folder.
    const before = round === 0 ? undefined : [site.snapshot(site.docroot), site.snapshot(site.stateDir)];
    let stopped = 0;
    for (let event = 0; ; event++) {
      const { run, isStopped } = await stopAt(event);
      assert.deepEqual(leftovers(site), []);
      if (!(run instanceof Error)) {
        // It was too late to stop, or there was nothing more to stop at.
        assert.ok(event > 3);
        site.check(names);
        if (!isStopped || stopped > 0) break;
        continue;
      }
      assert.ok(run instanceof TidemarkError && run.code === "aborted", String(run));
      stopped += 1;
      if (before !== undefined) assert.deepEqual([site.snapshot(site.docroot), site.snapshot(site.stateDir)], before);
      else assert.deepEqual(readdirSync(site.folder), ["site"], "neither state nor what is published");
    }
    assert.ok(stopped > 3, `stopped ${stopped} times`);
  }
  assert.equal(countsOf(await site.export(small)), "24 pages: 0 created, 0 updated, 0 deleted, 0 touched");
});

test("a base of a long list is stopped before the list is at its end", async () => {
  using site = new MemorySite();
  const count = 12_000;
  for (let at = 0; at < count; at++) site.pages.set(`/page-${String(at).padStart(6, "0")}`, 1);
  const standards = { sitemap: false, resourceSync: false, changeDumps: false, resourceDump: false };
  await site.export({ standards });
  rmSync(join(site.publishedFolder, formatArchiveName(new PublishedReader(site.docroot).index.base.name)));
  const controller = new AbortController();
  const phases = new Set<string>();
  site.nowMs += 86_400_000;
  const stopped = site.export({
    standards,
    signal: controller.signal,
    onEvent: (event) => {
      if (event.event !== "progress") return;
      phases.add(event.phase);
      if (event.done === count) setImmediate(() => controller.abort());
    },
  });
  await assert.rejects(stopped, { code: "aborted" });
  assert.deepEqual([...phases], ["scan"]);
  await site.export({ standards });
  assert.equal(site.hold().size, count);
});

test("a folder that cannot be written says which, and the next run does what was not done", async (t) => {
  const { site, names } = makeSite();
  using _site = site;
  await site.export(small);
  for (const [round, folder] of [site.publishedFolder, site.stateDir, site.docroot].entries()) {
    for (const name of names) site.write(name, `round ${round} of ${name}`);
    const published = site.snapshot();
    {
      using sealed = seal(folder);
      if (sealed === undefined) {
        t.skip("folders cannot be sealed here");
        return;
      }
      await assert.rejects(
        site.export(small),
        (error) =>
          error instanceof TidemarkError &&
          error.code === "no-permission" &&
          error.hint !== undefined &&
          error.message.includes(folder),
      );
      // Only robots.txt lies in the document root itself: the index says the new already.
      if (folder !== site.docroot) assert.deepEqual(site.snapshot(), published);
      else site.check(names);
    }
    assert.deepEqual(leftovers(site), []);
    await site.export(small);
    site.check(names);
  }
});
