import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isCanonicalPath } from "../../../src/formats/url/url-path.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { everyType, walkAll } from "./walked.ts";

/** Creates a file whose path from the root is given as bytes, one character a byte. */
function make(docroot: string, relative: string): void {
  const parts = relative.split("/");
  let folder = Buffer.from(docroot);
  for (const part of parts.slice(0, -1)) {
    folder = Buffer.concat([folder, Buffer.from("/"), Buffer.from(part, "latin1")]);
    mkdirSync(folder, { recursive: true });
  }
  writeFileSync(Buffer.concat([folder, Buffer.from("/"), Buffer.from(parts.at(-1) ?? "", "latin1")]), "x");
}

const inOrder = (paths: readonly string[]) => [...paths].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));

test("files come in path order where names sort on either side of the slash", async () => {
  using folder = makeTempFolder();
  const names = ["a/z", "a/b/c", "a!x", "a-b", "a,", "a.html", "a0", "a%", "a b", "a=", "ab", "aé", "A/x", "a\x01"];
  for (const name of names) make(folder.path, name);
  const { paths } = await walkAll(folder.path, { include: everyType });
  assert.equal(paths.length, names.length);
  assert.deepEqual(paths, inOrder(paths));
  assert.ok(paths.indexOf("/a-b") < paths.indexOf("/a/b/c"), "- is below /");
  assert.ok(paths.indexOf("/a.html") < paths.indexOf("/a/z"), ". is below /");
  assert.ok(paths.indexOf("/a0") > paths.indexOf("/a/z"), "0 is above /");
});

test("a name that is not UTF-8 is encoded byte by byte and found again", async () => {
  using folder = makeTempFolder();
  for (const name of ["\xff\xfe.html", "d\x80/caf\xe9.txt", "d\x80/caf\xc3\xa9.txt"]) make(folder.path, name);
  const { paths } = await walkAll(folder.path);
  assert.deepEqual(paths, ["/%FF%FE.html", "/d%80/caf%C3%A9.txt", "/d%80/caf%E9.txt"]);
});

test("a document root whose own name is not ASCII is walked", async () => {
  using folder = makeTempFolder();
  const docroot = join(folder.path, "café ö");
  mkdirSync(docroot);
  make(docroot, "d/page.html");
  assert.deepEqual((await walkAll(docroot)).paths, ["/d/page.html"]);
});

// Bytes that file systems allow, those around "/" and those with a meaning in URLs above all.
const nameByte = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(..."a.-0%,!? #&'+;\\[]^`{|}~\"<>") },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 255 }).map((byte) => String.fromCharCode(byte)) },
);
const nameText = fc
  .array(nameByte, { minLength: 1, maxLength: 4 })
  .map((bytes) => bytes.join("").replaceAll("/", "_"))
  .filter((name) => name !== "." && name !== "..");

test("whatever names a site has, paths are canonical, in order and without repetition", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.array(nameText, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      async (files, batchSize) => {
        using folder = makeTempFolder();
        let made = 0;
        for (const parts of files) {
          try {
            make(folder.path, parts.join("/"));
            made += 1;
          } catch (error) {
            // A file stands where a folder is wanted, or the other way round.
            assert.match((error as NodeJS.ErrnoException).code ?? "", /EEXIST|ENOTDIR|EISDIR/);
          }
        }
        const { paths, withheld } = await walkAll(folder.path, { batchSize, include: everyType });
        assert.ok(made > 0);
        assert.ok(paths.length + Object.keys(withheld).length > 0);
        for (const path of paths) assert.ok(isCanonicalPath(path), path);
        for (const [at, path] of paths.entries()) assert.ok(at === 0 || (paths[at - 1] ?? "") < path, path);
      },
    ),
    { numRuns: 150 },
  );
});

test("many folders are listed in other threads and come in the same order", async () => {
  using folder = makeTempFolder();
  const expected: string[] = [];
  for (let outer = 0; outer < 100; outer++) {
    for (let inner = 0; inner < 3; inner++) {
      make(folder.path, `d${outer}/e${inner}/page.html`);
      expected.push(`/d${outer}/e${inner}/page.html`);
    }
    make(folder.path, `d${outer}.html`);
    expected.push(`/d${outer}.html`);
  }
  assert.deepEqual((await walkAll(folder.path)).paths, inOrder(expected));
});
