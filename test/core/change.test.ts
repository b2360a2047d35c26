import assert from "node:assert/strict";
import { test } from "node:test";
import { type Change, composeChanges, pathOf } from "../../src/core/change.ts";

type Kind = Change["kind"] | "came and went";

const make = (kind: Kind, sizeBytes: number): Change => {
  if (kind === "deleted") return { kind, path: "/a" };
  if (kind === "came and went") return { kind: "deleted", path: "/a", cameAndWent: true };
  return { kind, page: { path: "/a", sizeBytes, lastModified: 1, mediaType: "text/html", digest: undefined } };
};

// Whether the page was there before the earlier change and is there after the later one says it all. The pairs that no
// history has are read where intervals overlap.
const table: ReadonlyArray<readonly [Kind, Kind, Kind]> = [
  ["created", "created", "created"],
  ["created", "updated", "created"],
  ["created", "deleted", "came and went"],
  ["created", "came and went", "came and went"],
  ["updated", "created", "updated"],
  ["updated", "updated", "updated"],
  ["updated", "deleted", "deleted"],
  ["updated", "came and went", "deleted"],
  ["deleted", "created", "updated"],
  ["deleted", "updated", "updated"],
  ["deleted", "deleted", "deleted"],
  ["deleted", "came and went", "deleted"],
  ["came and went", "created", "created"],
  ["came and went", "updated", "created"],
  ["came and went", "deleted", "came and went"],
  ["came and went", "came and went", "came and went"],
];

for (const [earlier, later, both] of table) {
  test(`${earlier}, then ${later}, comes to ${both}, with the later page`, () => {
    assert.deepEqual(composeChanges(make(earlier, 1), make(later, 2)), make(both, 2));
  });
}

test("the order in which neighbours are merged does not matter", () => {
  const kinds: readonly Kind[] = ["created", "updated", "deleted", "came and went"];
  for (const one of kinds)
    for (const two of kinds)
      for (const three of kinds) {
        const [a, b, c] = [make(one, 1), make(two, 2), make(three, 3)];
        assert.deepEqual(composeChanges(composeChanges(a, b), c), composeChanges(a, composeChanges(b, c)));
      }
});

test("a change's path is its page's or its own", () => {
  assert.equal(pathOf(make("created", 1)), "/a");
  assert.equal(pathOf(make("deleted", 1)), "/a");
});
