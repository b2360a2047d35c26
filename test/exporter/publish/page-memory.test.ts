import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { PageFile } from "../../../src/exporter/publish/ledger.ts";
import type { PageLookup } from "../../../src/exporter/publish/page-lookup.ts";
import { PageMemory } from "../../../src/exporter/publish/page-memory.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { toPage } from "./published-pages.ts";

function readAll(pages: PageLookup): [string, number | undefined][] {
  using lookup = pages;
  return [...lookup.below("/")].map(({ path, sizeBytes }) => [path, sizeBytes]);
}

/** What a run finds of some pages: a size, or that they are gone. */
type Found = ReadonlyMap<string, number | undefined>;

const byPath = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);

async function run(
  folder: string,
  files: readonly PageFile[],
  was: Map<string, number>,
  found: Found,
  seesAll: boolean,
) {
  await using memory = new PageMemory(folder, files, seesAll);
  const all = new Map<string, number | undefined>(seesAll ? [...was, ...found] : found);
  for (const [path, size] of [...all].sort(byPath)) {
    const isFull =
      size === undefined ? was.has(path) && memory.gone(path) : memory.page(toPage(path, size), was.get(path) !== size);
    if (isFull) await memory.drain();
  }
  const now = new Map(was);
  for (const [path, size] of found) {
    if (size === undefined) now.delete(path);
    else now.set(path, size);
  }
  await memory.end();
  assert.deepEqual(readAll(memory.openEarlier()), [...was].sort(byPath));
  assert.deepEqual(readAll(memory.openLatest()), [...now].sort(byPath));
  const name = `pages-${readdirSync(folder).length}-${Math.floor(Math.random() * 1e9)}.blocks`;
  const next = memory.filesAs(name);
  await memory.commit(name);
  return { files: next, now, isChanged: memory.isChanged };
}

test("whatever runs remember, wholly or in part, is what the last of them said", async () => {
  const paths = Array.from({ length: 12 }, (_, at) => `/p${String(at).padStart(2, "0")}`);
  const found = fc
    .uniqueArray(fc.tuple(fc.constantFrom(...paths), fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })), {
      selector: ([path]) => path,
    })
    .map((entries) => new Map(entries));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(found, fc.boolean()), { maxLength: 8 }), async (runs) => {
      using folder = makeTempFolder();
      let files: readonly PageFile[] = [];
      let now = new Map<string, number>();
      for (const [pages, seesAll] of runs) {
        const isFirst = files.length === 0;
        ({ files, now } = await run(folder.path, files, now, pages, seesAll || isFirst));
        for (const { name } of files) assert.ok(readdirSync(folder.path).includes(name));
      }
    }),
    { numRuns: 150 },
  );
});

test("small changes of a large list write little, and lists stay few", async () => {
  using folder = makeTempFolder();
  let files: readonly PageFile[] = [];
  let now = new Map<string, number>();
  const paths = Array.from({ length: 6000 }, (_, at) => `/page-${String(at).padStart(6, "0")}`);
  ({ files, now } = await run(folder.path, files, now, new Map(paths.map((path) => [path, 1])), true));
  const [whole] = files;
  let most = 0;
  for (let round = 0; round < 40; round++) {
    const found = new Map(paths.slice(round * 20, round * 20 + 10).map((path) => [path, round + 2]));
    ({ files, now } = await run(folder.path, files, now, found, round % 3 === 0));
    assert.equal(files[0], whole, "the long list is not written again");
    most = Math.max(most, files.length);
  }
  assert.ok(most <= 8, `${most} lists`);
  const large = new Map(paths.slice(0, 4000).map((path) => [path, 99]));
  ({ files, now } = await run(folder.path, files, now, large, false));
  ({ files, now } = await run(folder.path, files, now, new Map(), true));
  assert.deepEqual(
    files.map(({ records }) => records),
    [6000],
    "a run that sees all writes one list when the others have become long",
  );
});

test("a run that finds everything as it was writes nothing", async () => {
  using folder = makeTempFolder();
  const first = await run(folder.path, [], new Map(), new Map([["/a", 1]]), true);
  for (const seesAll of [true, false]) {
    const again = await run(folder.path, first.files, first.now, new Map(), seesAll);
    assert.deepEqual([again.isChanged, again.files], [false, first.files]);
  }
  assert.deepEqual(
    readdirSync(folder.path),
    first.files.map(({ name }) => join(name)),
  );
});
