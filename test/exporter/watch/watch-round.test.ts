import assert from "node:assert/strict";
import { test } from "node:test";
import { DirtyFolders } from "../../../src/exporter/watch/watch-round.ts";

test("folders and trees are sorted, and none lies in a tree", () => {
  const dirty = new DirtyFolders(100);
  for (const path of ["/b/", "/a/b/", "/a/b/c/", "/ab/", "/"]) dirty.markFolder(path);
  for (const path of ["/a/b/c/", "/a/", "/a/b/", "/abc/d/"]) dirty.markTree(path);
  assert.deepEqual(dirty.take(), { folders: ["/", "/ab/", "/b/"], trees: ["/a/", "/abc/d/"] });
  assert.ok(dirty.isEmpty);
});

test("the root's tree covers all", () => {
  const dirty = new DirtyFolders(100);
  dirty.markFolder("/a/");
  dirty.markTree("/");
  dirty.markFolder("/");
  dirty.markTree("/b/");
  assert.deepEqual(dirty.take(), { folders: [], trees: ["/"] });
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
