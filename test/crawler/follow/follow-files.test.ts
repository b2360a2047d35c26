import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { TidemarkError } from "../../../src/core/error.ts";
import { readFollowStatus, removeFollowStatus, writeFollowStatus } from "../../../src/crawler/follow/follow-status.ts";
import { openStore } from "../../../src/storage/state/store.ts";
import { exampleStatus } from "../../example-status.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const now = 1_800_000_000_000;

const failsWith = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof TidemarkError && error.code === code && message.test(error.message);

/** The number of a process that has ended. */
function deadProcess(): number {
  return spawnSync(process.execPath, ["--version"]).pid;
}

describe("readFollowStatus", () => {
  it("gives what was written, whole, and nothing once it was removed", () => {
    using folder = makeTempFolder();
    writeFollowStatus(folder.path, exampleStatus());
    assert.deepEqual(readdirSync(join(folder.path, ".tidemark")), ["follow.json"]);
    const look = readFollowStatus(folder.path, () => now + 1500);
    assert.deepEqual(look, { status: exampleStatus(), ageMs: 1500, isBusy: false });
    removeFollowStatus(folder.path);
    assert.throws(() => readFollowStatus(folder.path, () => now), failsWith("not-found", /Nobody follows/));
  });

  it("tells one that is busy from one that died by the lock", () => {
    using folder = makeTempFolder();
    {
      using _store = openStore({ into: folder.path });
      writeFollowStatus(folder.path, exampleStatus());
      assert.equal(readFollowStatus(folder.path, () => now + 60_000).isBusy, true);
      // A process of another namespace has no number here.
      writeFollowStatus(folder.path, exampleStatus({ pid: deadProcess() }));
      assert.equal(readFollowStatus(folder.path, () => now).isBusy, false);
    }
    // Its number is another process's now.
    writeFollowStatus(folder.path, exampleStatus());
    const died = failsWith("not-found", /Process \d+ on .+ until 2027-01-15T08:00:00.000Z and ended without saying so/);
    assert.throws(() => readFollowStatus(folder.path, () => now + 60_000), died);
    writeFollowStatus(folder.path, exampleStatus({ pid: deadProcess() }));
    assert.throws(() => readFollowStatus(folder.path, () => now), died);
  });

  it("believes another machine as long as it tells", () => {
    using folder = makeTempFolder();
    writeFollowStatus(folder.path, exampleStatus({ host: "elsewhere", pid: 1 }));
    assert.equal(readFollowStatus(folder.path, () => now).isBusy, false);
    assert.throws(() => readFollowStatus(folder.path, () => now + 60_000), failsWith("not-found", /elsewhere/));
  });

  for (const [name, make] of [
    ["torn", (file: string) => writeFileSync(file, JSON.stringify(exampleStatus()).slice(0, 100))],
    ["far too long", (file: string) => writeFileSync(file, " ".repeat(1024 * 1024 + 1))],
    ["a link", (file: string) => symlinkSync("/dev/zero", file)],
    ["a folder", (file: string) => mkdirSync(file)],
    ["a pipe", (file: string) => void spawnSync("mkfifo", [file])],
  ] as const)
    it(`refuses a file that is ${name}`, () => {
      using folder = makeTempFolder();
      mkdirSync(join(folder.path, ".tidemark"));
      make(join(folder.path, ".tidemark", "follow.json"));
      assert.throws(() => readFollowStatus(folder.path, () => now), failsWith("state-corrupt", /follow\.json/));
    });
});
