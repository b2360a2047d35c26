import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { requireProgram, skipWithout } from "./programs.ts";
import { findRepositoryRoot } from "./repository.ts";

const folder = join(findRepositoryRoot(), "systemd");
const services = readdirSync(folder).filter((name) => name.endsWith(".service"));
/** In tenths, as `--threshold` takes it. */
const worst = 25;

const readUnit = (name: string): string => readFileSync(join(folder, name), "utf8");

/** The part of a service that says what it may do. */
function sandboxOf(name: string): string[] {
  const text = readUnit(name);
  const [, sandbox = ""] = /^(# Nothing of the machine[^[]*)/m.exec(text) ?? [];
  return sandbox.trimEnd().split("\n");
}

for (const name of services) {
  test(`systemd-analyze rates ${name} 2.5 or better`, { skip: skipWithout("systemd-analyze") }, () => {
    const args = ["security", "--offline=true", `--threshold=${worst}`, "--no-pager", join(folder, name)];
    const report = execFileSync(requireProgram("systemd-analyze"), args, { encoding: "utf8" });
    assert.match(report, /Overall exposure level for .*: [0-2]\.\d /);
  });
}

test("export and watch have one sandbox", () => {
  const [first = "", ...others] = services;
  assert.ok(sandboxOf(first).length > 20);
  for (const other of others) assert.deepEqual(sandboxOf(other), sandboxOf(first));
});
