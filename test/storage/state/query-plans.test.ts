import assert from "node:assert/strict";
import { test } from "node:test";
import Database from "libsql";
import type { TargetSettlement, TrackedUrl } from "../../../src/core/work-item.ts";
import { openConnection, prepareStatement } from "../../../src/storage/sqlite/database.ts";
import { openStore, stateFileIn } from "../../../src/storage/state/store.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const paths = ["/kept", "/postponed", "/removed"];

/** Keeps, postpones and removes pages, and gives the statements that this took. */
function runBatches(into: string): string[] {
  const statements = new Set<string>();
  const { prepare } = Database.prototype;
  Database.prototype.prepare = function (this: unknown, sql: string) {
    statements.add(sql);
    return Reflect.apply(prepare, this, [sql]);
  } as typeof prepare;
  try {
    using store = openStore({ into });
    const { targets } = store.openSite("https://example.org");
    const list = targets.beginList();
    targets.note(
      paths.map((path) => ({ path, depth: 0, lastmod: "2026-01-01" })),
      list,
    );
    targets.countMoved(paths);
    const shared = { history: [], askedAt: 1, dueAt: 0, isLinkOnly: false, isFull: true, validators: {} } as const;
    const keep = (target: TrackedUrl): TargetSettlement => {
      const page = { path: target.path, sizeBytes: 1, digest: "d", lastModified: 1, mediaType: "text/html" };
      return { kind: "answered", target, page, ...shared };
    };
    targets.settle(
      targets.take("new", 0, 0, 10).map(keep),
      [{ path: "/found", depth: 1, lastmod: undefined, share: 0.1 }],
      1,
    );
    targets.take("ranked", 5, 0, 10);
    targets.settle(
      targets.take("known", 5, 0, 10).map((target): TargetSettlement => {
        if (target.path === "/kept") return keep(target);
        if (target.path === "/removed") return { kind: "removed", target, reason: "gone", askedAt: 6, dueAt: 9 };
        return { kind: "postponed", target, postponed: { trouble: "gone", attempts: 1, state: "due" }, dueAt: 9 };
      }),
      [],
      6,
    );
  } finally {
    Database.prototype.prepare = prepare;
  }
  return [...statements].filter((sql) => /json_each|rank DESC/.test(sql));
}

// Each row of a table that grows with the site is found by its key.
const byKey = /^SEARCH \w+ USING .*(?:\((?:rowid=\?|site=\? AND path=\?)\)|target_ranked \(site=\? AND rank>\?\))/;

test("what is done for each batch finds its rows by their keys, however many pages a site has", () => {
  using temp = makeTempFolder();
  const statements = runBatches(temp.path);
  assert.ok(statements.length >= 9, statements.join("\n"));
  const connection = openConnection(stateFileIn(temp.path));
  try {
    for (const sql of statements) {
      const values = Array<string>(new Set(sql.match(/\?\d/g)).size).fill("[]");
      const rows = prepareStatement(connection, `EXPLAIN QUERY PLAN ${sql}`).all(...values) as unknown[][];
      const steps = rows.map((row) => String(row.at(-1)));
      const slow = steps.filter(
        (step) => /^S(?:CAN|EARCH)/.test(step) && !/VIRTUAL TABLE/.test(step) && !byKey.test(step),
      );
      assert.ok(!steps.some((step) => /TEMP B-TREE/.test(step)), `${sql}\n${steps.join("\n")}`);
      assert.deepEqual(slow, [], `${sql}\n${steps.join("\n")}`);
    }
  } finally {
    connection.close();
  }
});
