import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { PageEncoder } from "../../../src/exporter/publish/page-codec.ts";
import { blocksHeader, formatBlockHead } from "../../../src/exporter/publish/page-file.ts";
import { PageLookup } from "../../../src/exporter/publish/page-lookup.ts";
import { isGone } from "../../../src/exporter/publish/published-page.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { toPage, writePages } from "./published-pages.ts";

const byPath = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);

test("a look finds what a merge of all lists would say", async () => {
  const path = fc.stringMatching(/^(?:\/[ab0?.-]{0,2}){1,3}$/);
  const list = fc
    .uniqueArray(fc.tuple(path, fc.option(fc.nat(9), { nil: undefined })), {
      selector: ([name]) => name,
      maxLength: 25,
    })
    .map((records) => records.sort(byPath));
  await fc.assert(
    fc.asyncProperty(fc.array(list, { maxLength: 3 }), fc.array(path, { maxLength: 5 }), async (lists, looks) => {
      using folder = makeTempFolder();
      const files: string[] = [];
      const merged = new Map<string, number | undefined>();
      for (const [at, records] of lists.entries()) {
        const pages = records.map(([name, size]) => (size === undefined ? name : toPage(name, size)));
        files.push(await writePages(folder.path, pages, `${at}.blocks`));
        for (const [name, size] of records) merged.set(name, size);
      }
      const there = [...merged].filter(([, size]) => size !== undefined).sort(byPath);
      using lookup = new PageLookup(files);
      assert.deepEqual(
        [...lookup.records()].map((record) => [record.path, isGone(record) ? undefined : record.sizeBytes]),
        [...merged].sort(byPath),
      );
      for (const look of [...looks, ...merged.keys(), "/"]) {
        lookup.seek(look);
        const found: [string, number | undefined][] = [];
        for (; lookup.head !== undefined; lookup.step()) found.push([lookup.head.path, lookup.head.sizeBytes]);
        assert.deepEqual(
          found,
          there.filter(([name]) => name >= look),
        );
        const prefix = look.replace(/[^/]*$/, "");
        const below = there.map(([name]) => name).filter((name) => name.startsWith(prefix));
        assert.deepEqual(
          [...lookup.below(prefix)].map((page) => page.path),
          below,
        );
        const isDirect = (name: string) => !/^[^/?]*\//.test(name.slice(prefix.length));
        const { pages, folders } = lookup.listFolder(prefix);
        assert.deepEqual(
          pages.map((page) => page.path),
          below.filter(isDirect),
        );
        const subfolders = below
          .filter((name) => !isDirect(name))
          .map((name) => prefix + name.slice(prefix.length).replace(/\/.*$/, "/"));
        assert.deepEqual(folders, [...new Set(subfolders)]);
      }
    }),
    { numRuns: 200 },
  );
});

test("a look into a long list finds each page, the first and last of blocks too", async () => {
  using folder = makeTempFolder();
  const names = Array.from({ length: 30_000 }, (_, at) => `/f${String(at % 300).padStart(3, "0")}/p${at}.html`).sort();
  const file = await writePages(folder.path, names.map(toPage));
  using lookup = new PageLookup([file]);
  for (let at = names.length - 1; at >= 0; at -= 7) {
    lookup.seek(names[at] ?? "");
    assert.equal(lookup.head?.path, names[at]);
    lookup.seek(`${names[at]}!`);
    assert.equal(lookup.head?.path, names[at + 1]);
  }
  assert.equal(lookup.listFolder("/").folders.length, 300);
  assert.equal(lookup.listFolder("/f007/").pages.length, 100);
  lookup.seek("/z");
  assert.equal(lookup.head, undefined);
});

test("a list that cannot be read says so", () => {
  using folder = makeTempFolder();
  assert.throws(() => new PageLookup([join(folder.path, "none")]), { code: "state-corrupt" });
});

test("blocks out of order are found, by their heads and by what is in them", () => {
  using folder = makeTempFolder();
  const file = join(folder.path, "pages.blocks");
  const open = (...blocks: readonly (readonly string[])[]) => {
    const encoder = new PageEncoder(1000);
    const pieces: Buffer[] = [Buffer.from(blocksHeader, "latin1")];
    for (const names of blocks) {
      for (const name of names) encoder.add(toPage(name, 1));
      const packed = deflateSync(encoder.finish());
      pieces.push(formatBlockHead(packed.length, names.length, names[0] ?? ""), packed);
    }
    pieces.push(formatBlockHead(0, blocks.flat().length, ""));
    writeFileSync(file, Buffer.concat(pieces));
    return new PageLookup([file]);
  };
  const read = (...blocks: readonly (readonly string[])[]) => {
    using lookup = open(...blocks);
    return [...lookup.below("/")].map(({ path }) => path);
  };
  assert.deepEqual(read(["/a", "/b"], ["/c"]), ["/a", "/b", "/c"]);
  assert.throws(() => open(["/c"], ["/a", "/b"]), { code: "state-corrupt" });
  assert.throws(() => open(["/a"], ["/a"]), { code: "state-corrupt" });
  for (const last of ["/c", "/d"]) assert.throws(() => read(["/a", last], ["/c"]), { code: "state-corrupt" }, last);
  writeFileSync(file, Buffer.from(blocksHeader, "latin1"));
  assert.throws(() => new PageLookup([file]), { code: "state-corrupt" });
});
