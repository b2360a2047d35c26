import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { TidemarkError } from "../../../src/core/error.ts";
import { findReaderIdentity, isPermitted } from "../../../src/exporter/walk/reader-identity.ts";

test("root exports for a stranger, anybody else for himself", () => {
  const identity = findReaderIdentity();
  const uid = process.getuid?.() ?? 0;
  assert.equal(identity.uid, uid === 0 ? -1 : uid);
  if (uid === 0) assert.equal(identity.gids.size, 0);
  else assert.ok(identity.gids.has(process.getgid?.() ?? -1));
});

const skipUnlessRoot = process.getuid?.() === 0 ? false : "only root can become a user who is in no table";

test("an exporter whose user is in no table is known by number", { skip: skipUnlessRoot }, () => {
  const module = new URL("../../../src/exporter/walk/reader-identity.js", import.meta.url).href;
  const script = `import { findReaderIdentity } from ${JSON.stringify(module)};
    const { uid, gids } = findReaderIdentity();
    console.log(uid, ...gids);`;
  const args = ["--input-type=module", "--eval", script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { uid: 61_999, gid: 61_998, encoding: "utf8" });
  assert.equal(stdout, "61999 61998\n", stderr);
});

test("a user is found by name, with the groups that list him", () => {
  const root = findReaderIdentity("root");
  assert.equal(root.uid, 0);
  assert.ok(root.gids.has(0));
});

test("a user who is not there is refused with a hint", () => {
  for (const name of ["no-such-user-here", "", "root:x", "0"])
    assert.throws(
      () => findReaderIdentity(name),
      (error) => error instanceof TidemarkError && error.code === "bad-option" && error.hint !== undefined,
    );
});

test("the first of owner, group and others that fits decides", () => {
  const reader = { uid: 10, gids: new Set([20]) };
  const rows: readonly (readonly [number, number, number, boolean])[] = [
    [0o400, 10, 99, true],
    [0o044, 10, 20, false],
    [0o040, 99, 20, true],
    [0o404, 99, 20, false],
    [0o004, 99, 99, true],
    [0o440, 99, 99, false],
  ];
  for (const [mode, uid, gid, expected] of rows) {
    assert.equal(isPermitted({ mode, uid, gid }, reader, 4), expected, mode.toString(8));
    assert.equal(isPermitted({ mode: mode >> 2, uid, gid }, reader, 1), expected, mode.toString(8));
  }
  assert.ok(isPermitted({ mode: 0, uid: 99, gid: 99 }, { uid: 0, gids: new Set() }, 4));
});
