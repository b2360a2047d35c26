import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { TidemarkError } from "../../../src/core/error.ts";
import {
  type FollowStatus,
  parseFollowStatus,
  readFollowStatus,
  removeFollowStatus,
  writeFollowStatus,
} from "../../../src/crawler/follow/follow-status.ts";
import { readFollowedList, writeFollowedList } from "../../../src/crawler/follow/list-sites.ts";
import { maxStatusRows, plainText } from "../../../src/crawler/follow/status-file.ts";
import { openStore } from "../../../src/storage/state/store.ts";
import { exampleStatus } from "../../example-status.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const withFields = (fields: object): string => JSON.stringify({ ...exampleStatus(), ...fields });

describe("parseFollowStatus", () => {
  it("gives back what was written", () => {
    const [row] = exampleStatus().troubled;
    assert.ok(row !== undefined);
    const status = exampleStatus({ troubled: [row, { ...row, isPaused: true }] });
    assert.deepEqual(parseFollowStatus(JSON.stringify(status)), status);
  });

  const [visiting] = exampleStatus().visiting;
  const hostile: ReadonlyArray<readonly [string, string]> = [
    ["nothing", ""],
    ["half of it", JSON.stringify(exampleStatus()).slice(0, 300)],
    ["no object", "[]"],
    ["null", "null"],
    ["another version", withFields({ version: 2 })],
    ["a number as text", withFields({ sites: "7" })],
    ["a negative number", withFields({ requests: -1 })],
    ["a number that is none", withFields({ bytes: null })],
    ["a number beyond any time", withFields({ startedMs: 1e300 })],
    ["no list", withFields({ next: {} })],
    ["a list that is too long", withFields({ next: Array(maxStatusRows + 1).fill(exampleStatus().next[0]) })],
    ["a row that is none", withFields({ visiting: [7] })],
    ["a site with an escape", withFields({ visiting: [{ ...visiting, site: "https://a.example\u001b[2J" }] })],
    ["a site that is a script", withFields({ visiting: [{ ...visiting, site: "javascript:alert(1)" }] })],
    ["a wait of no kind", withFields({ visiting: [{ ...visiting, why: "because" }] })],
    ["a pause that is none", withFields({ troubled: [{ ...exampleStatus().troubled[0], isPaused: "yes" }] })],
    ["a text that is too long", withFields({ host: "x".repeat(201) })],
  ];
  for (const [name, text] of hostile) it(`refuses ${name}`, () => assert.equal(parseFollowStatus(text), undefined));

  it("takes a site whose host is mistyped, and so does the list of followed sites", () => {
    const { origin: site } = new URL("https://example.org,/");
    const status = exampleStatus({ next: exampleStatus().next.map((row) => ({ ...row, site })) });
    assert.deepEqual(parseFollowStatus(JSON.stringify(status)), status);
    using folder = makeTempFolder();
    writeFollowedList(folder.path, [{ site, priority: 7 }]);
    assert.deepEqual([...(readFollowedList(folder.path)?.values() ?? [])], [{ site, priority: 7 }]);
  });

  it("takes out what a terminal would obey", () => {
    const [row] = exampleStatus().troubled;
    const read = parseFollowStatus(withFields({ troubled: [{ ...row, message: "a\u001b]0;x\u0007b\nc\u202ed" }] }));
    assert.equal((read as FollowStatus).troubled[0]?.message, "a ]0;x b c d");
    assert.equal(plainText("\u009b2J"), "2J");
  });
});

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
