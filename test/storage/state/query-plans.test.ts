import assert from "node:assert/strict";
import { test } from "node:test";
import Database from "libsql";
import type { Settlement, TrackedUrl } from "../../../src/core/tracked-url.ts";
import { type Connection, openConnection, prepareStatement } from "../../../src/storage/sqlite/database.ts";
import { openStore, stateFileIn } from "../../../src/storage/state/store.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { keptAs, postponedAs } from "./settled.ts";

const paths = ["/kept", "/postponed", "/removed"];

/** Gives the statements that are prepared by an act. */
function statementsOf(act: () => void): string[] {
  const statements = new Set<string>();
  const { prepare } = Database.prototype;
  Database.prototype.prepare = function (this: unknown, sql: string) {
    statements.add(sql);
    return Reflect.apply(prepare, this, [sql]);
  } as typeof prepare;
  try {
    act();
  } finally {
    Database.prototype.prepare = prepare;
  }
  return [...statements];
}

/** Keeps, postpones and removes pages, and gives the statements that this took. */
function runBatches(into: string): string[] {
  const statements = statementsOf(() => {
    using store = openStore({ into });
    const { urls, memory } = store.openSite("https://example.org");
    const list = urls.beginList();
    urls.note(
      paths.map((path) => ({ path, depth: 0, lastmod: "2026-01-01" })),
      list,
    );
    urls.countMoved(paths);
    const pageOf = (path: string) => ({ path, sizeBytes: 1, digest: "d", lastModified: 1, mediaType: "text/html" });
    const keep = (url: TrackedUrl): Settlement => keptAs(url, pageOf(url.path));
    urls.settle(
      urls.take("new", 0, undefined, 10).map(keep),
      [{ path: "/found", depth: 1, lastmod: undefined, share: 0.1 }],
      1,
    );
    urls.take("ranked", 5, undefined, 10);
    urls.findAll(paths);
    urls.findQueries("/kept", 10);
    // One page at a time has statements of its own.
    for (const url of urls.take("new", 4, undefined, 10)) urls.settle([keep(url)], [], 4);
    for (const url of urls.take("known", 5, undefined, 1)) urls.settle([postponedAs(url, "unavailable", 1)], [], 4);
    urls.settle(
      urls.take("known", 5, undefined, 10).map((url): Settlement => {
        if (url.path === "/kept") return keep(url);
        if (url.path === "/removed") return { kind: "removed", url, reason: "gone", askedAt: 6, dueAt: 9 };
        return postponedAs(url, "gone", 1);
      }),
      [],
      6,
    );
    const intake = memory.beginIntake();
    intake.list(paths.map(pageOf), false);
    intake.list(paths.map(pageOf), true);
    intake.withdraw(["/removed"]);
    intake.commit(undefined);
    urls.settle(urls.take("announced", 7, undefined, 10).map(keep), [], 7);
  });
  return statements.filter((sql) => /json_each|\(SELECT 1\) j|rank DESC|'\?'/.test(sql));
}

// Each row of a table that grows with the site is found by its key.
const byKey =
  /^SEARCH \w+ USING .*(?:\((?:rowid=\?|origin=\?|site=\? AND path=\?|site=\? AND path>\? AND path<\?)\)|url_ranked \(site=\? AND rank>\?\))/;

/** The steps of a statement, as SQLite explains them. */
function planOf(connection: Connection, sql: string): string[] {
  const values = Array<string>(Math.max(...[...sql.matchAll(/\?(\d+)/g)].map(([, at]) => Number(at)))).fill("[]");
  const rows = prepareStatement(connection, `EXPLAIN QUERY PLAN ${sql}`).all(...values) as unknown[][];
  return rows.map((row) => String(row.at(-1)));
}

test("what is done for each batch finds its rows by their keys, however many pages a site has", () => {
  using temp = makeTempFolder();
  const statements = runBatches(temp.path);
  assert.ok(statements.length >= 13, statements.join("\n"));
  const connection = openConnection(stateFileIn(temp.path));
  try {
    for (const sql of statements) {
      const steps = planOf(connection, sql);
      const slow = steps.filter(
        (step) =>
          /^S(?:CAN|EARCH)/.test(step) &&
          !/VIRTUAL TABLE|CONSTANT ROW|^SCAN (?:j|sqlite_sequence)$/.test(step) &&
          !byKey.test(step),
      );
      assert.ok(!steps.some((step) => /TEMP B-TREE/.test(step)), `${sql}\n${steps.join("\n")}`);
      assert.deepEqual(slow, [], `${sql}\n${steps.join("\n")}`);
    }
  } finally {
    connection.close();
  }
});

test("all known URLs of a site are looked at in the order of their index", () => {
  using temp = makeTempFolder();
  const statements = statementsOf(() => {
    using store = openStore({ into: temp.path });
    store.openSite("https://example.org").urls.takeCandidates("known", 5, undefined, 10);
  });
  const connection = openConnection(stateFileIn(temp.path));
  try {
    const [sql = "", ...others] = statements.filter((text) => /json_array\(u\.id/.test(text));
    assert.deepEqual(others, []);
    const steps = planOf(connection, sql);
    assert.ok(
      steps.some((step) => /^SEARCH u USING INDEX url_known \(site=\? AND id>\?\)/.test(step)),
      steps.join("\n"),
    );
    assert.ok(!steps.some((step) => /TEMP B-TREE/.test(step)), steps.join("\n"));
  } finally {
    connection.close();
  }
});
