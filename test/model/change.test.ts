import assert from "node:assert/strict";
import { test } from "node:test";
import { type Change, type ChangeKind, composeChanges, pathOf } from "../../src/model/index.ts";

const make = (kind: ChangeKind, sizeBytes: number): Change =>
  kind === "deleted"
    ? { kind, path: "/a" }
    : { kind, page: { path: "/a", sizeBytes, lastModified: 1, mediaType: "text/html", digest: undefined } };

const table: ReadonlyArray<readonly [ChangeKind, ChangeKind, ChangeKind]> = [
  ["created", "created", "created"],
  ["created", "updated", "created"],
  ["created", "deleted", "deleted"],
  ["updated", "created", "created"],
  ["updated", "updated", "updated"],
  ["updated", "deleted", "deleted"],
  ["deleted", "created", "created"],
  ["deleted", "updated", "created"],
  ["deleted", "deleted", "deleted"],
];

for (const [earlier, later, both] of table) {
  test(`${earlier}, then ${later}, comes to ${both}, with the later page`, () => {
    assert.deepEqual(composeChanges(make(earlier, 1), make(later, 2)), make(both, 2));
  });
}

test("a change's path is its page's or its own", () => {
  assert.equal(pathOf(make("created", 1)), "/a");
  assert.equal(pathOf(make("deleted", 1)), "/a");
});
