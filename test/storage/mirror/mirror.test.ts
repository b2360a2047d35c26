import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Result } from "../../../src/core/result.ts";
import { syncFiles } from "../../../src/fs/file-sync.ts";
import type { Mirror } from "../../../src/storage/mirror/mirror.ts";
import { openStore } from "../../../src/storage/state/store.ts";
import { recordOf } from "../../crawler/engine/published-site.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type OpenMirror, openMirror } from "./open-mirror.ts";

const page = (path: string, body: string) =>
  recordOf(path, { body, mediaType: "text/html", lastModified: 1_234_567_890 });

/** So many pages were kept before that files are made by a thread. */
const warmPages = 201;

// Not awaited by itself, so that many are on their way at once.
async function keepText(bodies: Mirror, path: string, text: string): Promise<Result<undefined>> {
  return await bodies.keep(page(path, text), Buffer.from(text));
}

async function openWarm(isWarm: boolean): Promise<OpenMirror> {
  const mirror = openMirror();
  const paths = isWarm ? Array.from({ length: warmPages }, (_, number) => `/warm/${number}`) : [];
  for (const path of paths) assert.ok((await mirror.bodies.keep(page(path, "w"), Buffer.from("w"))).ok);
  for (const path of paths) await mirror.bodies.remove(path);
  return mirror;
}

for (const isWarm of [false, true]) describeMirror(isWarm);

function describeMirror(isWarm: boolean): void {
  describe(`the mirror, ${isWarm ? "once a thread makes its files" : "at first"}`, () => {
    it("keeps names that are not UTF-8", async () => {
      using mirror = await openWarm(isWarm);
      const { bodies, root } = mirror;
      assert.ok((await bodies.keep(page("/%E9t%E9/%FF", "x"), Buffer.from("x"))).ok);
      const outer = Buffer.concat([Buffer.from(`${root}/`), Buffer.from("\u00e9t\u00e9", "latin1")]);
      assert.deepEqual(readdirSync(outer, { encoding: "buffer" }), [Buffer.from([0xff])]);
      await bodies.remove("/%E9t%E9/%FF");
      assert.deepEqual(readdirSync(root), []);
    });

    it("replaces a body, and gives it the page's time and mode", async () => {
      using mirror = await openWarm(isWarm);
      const { bodies, root, temporary } = mirror;
      await bodies.keep(page("/a", "1"), Buffer.from("1"));
      await bodies.keep(page("/a", "2"), Buffer.from("2"));
      const file = join(root, "a");
      assert.equal(readFileSync(file, "utf8"), "2");
      assert.equal(statSync(file).mtimeMs, 1_234_567_890_000);
      assert.equal(statSync(file).mode & 0o777 & ~process.umask(), 0o644 & ~process.umask());
      assert.deepEqual(readdirSync(temporary), []);
    });

    it("makes a folder again that it removed when it was empty", async () => {
      using mirror = await openWarm(isWarm);
      const { bodies, root } = mirror;
      await bodies.keep(page("/a/b/c", "c"), Buffer.from("c"));
      await bodies.remove("/a/b/c");
      assert.ok(!existsSync(join(root, "a")));
      assert.ok((await bodies.keep(page("/a/b/d", "d"), Buffer.from("d"))).ok);
    });

    it("has a place for each page, also where two have one name, or a folder has it, or it is too long", async () => {
      using mirror = await openWarm(isWarm);
      const { bodies, root, temporary } = mirror;
      const long = `/${"long/".repeat(1500)}x`;
      const paths = ["/a/b", "/a", "/a/", "/a/index.html", "/c", "/c/d", "/c/d/e", long];
      const kept = paths.map((path) => keepText(bodies, path, path));
      for (const result of await Promise.all(kept)) assert.ok(result.ok);
      const read = (): (string | undefined)[] => paths.map((path) => bodies.read(path, 1e6)?.toString());
      assert.deepEqual(read(), paths);
      assert.equal(readFileSync(join(root, "c/index.html"), "utf8"), "/c");
      assert.equal(readFileSync(join(root, "c/d/index.html"), "utf8"), "/c/d");
      assert.deepEqual(readdirSync(temporary), []);
      for (const path of [...paths, "/never/was"]) await bodies.remove(path);
      assert.deepEqual(read(), new Array(paths.length).fill(undefined));
      assert.deepEqual(readdirSync(root), []);
    });

    it("takes over only what is the page's body, byte for byte", async () => {
      using mirror = await openWarm(isWarm);
      const { bodies, root } = mirror;
      writeFileSync(join(root, "a"), "body");
      // As long as the body, so that its size does not tell.
      symlinkSync(".//a", join(root, "link"));
      const record = page("/a", "body");
      const held = { sizeBytes: 4, digest: record.digest };
      assert.deepEqual(bodies.adopt(record), held);
      assert.equal(statSync(join(root, "a")).mtimeMs, 1_234_567_890_000);
      for (const other of [
        page("/a", "BODY"),
        page("/a", "longer"),
        page("/link", "body"),
        page("/missing", "body"),
        page("/", "body"),
      ])
        assert.equal(bodies.adopt(other), undefined);
      // Without a digest, size and time must do.
      assert.deepEqual(bodies.adopt({ ...record, digest: undefined }), held);
      assert.equal(bodies.adopt({ ...record, digest: undefined, lastModified: 5 }), undefined);
      // Without a size the digest must do, or else the time.
      assert.deepEqual(bodies.adopt({ ...record, sizeBytes: undefined }), held);
      assert.deepEqual(bodies.adopt({ ...record, sizeBytes: undefined, digest: undefined }), held);
      assert.equal(bodies.adopt({ ...page("/a", "BODY"), sizeBytes: undefined }), undefined);
      assert.equal(bodies.adopt({ ...record, sizeBytes: undefined, digest: undefined, lastModified: 5 }), undefined);
    });

    it("leaves no trace of a large body that was given up", async () => {
      using mirror = await openWarm(isWarm);
      const { bodies, root, temporary } = mirror;
      const body = bodies.open();
      body.write(Buffer.from("part"));
      assert.equal(Buffer.from(body.read()).toString(), "part");
      body.discard();
      body.discard();
      assert.deepEqual(readdirSync(temporary), []);
      const kept = bodies.open();
      kept.write(Buffer.from("whole"));
      assert.ok((await bodies.keep(page("/w", "whole"), kept)).ok);
      kept.discard();
      assert.equal(readFileSync(join(root, "w"), "utf8"), "whole");
    });

    it("keeps many at once, the last body of a page, and removes what was given before", async () => {
      using mirror = await openWarm(isWarm);
      const { bodies, root, temporary } = mirror;
      const paths = Array.from({ length: 50 }, (_, number) => `/many/${number % 7}/${number}`);
      const keeps = paths.flatMap((path) => [keepText(bodies, path, "first"), keepText(bodies, path, path)]);
      const removals = paths.slice(0, 25).map((path) => bodies.remove(path));
      const [again] = paths;
      keeps.push(keepText(bodies, again ?? "", "again"));
      for (const kept of await Promise.all(keeps)) assert.ok(kept.ok);
      await Promise.all(removals);
      for (const path of paths.slice(25)) assert.equal(readFileSync(join(root, path), "utf8"), path);
      assert.equal(readFileSync(join(root, again ?? ""), "utf8"), "again");
      for (const path of paths.slice(1, 25)) assert.ok(!existsSync(join(root, path)), path);
      assert.deepEqual(readdirSync(temporary), []);
    });

    it("lets the body hold that came last, whether it came in memory or in a file", async () => {
      using mirror = await openWarm(isWarm);
      const { bodies, root } = mirror;
      const keepFile = (path: string): Promise<Result<undefined>> => {
        const body = bodies.open();
        body.write(Buffer.from("from a file"));
        return bodies.keep(page(path, "from a file"), body);
      };
      const kept = [
        ...[keepText(bodies, "/a", "before"), keepFile("/a"), keepText(bodies, "/a", "after")],
        ...[keepFile("/b"), keepText(bodies, "/b", "between"), keepFile("/b")],
      ];
      for (const one of await Promise.all(kept)) assert.ok(one.ok);
      assert.equal(readFileSync(join(root, "a"), "utf8"), "after");
      assert.equal(readFileSync(join(root, "b"), "utf8"), "from a file");
      assert.equal(statSync(join(root, "b")).mtimeMs, 1_234_567_890_000);
    });

    it("goes on by itself once its thread has ended", async () => {
      using mirror = await openWarm(isWarm);
      const { bodies, root } = mirror;
      assert.ok((await keepText(bodies, "/a", "before")).ok);
      mirror.endThread();
      for (const text of ["after", "and again"]) assert.ok((await keepText(bodies, "/a", text)).ok);
      assert.equal(readFileSync(join(root, "a"), "utf8"), "and again");
      await bodies.remove("/a");
      assert.deepEqual(readdirSync(root), []);
    });

    it("says of a body that cannot be written what the file system says", async () => {
      using mirror = await openWarm(isWarm);
      rmSync(mirror.temporary, { recursive: true });
      await assert.rejects(
        async () => await keepText(mirror.bodies, "/a", "x"),
        (error: { code?: unknown; message: string }) =>
          error.code === "not-found" && error.message.includes("example.org/a"),
      );
    });
  });
}

describe("files of a mirror", () => {
  it("makes files durable one by one where the system has no better way", async () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "a");
    writeFileSync(file, "x");
    await syncFiles([file, Buffer.from(file), join(folder.path, "gone"), join(folder.path, "a/below")], {
      mayBeGone: true,
    });
    await assert.rejects(syncFiles(["a\0b"]));
  });

  it("empties its folder of temporary files when it is opened", async () => {
    using folder = makeTempFolder();
    openStore({ into: folder.path })[Symbol.dispose]();
    assert.ok(!existsSync(join(folder.path, ".tidemark/tmp")));
    openStore({ into: folder.path })[Symbol.dispose]();
  });
});
