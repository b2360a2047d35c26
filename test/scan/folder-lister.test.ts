import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FolderLister } from "../../src/scan/folder-lister.ts";
import { listFolder } from "../../src/scan/folder-listing.ts";
import { makeTempFolder } from "../temp-folder.ts";

const folders = Array.from({ length: 80 }, (_, at) => `f${String(at).padStart(2, "0")}`);
const subfolders = ["a", "b", "c"];

for (const [what, wanted] of [
  ["all of them", subfolders],
  ["some of them", ["b"]],
  ["none of them", []],
] as const) {
  test(`subfolders are listed ahead, whether the walk comes to ${what}`, async () => {
    using temp = makeTempFolder();
    for (const folder of folders) {
      for (const below of subfolders) {
        mkdirSync(join(temp.path, folder, below), { recursive: true });
        for (let at = 0; at < 40; at++) writeFileSync(join(temp.path, folder, below, `${at}.html`), below);
      }
    }
    await using lister = new FolderLister(temp.path);
    const segments = (path: string): readonly string[] => listFolder(join(temp.path, path), temp.path).segments;
    lister.expect(
      "/",
      folders.map((folder) => ({ key: `/${folder}/`, location: join(temp.path, folder) })),
    );
    for (const folder of folders) {
      const listing = await lister.list(`/${folder}/`, join(temp.path, folder));
      assert.deepEqual(listing.segments, subfolders);
      lister.expect(
        `/${folder}/`,
        wanted.map((below) => ({ key: `/${folder}/${below}/`, location: join(temp.path, folder, below) })),
      );
      for (const below of wanted) {
        const { segments: found } = await lister.list(`/${folder}/${below}/`, join(temp.path, folder, below));
        assert.deepEqual(found, segments(`${folder}/${below}`));
      }
    }
    assert.equal(lister.waiting, 0);
  });
}
