import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import Database from "libsql";
import { openFleet } from "../../src/fleet/index.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type TestDatabase, testEarlierFleet, testLeases, testProcesses } from "./lease-cases.ts";
import { testLeaseModel } from "./lease-model.ts";

async function makeDatabase(): Promise<TestDatabase> {
  const folder = makeTempFolder("fleet");
  const file = join(folder.path, "fleet.db");
  return {
    open: async (options) => openFleet(file, options),
    elapse: async (ms) => {
      const database = new Database(file, { timeout: 10_000 });
      database.exec(
        `UPDATE site SET next_at = next_at - ${ms} WHERE next_at < ${Number.MAX_SAFE_INTEGER};
         UPDATE site SET lease_until = lease_until - ${ms};
         UPDATE address SET free_at = free_at - ${ms} WHERE free_at < ${Number.MAX_SAFE_INTEGER}`,
      );
      database.close();
    },
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
}

testLeases("a file", makeDatabase);

test("a file: any steps of several workers agree with a model", { timeout: 60_000 }, async () => {
  await testLeaseModel(makeDatabase, 15);
});

test("a file: processes that work on one file never visit an address at once", { timeout: 60_000 }, async () => {
  using folder = makeTempFolder("fleet");
  await testProcesses(join(folder.path, "fleet.db"), 20);
});

test("a file of the first version is brought to the newest, with the leases that are held in it", async () => {
  using folder = makeTempFolder("fleet");
  const file = join(folder.path, "fleet.db");
  const database = new Database(file);
  database.exec(readFileSync(join(repositoryFolder(), "fixtures/fleet/file-1.sql"), "utf8"));
  database.exec(
    `UPDATE site SET lease_until = unixepoch() * 1000 + 60000, next_at = unixepoch() * 1000 + 70000 WHERE owner = 'old'`,
  );
  database.close();
  await testEarlierFleet(file);
});

test("a file that a newer program has changed is refused; one to which it only added is not", async () => {
  using folder = makeTempFolder("fleet");
  const file = join(folder.path, "fleet.db");
  await using fleet = await openFleet(file, { worker: "a" });
  await fleet.addSites([{ origin: "https://a.test", note: "", priority: 1 }]);
  const database = new Database(file);
  database.exec("ALTER TABLE site ADD COLUMN more INTEGER NOT NULL DEFAULT 1; PRAGMA user_version = 99");
  await using beside = await openFleet(file, { worker: "b" });
  assert.equal((await beside.claim(1)).length, 1);
  database.exec("UPDATE fleet SET needs_version = 99");
  database.close();
  await assert.rejects(openFleet(file, { worker: "c" }), { code: "state-version" });
});

test("a file of another program is refused", async () => {
  using folder = makeTempFolder("fleet");
  const file = join(folder.path, "other.db");
  const database = new Database(file);
  database.exec("CREATE TABLE fleet (a)");
  database.close();
  await assert.rejects(openFleet(file), { code: "bad-option" });
  writeFileSync(join(folder.path, "text"), "no database at all, but a text that is long enough to be none".repeat(99));
  await assert.rejects(openFleet(join(folder.path, "text")), { code: "io" });
  await assert.rejects(openFleet(join(folder.path, "missing", "fleet.db")), { code: "io" });
});

test("a fleet's database is PostgreSQL or a file", async () => {
  for (const address of ["http://127.0.0.1:9/x", "libsql://127.0.0.1/x", "file:///x.db", "mysql://127.0.0.1/x"])
    await assert.rejects(openFleet(address), { code: "bad-option", message: /has no database at [a-z]+: addresses/ });
});

test("an address that cannot be read is told", async () => {
  for (const address of [
    "postgres://h:99999/x",
    "postgres://u:a%zz@h/x",
    "postgres://u:a b#c@h/x",
    "postgres://a%zz/x",
    "postgres://u:secret@@h:p/x",
  ])
    await assert.rejects(openFleet(address), { code: "bad-option", hint: /%2F/ }, address);
});

test("the name of a schema is one that needs no quotes", async () => {
  await assert.rejects(openFleet("postgres://127.0.0.1:9/x?schema=a%22b"), { code: "bad-option" });
});
