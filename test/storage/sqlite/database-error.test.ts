import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import Database from "libsql";
import type { TidemarkError } from "../../../src/core/index.ts";
import { wrapOtherDatabaseError } from "../../../src/storage/sqlite/database-error.ts";
import { makeTempFolder } from "../../temp-folder.ts";

function errorOf(act: () => unknown, file: string): TidemarkError {
  try {
    act();
  } catch (error) {
    return wrapOtherDatabaseError(error, "The list", file) as TidemarkError;
  }
  return assert.fail("nothing was thrown");
}

test("an error of a database says what is wrong with it", () => {
  using folder = makeTempFolder();
  const file = join(folder.path, "list.db");
  const database = new Database(file);
  database.exec("CREATE TABLE item (text TEXT); PRAGMA max_page_count = 2");
  const full = errorOf(() => database.exec("INSERT INTO item SELECT randomblob(100000)"), file);
  assert.deepEqual([full.code, full.message], ["disk-full", `The list ${file}: database or disk is full.`]);
  assert.match(full.hint ?? "", /Free some space/);
  database.exec("PRAGMA query_only = ON");
  assert.equal(errorOf(() => database.exec("DELETE FROM item"), file).code, "read-only");
  const other = new Database(file, { timeout: 0 });
  other.exec("BEGIN EXCLUSIVE");
  assert.equal(errorOf(() => database.prepare("SELECT * FROM item").all(), file).code, "locked");
  other.close();
  database.close();
  const away = join(folder.path, "missing", "list.db");
  const error = errorOf(() => new Database(away), away);
  assert.deepEqual([error.code, error.message], ["io", `The list ${away}: it cannot be opened.`]);
  const bug = new TypeError("bug");
  assert.equal(wrapOtherDatabaseError(bug, "The list", file), bug);
});
