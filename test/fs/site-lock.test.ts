import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { TidemarkError } from "../../src/core/error.ts";
import { SiteLock } from "../../src/fs/site-lock.ts";
import { makeTempFolder } from "../temp-folder.ts";

const since = new Date("2026-11-20T02:00:00Z");
const taker = fileURLToPath(new URL("./lock-taker.js", import.meta.url));

/** A process number that surely no process has: that of one that ended and was waited for. */
function deadProcess(): number {
  return spawnSync(process.execPath, ["--version"]).pid;
}

function writeLock(folder: string, holder: Record<string, unknown>): void {
  writeFileSync(join(folder, "lock"), `${JSON.stringify({ host: hostname(), since: "then", ...holder })}\n`);
}

function isHeldBy(pid: number): (error: unknown) => boolean {
  return (error) =>
    error instanceof TidemarkError &&
    error.code === "locked" &&
    error.message.includes(`process ${pid}`) &&
    error.details.pid === pid &&
    error.hint !== undefined;
}

test("a lock is held until it is given back, and says by whom", async () => {
  using folder = makeTempFolder();
  {
    await using _lock = await SiteLock.take(folder.path, since);
    assert.deepEqual(readdirSync(folder.path), ["lock"]);
    await assert.rejects(SiteLock.take(folder.path, since), isHeldBy(process.pid));
    await assert.rejects(SiteLock.take(folder.path, since), /since 2026-11-20T02:00:00\.000Z/);
  }
  assert.deepEqual(readdirSync(folder.path), []);
  await using _again = await SiteLock.take(folder.path, since);
});

test("of many in one process that want it at once, one has it", async () => {
  using folder = makeTempFolder();
  const takings = await Promise.allSettled(Array.from({ length: 20 }, () => SiteLock.take(folder.path, since)));
  const taken = takings.filter((taking) => taking.status === "fulfilled");
  assert.equal(taken.length, 1);
  for (const taking of takings) if (taking.status === "rejected") assert.equal(taking.reason.code, "locked");
  assert.deepEqual(readdirSync(folder.path), ["lock"]);
});

test("the lock of a process that is gone is taken over", async () => {
  using folder = makeTempFolder();
  writeLock(folder.path, { pid: deadProcess(), processStart: "boot 1" });
  await using _lock = await SiteLock.take(folder.path, since);
  assert.equal(JSON.parse(readFileSync(join(folder.path, "lock"), "utf8")).pid, process.pid);
  assert.deepEqual(readdirSync(folder.path), ["lock"]);
});

test("a lock whose process number another process has now is taken over", async () => {
  using folder = makeTempFolder();
  writeLock(folder.path, { pid: process.ppid, processStart: "another boot 1" });
  await using _lock = await SiteLock.take(folder.path, since);
});

test("the lock of a process that ended and that nobody waited for is taken over", async () => {
  using folder = makeTempFolder();
  // The child of a shell that was replaced by another program stays a zombie. It ends only after that: the shell may wait for it.
  const parent = spawn("sh", ["-c", "cat <&3 & echo $!; exec sleep 600"], {
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((done) => setImmediate(done));
  };
  try {
    const [line] = (await once(parent.stdout as Readable, "data")) as [Buffer];
    const pid = Number(line.toString());
    await until(() => readFileSync(`/proc/${parent.pid}/comm`, "latin1") === "sleep\n");
    (parent.stdio[3] as Writable).end();
    await until(() => /\) Z/.test(readFileSync(`/proc/${pid}/stat`, "latin1")));
    writeLock(folder.path, { pid, processStart: "" });
    await using _lock = await SiteLock.take(folder.path, since);
  } finally {
    parent.kill();
  }
});

test("the lock of another machine is left to people", async () => {
  using folder = makeTempFolder();
  writeLock(folder.path, { pid: 1, host: "another.example", processStart: "1" });
  await assert.rejects(SiteLock.take(folder.path, since), /process 1 on another\.example, since then/);
});

test("a lock that says nothing is taken over", async () => {
  for (const content of ["", "{", "[]", '{"pid":"1"}', "\0\0\0\0"]) {
    using folder = makeTempFolder();
    writeFileSync(join(folder.path, "lock"), content);
    await using _lock = await SiteLock.take(folder.path, since);
  }
});

test("a lock that was taken from its holder is not given back for its new one", async () => {
  using folder = makeTempFolder();
  {
    await using _lock = await SiteLock.take(folder.path, since);
    writeLock(folder.path, { pid: 1, host: "another.example" });
  }
  assert.deepEqual(readdirSync(folder.path), ["lock"]);
});

/** Starts a process that takes the lock when told, holds it until told, and says what it has. */
async function startTaker(
  folder: string,
): Promise<ChildProcess & { readonly tell: (word: string) => Promise<string> }> {
  const child = spawn(process.execPath, [taker, folder], { stdio: ["pipe", "pipe", "inherit"] });
  const tell = async (word: string): Promise<string> => {
    const answer = once(child.stdout, "data");
    child.stdin.write(`${word}\n`);
    return ((await answer) as [Buffer])[0].toString().trim();
  };
  assert.equal(await tell("ready?"), "ready");
  return Object.assign(child, { tell });
}

test("of several processes that find one stale lock at once, one has it", async () => {
  const folders = Array.from({ length: 6 }, () => makeTempFolder());
  const takers = await Promise.all(Array.from({ length: 4 }, () => startTaker("-")));
  try {
    const pid = deadProcess();
    for (const { path } of folders) {
      for (let round = 0; round < 5; round++) {
        writeLock(path, { pid, processStart: "boot 1", nonce: round });
        const answers = await Promise.all(takers.map(({ tell }) => tell(`take ${path}`)));
        const taken = answers.filter((answer) => answer === "taken");
        assert.equal(taken.length, 1, answers.join(", "));
        assert.ok(answers.every((answer) => answer === "taken" || answer === "locked"));
        await Promise.all(takers.map(({ tell }) => tell("give")));
        assert.deepEqual(readdirSync(path), []);
      }
    }
  } finally {
    for (const child of takers) child.kill();
    for (const folder of folders) folder[Symbol.dispose]();
  }
});

test("a process that is killed leaves a lock that the next one takes", async () => {
  using folder = makeTempFolder();
  const first = await startTaker(folder.path);
  assert.equal(await first.tell(`take ${folder.path}`), "taken");
  await assert.rejects(SiteLock.take(folder.path, since), isHeldBy(first.pid ?? -1));
  first.kill("SIGKILL");
  await once(first, "exit");
  await using _lock = await SiteLock.take(folder.path, since);
});
