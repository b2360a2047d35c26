import assert from "node:assert/strict";
import { test } from "node:test";
import { openConnection, prepareStatement } from "../../../src/storage/sqlite/database.ts";
import { type NumberedChange, readSeenChanges, readSeenEvents } from "../../../src/storage/state/seen-changes.ts";
import { openStore, stateFileIn } from "../../../src/storage/state/store.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { keptAs, type Outcome, settlementOf } from "./settled.ts";

const paths = ["/a", "/b", "/c"] as const;

/** All that the store has of the pages, after batches of outcomes that are settled together or one by one. */
function settle(batches: readonly (readonly Outcome[])[], isTogether: boolean): unknown {
  using temp = makeTempFolder();
  {
    using store = openStore({ into: temp.path });
    const { urls } = store.openSite("https://example.org");
    urls.note(
      paths.map((path, depth) => ({ path, depth, lastmod: undefined })),
      0,
    );
    for (const [at, batch] of batches.entries()) {
      const settlements = batch.map((outcome) => {
        const url = urls.find(outcome.path);
        assert.ok(url !== undefined);
        return settlementOf(url, outcome, at + 1);
      });
      if (isTogether) urls.settle(settlements, [], at + 1);
      else for (const settlement of settlements) urls.settle([settlement], [], at + 1);
    }
  }
  const connection = openConnection(stateFileIn(temp.path));
  try {
    const changes = "SELECT path, born = seq, is_deleted, at, reason FROM seen_change ORDER BY path";
    return ["SELECT * FROM url ORDER BY path", changes].map((sql) => prepareStatement(connection, sql).all());
  } finally {
    connection.close();
  }
}

test("pages that are settled one by one are as those that are settled together", () => {
  const outcome = fc.record<Outcome>({
    path: fc.constantFrom(...paths),
    kind: fc.constantFrom("kept", "kept", "unchanged", "link only", "postponed", "removed", "gone for now", "alias"),
    version: fc.integer({ min: 1, max: 3 }),
    more: fc.boolean(),
  });
  const batch = fc.uniqueArray(outcome, { minLength: 2, maxLength: 3, selector: ({ path }) => path });
  fc.assert(
    fc.property(fc.array(batch, { minLength: 1, maxLength: 4 }), (batches) => {
      assert.deepEqual(settle(batches, false), settle(batches, true));
    }),
    { numRuns: 60 },
  );
});

test("a page that is noted alone is born with its own number, also the first of all, and anew where it was gone", () => {
  using temp = makeTempFolder();
  using store = openStore({ into: temp.path });
  const { urls } = store.openSite("https://example.org");
  urls.note(
    paths.map((path) => ({ path, depth: 0, lastmod: undefined })),
    0,
  );
  for (const path of [...paths, "/a"]) {
    const url = urls.find(path);
    assert.ok(url !== undefined);
    const digest = url.held === undefined ? "first" : "second";
    urls.settle([keptAs(url, { path, sizeBytes: 1, digest, lastModified: 1, mediaType: "text/html" })], [], 1);
  }
  for (const kind of ["removed", "kept"] as const) {
    const url = urls.find("/b");
    assert.ok(url !== undefined);
    urls.settle([settlementOf(url, { path: "/b", kind, version: 1, more: true }, 1)], [], 1);
  }
  const connection = openConnection(stateFileIn(temp.path));
  try {
    const read = (rows: Iterable<NumberedChange>) =>
      [...rows].map(({ number, change }) => `${number} ${change.path} ${change.kind}`);
    assert.deepEqual(read(readSeenChanges(connection, 0)), ["3 /c created", "4 /a created", "6 /b created"]);
    assert.deepEqual(read(readSeenEvents(connection, 0)), ["3 /c created", "4 /a updated", "6 /b created"]);
  } finally {
    connection.close();
  }
});
