import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { readBatch, writeBacklog } from "../../src/announce/backlog-file.ts";
import type { Change } from "../../src/model/index.ts";
import { fc } from "../property.ts";
import { makeTempFolder } from "../temp-folder.ts";

async function* deletions(paths: Iterable<string>): AsyncGenerator<Change> {
  for (const path of paths) yield { kind: "deleted", path };
}

const to = { epoch: "epoch-000001", publication: 1_700_000_000 };
const all = { own: new Set<string>(), isTellable: () => true, signal: undefined };

test("batches give every path once and in order, whatever their size", async () => {
  using folder = makeTempFolder();
  const path = fc.stringMatching(/^\/[a-z0-9]{1,30}(\/[a-z%.]{1,9}x)?$/);
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(path, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      async (paths, max) => {
        const { backlog } = await writeBacklog(folder.path, deletions(paths), all);
        assert.ok(backlog?.urls === paths.length);
        const found: string[] = [];
        for (let rest = { ...backlog, to }; rest.doneBytes < rest.sizeBytes; ) {
          const batch = await readBatch(folder.path, rest, max);
          assert.ok(batch.ok && batch.value.paths.length <= max);
          found.push(...batch.value.paths);
          const { doneBytes, doneUrls } = rest;
          rest = {
            ...rest,
            doneBytes: doneBytes + batch.value.sizeBytes,
            doneUrls: doneUrls + batch.value.paths.length,
          };
        }
        assert.deepEqual(found, paths);
      },
    ),
    { numRuns: 40 },
  );
});

test("a batch is bounded in bytes too: paths of 2000 characters come in several", async () => {
  using folder = makeTempFolder();
  const paths = Array.from({ length: 3000 }, (_, at) => `/${at}/${"x".repeat(1990)}`);
  const { backlog } = await writeBacklog(folder.path, deletions(paths), all);
  assert.ok(backlog !== undefined);
  const batch = await readBatch(folder.path, { ...backlog, to }, 10_000);
  assert.ok(batch.ok && batch.value.sizeBytes <= 2 * 1024 * 1024 && batch.value.paths.length > 1000);
});

test("what is stopped half-way leaves no file", async () => {
  using folder = makeTempFolder();
  const controller = new AbortController();
  function* endless(): Generator<string> {
    for (let at = 0; ; at++) {
      if (at === 50_000) controller.abort();
      if (at === 60_000) throw new Error("it was not stopped");
      yield `/${at}.html`;
    }
  }
  const written = writeBacklog(folder.path, deletions(endless()), { ...all, signal: controller.signal });
  await assert.rejects(written, { code: "aborted" });
  assert.deepEqual(readdirSync(folder.path), []);
});
