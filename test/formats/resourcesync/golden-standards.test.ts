import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { ResourceSyncReader } from "../../../src/formats/resourcesync/resource-sync-reader.ts";
import { SitemapReader } from "../../../src/formats/sitemap/sitemap-reader.ts";
import { repositoryFolder } from "../../repository-folder.ts";
import { buildGoldenStandards, goldenDocuments } from "../golden-standards.ts";

const fixtures = join(repositoryFolder(), "fixtures");
const golden = buildGoldenStandards();
const folders = ["sitemap/v1", "resourcesync/v1"];

// fixtures/README.md names this switch.
if (process.env.TIDEMARK_WRITE_FIXTURES === "1") {
  for (const folder of folders) rmSync(join(fixtures, folder), { recursive: true, force: true });
  for (const [path, bytes] of golden) {
    mkdirSync(dirname(join(fixtures, path)), { recursive: true });
    writeFileSync(join(fixtures, path), bytes);
  }
}

test("the fixtures are the documents that the code writes, no more and no fewer", () => {
  const there = folders.flatMap((folder) => readdirSync(join(fixtures, folder)).map((name) => `${folder}/${name}`));
  assert.deepEqual(there.sort(), [...golden.keys()].sort());
});

for (const [path, bytes] of golden) {
  test(`${path} has the bytes that the code writes`, () => {
    assert.equal(Buffer.from(bytes).toString("utf8"), readFileSync(join(fixtures, path), "utf8"));
  });
}

for (const [name, document] of Object.entries(goldenDocuments)) {
  test(`resourcesync/v1/${name}.xml is read as what was written`, () => {
    const bytes = readFileSync(join(fixtures, `resourcesync/v1/${name}.xml`));
    const reader = new ResourceSyncReader();
    const entries = [...reader.write(bytes), ...reader.end()];
    assert.deepEqual({ header: reader.header, entries }, document);
    assert.deepEqual([reader.problem, reader.warnings], [undefined, []]);
  });
  test(`resourcesync/v1/${name}.xml is a sitemap to who does not know ResourceSync`, () => {
    const reader = new SitemapReader();
    const entries = [...reader.write(readFileSync(join(fixtures, `resourcesync/v1/${name}.xml`))), ...reader.end()];
    assert.deepEqual(
      entries.map((entry) => entry.location),
      document.entries.map((entry) => entry.location),
    );
    assert.deepEqual([reader.problem, reader.warnings], [undefined, []]);
  });
}
