import assert from "node:assert/strict";
import { test } from "node:test";
import { DirtyFolders } from "../../../src/exporter/watch/watch-round.ts";

test("folders and trees are sorted, and none lies in a tree", () => {
  for (const [folders, trees, expected] of [
    [
      ["/b/", "/a/b/", "/a/b/c/", "/ab/", "/"],
      ["/a/b/c/", "/a/", "/a/b/", "/abc/d/"],
      { folders: ["/", "/ab/", "/b/"], trees: ["/a/", "/abc/d/"] },
    ],
    [["/a/"], ["/", "/b/"], { folders: [], trees: ["/"] }],
  ] as const) {
    const dirty = new DirtyFolders(100);
    for (const path of folders) dirty.markFolder(path);
    for (const path of trees) dirty.markTree(path);
    assert.deepEqual(dirty.take(), expected);
    assert.ok(dirty.isEmpty);
  }
});

test("beyond the limit only that is remembered", () => {
  const dirty = new DirtyFolders(2);
  dirty.markFolder("/a/");
  dirty.markFolder("/a/");
  dirty.markTree("/b/");
  dirty.markTree("/b/c/");
  assert.ok(!dirty.isOverfull);
  dirty.markFolder("/d/");
  assert.ok(dirty.isOverfull && !dirty.isEmpty);
  dirty.markTree("/e/");
  assert.deepEqual(dirty.take(), { folders: [], trees: [] });
  assert.ok(!dirty.isOverfull && dirty.isEmpty);
});
