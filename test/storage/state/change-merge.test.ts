import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { it } from "node:test";
import type { Change } from "../../../src/core/index.ts";
import { StoredMerge } from "../../../src/storage/state/change-merge.ts";
import { makeTempFolder } from "../../temp-folder.ts";

it("a merge that does not fit in the database's memory leaves no file to a process that is killed", () => {
  using folder = makeTempFolder();
  using merge = new StoredMerge(folder.path);
  assert.deepEqual(readdirSync(folder.path), []);
  const paths = Array.from({ length: 20_000 }, (_, at) => `/${at}-${"long".repeat(50)}`);
  const changes = paths.map((path): Change => ({ kind: "deleted", path }));
  for (let at = 0; at < changes.length; at += 1000) merge.add(changes.slice(at, at + 1000));
  assert.deepEqual(
    [...merge.changes()].map((change) => change.kind === "deleted" && change.path),
    paths.toSorted(),
  );
  assert.deepEqual(readdirSync(folder.path), []);
});
