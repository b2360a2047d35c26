import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { FolderObjects } from "../../../src/storage/objects/folder-objects.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { describeObjectStore } from "./object-store-suite.ts";

const temp = makeTempFolder("objects");
let count = 0;
const newFolder = (): string => join(temp.path, `store-${count++}`);

describeObjectStore("a folder", () => new FolderObjects(newFolder()));

describe("objects in a folder", () => {
  after(() => temp[Symbol.dispose]());

  it("are made nowhere before the first, and leave no temporary files", async () => {
    const folder = newFolder();
    const store = new FolderObjects(folder);
    for await (const object of store.list("")) assert.fail(object.name);
    assert.equal(await store.has("a"), false);
    assert.equal(existsSync(folder), false);
    await store.put("a/b", Buffer.from("x"));
    await assert.rejects(store.put("a/c", { file: join(temp.path, "none"), sizeBytes: 1 }));
    assert.deepEqual(readdirSync(join(folder, ".tmp")), []);
  });

  it("are stored again in a folder that was removed meanwhile", async () => {
    const folder = newFolder();
    const store = new FolderObjects(folder);
    await store.put("a/b", Buffer.from("x"));
    const other = new FolderObjects(folder);
    await other.remove(["a/b"]);
    assert.equal(await store.put("a/b", Buffer.from("y")), true);
  });

  it("have no leftovers of killed workers beside them for longer than two days", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, ".tmp"), { recursive: true });
    const days = (number: number): number => Date.now() / 1000 - number * 86_400;
    for (const [name, age] of [["old", 3] as const, ["new", 1] as const]) {
      writeFileSync(join(folder, ".tmp", name), "half");
      utimesSync(join(folder, ".tmp", name), days(age), days(age));
    }
    const store = new FolderObjects(folder);
    await store.put("a", Buffer.from("x"));
    assert.deepEqual(readdirSync(join(folder, ".tmp")), ["new"]);
    const names = [];
    for await (const { name } of store.list("")) names.push(name);
    assert.deepEqual(names, ["a"]);
  });

  it("are not read by way of links", async () => {
    const folder = newFolder();
    const store = new FolderObjects(folder);
    await store.put("a", Buffer.from("x"));
    symlinkSync(join(folder, "a"), join(folder, "link"));
    assert.equal(await store.has("link"), false);
    await assert.rejects(
      store.get("link", 10, () => undefined),
      { code: "io" },
    );
  });

  it("say what is in the way", async () => {
    const folder = newFolder();
    writeFileSync(folder, "a file");
    const store = new FolderObjects(folder);
    await assert.rejects(store.put("a", Buffer.from("x")), (error: Error) => error.message.includes(folder));
  });
});
