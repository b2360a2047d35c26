import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Pause, WatchedFiles } from "../../src/fs/watched-files.ts";
import { makeTempFolder } from "../temp-folder.ts";

const idleMs = 10_000;

/** Settling takes no time; a look that nothing asks for never comes. */
const byEvents: Pause = async (ms, signal) => {
  if (ms < idleMs) return await nextTurn();
  return await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
};

function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

describe("WatchedFiles", () => {
  it("tells by events alone that a file was written, replaced, removed and put back, whatever came before", {
    timeout: 60_000,
  }, async () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "list");
    const other = join(folder.path, "other");
    writeFileSync(file, "0");
    await using watched = new WatchedFiles(byEvents);
    watched.follow([file, other]);
    const steps: (() => void)[] = [
      () => writeFileSync(file, "written"),
      () => replace(file, "replaced"),
      () => replace(file, "replaced again"),
      () => rmSync(file),
      () => writeFileSync(file, "there again"),
      () => writeFileSync(file, "written after it was gone"),
      () => renameSync(file, `${file}~`),
      () => replace(file, "put in its place"),
      () => replace(file, "and replaced"),
    ];
    for (const step of steps) {
      step();
      assert.deepEqual(await watched.next(), [file], String(step));
    }
    // The other was missing from the beginning.
    for (const text of ["one", "another"]) {
      replace(other, text);
      assert.deepEqual(await watched.next(), [other]);
    }
  });

  it("finds what no event tells: a folder on the way that was swapped", { timeout: 60_000 }, async () => {
    using folder = makeTempFolder();
    for (const name of ["v1", "v2"]) {
      mkdirSync(join(folder.path, name));
      writeFileSync(join(folder.path, name, "list"), name);
    }
    const current = join(folder.path, "current");
    symlinkSync("v1", current);
    const file = join(current, "list");
    await using watched = new WatchedFiles(async () => await nextTurn());
    watched.follow([file]);
    symlinkSync("v2", `${current}.new`);
    renameSync(`${current}.new`, current);
    assert.deepEqual(await watched.next(), [file]);
  });

  it("tells that a file is another once it stays so, and that it is gone once it stays away", async () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "list");
    writeFileSync(file, "one");
    const ended = new AbortController();
    const nothing = (): void => undefined;
    const gone = Array.from({ length: 7 }, () => nothing);
    // What happens before each look, and how long a look has passed when the file was told.
    const steps: (() => void)[] = [
      () => writeFileSync(file, "half"),
      () => writeFileSync(file, "half and the rest"),
      nothing, // told: 3
      () => renameSync(file, `${file}.away`),
      nothing,
      () => replace(file, "yet another"),
      nothing, // told: 7
      () => rmSync(file),
      ...gone,
      nothing, // told: 16
      nothing,
      () => writeFileSync(file, "back"),
      nothing, // told: 19
      () => renameSync(file, `${file}~`),
      () => renameSync(`${file}~`, file),
      nothing, // told: 22
      nothing,
    ];
    let at = 0;
    const pause: Pause = async () => {
      const step = steps[at++];
      if (step === undefined) ended.abort();
      else step();
    };
    await using watched = new WatchedFiles(pause);
    watched.follow([file]);
    const told: number[] = [];
    while ((await watched.next(ended.signal)) !== undefined) told.push(at);
    assert.deepEqual(told, [3, 7, 16, 19, 22]);
  });

  it("tells a file that is written without a pause all the same", async () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "list");
    let writes = 0;
    await using watched = new WatchedFiles(async () => writeFileSync(file, "x".repeat(++writes)));
    watched.follow([file]);
    assert.deepEqual(await watched.next(), [file]);
    assert.equal(writes, 40);
  });

  it("looks at no file any more that is not wanted, and ends", { timeout: 60_000 }, async () => {
    using folder = makeTempFolder();
    const [a, b] = [join(folder.path, "a"), join(folder.path, "b")];
    await using watched = new WatchedFiles(byEvents);
    watched.follow([a, b]);
    watched.follow([b]);
    writeFileSync(a, "a");
    writeFileSync(b, "b");
    assert.deepEqual(await watched.next(), [b]);
    const ended = new AbortController();
    const last = watched.next(ended.signal);
    ended.abort();
    assert.equal(await last, undefined);
  });
});
