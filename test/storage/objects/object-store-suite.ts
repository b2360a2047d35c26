import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { maxObjectBytes, type ObjectStore, readObject } from "../../../src/storage/objects/object-store.ts";
import { makeTempFolder } from "../../temp-folder.ts";

async function namesIn(store: ObjectStore, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of store.list(prefix)) names.push(name);
  return names;
}

/**
 * What every store of objects does.
 *
 * @param open - an empty store; another one each time, or the same one under another prefix
 */
export function describeObjectStore(kind: string, open: () => ObjectStore | Promise<ObjectStore>): void {
  const read = async (store: ObjectStore, name: string): Promise<string | undefined> => {
    const bytes = await readObject(store, name, 1_000_000);
    return bytes === undefined ? undefined : Buffer.from(bytes).toString();
  };

  describe(`a store of objects: ${kind}`, () => {
    it("gives back what was stored, also nothing at all and names with every character", async () => {
      const store = await open();
      const names = ["a", "crawl/https/example.org_3a8080/ab/00.1", `${"x".repeat(200)}/_.-9/z`, "empty"];
      for (const name of names)
        assert.equal(await store.put(name, Buffer.from(name === "empty" ? "" : name)), true, name);
      for (const name of names) assert.equal(await read(store, name), name === "empty" ? "" : name, name);
      assert.deepEqual(await namesIn(store, ""), [...names].sort());
    });

    it("has nothing that was not stored", async () => {
      const store = await open();
      await store.put("folder/object", Buffer.from("x"));
      for (const name of ["object", "folder", "folder/object/deeper", "folder/other"])
        assert.deepEqual([await store.has(name), await read(store, name)], [false, undefined], name);
      await store.remove(["other", "folder/object/deeper"]);
      assert.deepEqual(await namesIn(store, "nothing/here/"), []);
    });

    it("keeps the bytes that a name has", async () => {
      const store = await open();
      assert.equal(await store.put("name", Buffer.from("one")), true);
      assert.equal(await store.put("name", Buffer.from("two")), false);
      assert.equal(await read(store, "name"), "one");
    });

    it("lets many store the same name at once", async () => {
      const store = await open();
      const bytes = randomBytes(300_000);
      const made = await Promise.all(Array.from({ length: 8 }, () => store.put("x/same", bytes)));
      assert.ok(made.includes(true));
      assert.ok(bytes.equals((await readObject(store, "x/same", bytes.length)) ?? Buffer.of()));
      assert.deepEqual(await namesIn(store, ""), ["x/same"]);
    });

    it("stores files, and gives large objects in pieces", async () => {
      const store = await open();
      using temp = makeTempFolder();
      const bytes = randomBytes(3_500_000);
      const file = join(temp.path, "file");
      writeFileSync(file, bytes);
      assert.equal(await store.put("file", { file, sizeBytes: bytes.length }), true);
      let pieces = 0;
      const given: Buffer[] = [];
      const size = await store.get("file", bytes.length, async (piece) => {
        pieces += 1;
        given.push(Buffer.from(piece));
        await Promise.resolve();
      });
      assert.deepEqual([size, pieces > 1, Buffer.concat(given).equals(bytes)], [bytes.length, true, true]);
      await assert.rejects(store.put("gone", { file: join(temp.path, "gone"), sizeBytes: 1 }), { code: "not-found" });
      assert.equal(await store.has("gone"), false);
    });

    it("does not read what is larger than the limit, and ends with the error of who takes the pieces", async () => {
      const store = await open();
      await store.put("ten", Buffer.alloc(10));
      const refuse = (): never => assert.fail("a piece was given");
      await store.put("large", Buffer.alloc(2_500_000));
      assert.equal(await store.get("ten", 9, refuse), undefined);
      assert.equal(await store.get("large", 2_400_000, refuse), undefined);
      assert.equal((await readObject(store, "ten", 10))?.length, 10);
      const full = new RangeError("full");
      await assert.rejects(
        store.get("ten", 10, () => {
          throw full;
        }),
        full,
      );
    });

    it("lists below a prefix, in the order of bytes", async () => {
      const store = await open();
      const names = ["a-b", "a/x", "a/y/z", "a.c", "ab/x", "a0", "b/1"];
      for (const name of [...names].reverse()) await store.put(name, Buffer.from(name));
      assert.deepEqual(await namesIn(store, ""), ["a-b", "a.c", "a/x", "a/y/z", "a0", "ab/x", "b/1"]);
      assert.deepEqual(await namesIn(store, "a/"), ["a/x", "a/y/z"]);
      const listed = [];
      for await (const object of store.list("a/y/")) listed.push(object);
      assert.deepEqual(listed, [{ name: "a/y/z", sizeBytes: 5 }]);
    });

    it("removes what it is told, and stores it anew", async () => {
      const store = await open();
      for (const name of ["x/1", "x/2", "x/3"]) await store.put(name, Buffer.from(name));
      await store.remove(["x/1", "x/3", "x/none"]);
      await store.remove([]);
      assert.deepEqual(await namesIn(store, ""), ["x/2"]);
      assert.equal(await store.put("x/1", Buffer.from("new")), true);
      assert.equal(await read(store, "x/1"), "new");
    });

    it("refuses names that are no names of objects, and objects that are too large for one", async () => {
      const store = await open();
      const wrong = ["", "/", "a//b", "/a", "a/", "../a", "a/./b", ".a", "-a", "A", "a b", "a\0", "ä", "x".repeat(201)];
      for (const name of [...wrong, `${"a/".repeat(450)}a`]) {
        await assert.rejects(store.put(name, Buffer.of()), TypeError, name);
        await assert.rejects(store.has(name), TypeError, name);
        await assert.rejects(store.remove([name]), TypeError, name);
      }
      await assert.rejects(namesIn(store, "a"), TypeError);
      await assert.rejects(namesIn(store, "../"), TypeError);
      const large = { file: "/dev/null", sizeBytes: maxObjectBytes + 1 };
      await assert.rejects(store.put("large", large), { code: "bad-option", message: /too large/ });
    });
  });
}
