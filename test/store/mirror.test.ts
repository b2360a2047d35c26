import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { syncFiles } from "../../src/store/durable-folder.ts";
import { openStore } from "../../src/store/index.ts";
import { recordOf } from "../crawl/published-site.ts";
import { makeTempFolder } from "../temp-folder.ts";

const origin = "https://example.org";
const page = (path: string, body: string) =>
  recordOf(path, { body, mediaType: "text/html", lastModified: 1_234_567_890 });

describe("the mirror", () => {
  it("keeps names that are not UTF-8", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const { bodies } = store.openSite(origin);
    assert.ok(bodies.keep(page("/%E9t%E9/%FF", "x"), Buffer.from("x")).ok);
    const outer = Buffer.concat([
      Buffer.from(join(folder.path, "example.org/")),
      Buffer.from("\u00e9t\u00e9", "latin1"),
    ]);
    assert.deepEqual(readdirSync(outer, { encoding: "buffer" }), [Buffer.from([0xff])]);
    bodies.remove("/%E9t%E9/%FF");
    assert.deepEqual(readdirSync(join(folder.path, "example.org")), []);
  });

  it("replaces a body, and gives it the page's time and mode", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const { bodies } = store.openSite(origin);
    bodies.keep(page("/a", "1"), Buffer.from("1"));
    bodies.keep(page("/a", "2"), Buffer.from("2"));
    const file = join(folder.path, "example.org/a");
    assert.equal(readFileSync(file, "utf8"), "2");
    assert.equal(statSync(file).mtimeMs, 1_234_567_890_000);
    assert.equal(statSync(file).mode & 0o777 & ~process.umask(), 0o644 & ~process.umask());
    assert.deepEqual(readdirSync(join(folder.path, ".tidemark/tmp")), []);
  });

  it("makes a folder again that it removed when it was empty", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const { bodies } = store.openSite(origin);
    bodies.keep(page("/a/b/c", "c"), Buffer.from("c"));
    bodies.remove("/a/b/c");
    assert.ok(!existsSync(join(folder.path, "example.org/a")));
    assert.ok(bodies.keep(page("/a/b/d", "d"), Buffer.from("d")).ok);
  });

  it("has no place for a page where a folder is, or a file where its folder should be", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const { bodies } = store.openSite(origin);
    bodies.keep(page("/a/b", "b"), Buffer.from("b"));
    bodies.keep(page("/c", "c"), Buffer.from("c"));
    for (const path of ["/a", "/c/d", "/c/d/e", `/${"long/".repeat(1500)}x`]) {
      const kept = bodies.keep(page(path, "x"), Buffer.from("x"));
      assert.equal(kept.ok ? undefined : kept.error.code, "mirror-collision", path.slice(0, 10));
    }
    assert.deepEqual(readdirSync(join(folder.path, ".tidemark/tmp")), []);
    bodies.remove("/a");
    bodies.remove("/c/d");
    bodies.remove("/never/was");
    assert.deepEqual(readdirSync(join(folder.path, "example.org")).sort(), ["a", "c"]);
  });

  it("takes over only what is the page's body, byte for byte", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const { bodies } = store.openSite(origin);
    const root = join(folder.path, "example.org");
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

  it("leaves no trace of a large body that was given up", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const { bodies } = store.openSite(origin);
    const body = bodies.open();
    body.write(Buffer.from("part"));
    assert.equal(Buffer.from(body.read()).toString(), "part");
    body.discard();
    body.discard();
    assert.deepEqual(readdirSync(join(folder.path, ".tidemark/tmp")), []);
    const kept = bodies.open();
    kept.write(Buffer.from("whole"));
    assert.ok(bodies.keep(page("/w", "whole"), kept).ok);
    kept.discard();
    assert.equal(readFileSync(join(folder.path, "example.org/w"), "utf8"), "whole");
  });

  it("makes files durable one by one where the system has no better way", async () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "a");
    writeFileSync(file, "x");
    await syncFiles([file, Buffer.from(file), join(folder.path, "gone"), join(folder.path, "a/below")]);
    await assert.rejects(syncFiles(["a\0b"]));
  });

  it("empties its folder of temporary files when it is opened", () => {
    using folder = makeTempFolder();
    openStore({ into: folder.path })[Symbol.dispose]();
    assert.ok(!existsSync(join(folder.path, ".tidemark/tmp")));
    openStore({ into: folder.path })[Symbol.dispose]();
  });
});
