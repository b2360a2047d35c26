import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Change, pathOf } from "../../../src/core/change.ts";
import { PageLookup } from "../../../src/exporter/publish/page-lookup.ts";
import type { PublishedPage } from "../../../src/exporter/publish/published-page.ts";
import {
  type ComparisonSink,
  type FileReader,
  SiteComparison,
  type SourceBatch,
} from "../../../src/exporter/publish/site-comparison.ts";
import { Yielder } from "../../../src/exporter/publish/yielder.ts";
import type { ScannedFile } from "../../../src/exporter/walk/scanned-file.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { toPage, writePages } from "./published-pages.ts";

const yielder = new Yielder(undefined, "Stopped.");
const options = { digestMode: "none", publication: 1_800_000_000, scanStartUs: 1_800_000_000_000_000 } as const;

const pathText = fc
  .array(fc.constantFrom("a", "a-", "a.", "b"), { minLength: 1, maxLength: 3 })
  .map((parts) => `/${parts.join("/")}`);

const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

/** A file that was published as a page of its size. */
function toFile(path: string, sizeBytes: number): ScannedFile {
  return { path, location: path, sizeBytes, mtimeUs: 5_000_000, ctimeUs: 5_000_000, mediaType: "text/html" };
}

const reader: FileReader = {
  digestAll: () => assert.fail("no digests are asked for"),
  [Symbol.asyncDispose]: async () => undefined,
};

class Collected implements ComparisonSink {
  readonly pages: PublishedPage[] = [];
  readonly changes: Change[] = [];
  readonly gonePaths: string[] = [];

  gone(path: string): boolean {
    this.gonePaths.push(path);
    return false;
  }

  page(page: PublishedPage): boolean {
    this.pages.push(page);
    return false;
  }

  change(change: Change): boolean {
    this.changes.push(change);
    return false;
  }

  async drain(): Promise<void> {}
}

test("a merge of scan and memory gives what a comparison of two maps gives, gaps left out", async () => {
  const sized = fc.uniqueArray(fc.tuple(pathText, fc.integer({ min: 1, max: 2 })), {
    selector: ([path]) => path,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(
      sized,
      sized,
      fc.uniqueArray(pathText, { maxLength: 3 }),
      fc.integer({ min: 1, max: 5 }),
      async (was, is, holes, batchSize) => {
        // A hole is a file, or a folder with all that is in it; what is in one is not listed.
        const outermost = holes.filter((path) => !holes.some((other) => path.startsWith(`${other}/`)));
        const toGaps = (path: string) => [{ path }, { path: `${path}/` }];
        const gaps = outermost.flatMap(toGaps);
        const isHidden = (path: string) =>
          gaps.some((gap) => gap.path === path || (gap.path.endsWith("/") && path.startsWith(gap.path)));
        const before = was.map(([path, size]) => toPage(path, size)).sort(byPath);
        const files = is
          .map(([path, size]) => toFile(path, size))
          .filter(({ path }) => !isHidden(path))
          .sort(byPath);
        // As a walk gives them: a gap's batch is the one in which its place in the order falls.
        const batches: SourceBatch[] = [];
        const waiting = [...outermost].sort();
        for (let at = 0; at < files.length; at += batchSize) {
          const part = files.slice(at, at + batchSize);
          const last = part.at(-1)?.path ?? "";
          batches.push({
            pages: part,
            gaps: waiting.splice(0, waiting.filter((path) => path < last).length).flatMap(toGaps),
          });
        }
        batches.push({ pages: [], gaps: waiting.flatMap(toGaps) });

        const expected = new Map<string, string>();
        for (const page of before) if (!isHidden(page.path)) expected.set(page.path, "deleted");
        for (const file of files) {
          const old = before.find(({ path }) => path === file.path);
          if (old === undefined) expected.set(file.path, "created");
          else if (old.sizeBytes === file.sizeBytes) expected.delete(file.path);
          else expected.set(file.path, "updated");
        }

        using folder = makeTempFolder();
        const list = await writePages(folder.path, before);
        const sink = new Collected();
        const comparison = new SiteComparison(reader, options, () => undefined, yielder);
        using earlier = new PageLookup([list]);
        const counts = await comparison.run(batches, earlier.below("/"), sink);
        assert.deepEqual(new Map(sink.changes.map((change) => [pathOf(change), change.kind as string])), expected);
        assert.deepEqual(sink.changes.map(pathOf), sink.changes.map(pathOf).sort());
        const kept = before.filter(({ path }) => isHidden(path)).map(({ path }) => path);
        assert.deepEqual(
          sink.pages.map(({ path }) => path),
          [...files.map(({ path }) => path), ...kept].sort(),
        );
        const deleted = [...expected].filter(([, kind]) => kind === "deleted").map(([path]) => path);
        assert.deepEqual(sink.gonePaths, deleted.sort());
        assert.equal(counts.pages, sink.pages.length);
        assert.equal(counts.created + counts.updated + counts.deleted, sink.changes.length);
      },
    ),
    { numRuns: 150 },
  );
});

test("what a gap hides stays, also if there are gaps within it", async () => {
  const sink = new Collected();
  const comparison = new SiteComparison(reader, options, () => undefined, yielder);
  const published = ["/foo/a", "/foo/bar", "/foo/bar/x", "/foo/zed", "/fop"].map((path) => toPage(path, 1));
  const batches = [
    { pages: [], gaps: [{ path: "/foo/bar/" }] },
    { pages: [], gaps: [{ path: "/foo/" }, { path: "/foo/bar" }] },
  ];
  await comparison.run(batches, published, sink);
  assert.deepEqual(sink.gonePaths, ["/fop"]);
});

test("without a memory everything is created, and a list that is none fails", async () => {
  const files = [toFile("/a", 1), toFile("/b", 1)];
  const sink = new Collected();
  const run = async (lists: string[]) => {
    using earlier = new PageLookup(lists);
    const batches = [{ pages: files, gaps: [] }];
    return await new SiteComparison(reader, options, () => undefined, yielder).run(batches, earlier.below("/"), sink);
  };
  assert.equal((await run([])).created, 2);
  using folder = makeTempFolder();
  writeFileSync(join(folder.path, "list"), "not a list");
  await assert.rejects(run([join(folder.path, "list")]), { code: "state-corrupt" });
});

test("a listed page is not read, whatever gets digests", async () => {
  const unsaid = { sizeBytes: undefined, lastModified: undefined, mediaType: undefined, digest: undefined };
  const pages = ["/a", "/b"].map((path) => ({ path, ...unsaid, defaultType: "text/html" }));
  const sink = new Collected();
  const digests = { ...options, digestMode: "all" } as const;
  const comparison = new SiteComparison(reader, digests, () => undefined, yielder);
  assert.equal((await comparison.run([{ pages, gaps: [] }], [], sink)).created, 2);
  assert.deepEqual(
    sink.pages.map(({ sizeBytes, mediaType }) => [sizeBytes, mediaType]),
    [
      [undefined, "text/html"],
      [undefined, "text/html"],
    ],
  );
});

test("a mass deletion is settled as it is found, not gathered", async () => {
  using folder = makeTempFolder();
  const count = 20_000;
  const published = Array.from({ length: count }, (_, at) => toPage(`/a/${String(at).padStart(6, "0")}`, 1));
  const list = await writePages(folder.path, published);
  const sink = new Collected();
  const batches = [{ pages: [toFile("/b", 1)], gaps: [] }];
  const comparison = new SiteComparison(reader, options, () => undefined, yielder);
  using earlier = new PageLookup([list]);
  const { deleted, created, pages } = await comparison.run(batches, earlier.below("/"), sink);
  assert.deepEqual([deleted, created, pages], [count, 1, 1]);
  assert.deepEqual(sink.changes.map(pathOf), sink.changes.map(pathOf).sort());
});

test("a long comparison is stopped in its midst, also where nothing is left to be scanned", async () => {
  const published = Array.from({ length: 20_000 }, (_, at) => toPage(`/a/${String(at).padStart(6, "0")}`, 1));
  for (const files of [[], [toFile("/b", 1)]]) {
    const controller = new AbortController();
    let gone = 0;
    class Stopping extends Collected {
      override gone(): boolean {
        gone += 1;
        if (gone === 1) setImmediate(() => controller.abort());
        return false;
      }
    }
    const batches = [{ pages: files, gaps: [] }];
    const stoppable = new Yielder(controller.signal, "Stopped in its midst.");
    const comparison = new SiteComparison(reader, options, () => undefined, stoppable);
    await assert.rejects(comparison.run(batches, published, new Stopping()), {
      code: "aborted",
      message: /in its midst/,
    });
    assert.ok(gone > 0 && gone < 10_000, `${gone} were settled`);
  }
});
