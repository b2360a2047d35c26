import assert from "node:assert/strict";
import { posix } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { encodePathSegment } from "../../src/format/index.ts";
import { mirrorFolderOf, mirrorPathOf } from "../../src/store/index.ts";

const standIn = /^~tidemark-[0-9a-f]{16}$/;

describe("mirrorPathOf", () => {
  for (const [path, file] of [
    ["/a/b.html", "a/b.html"],
    ["/", "~tidemark-index"],
    ["/a/", "a/~tidemark-index"],
    ["/a%20b/c", "a b/c"],
    ["/caf%C3%A9", "caf\u00c3\u00a9"],
    ["/%FF%FE", "\u00ff\u00fe"],
    ["/a?q=1", "a?q=1"],
    ["/50%", "50%"],
    ["/con", "con"],
  ] as const)
    it(`writes ${path} as it is`, () => assert.equal(mirrorPathOf(path, false), file));

  for (const path of [
    "/..",
    "/%2e%2e",
    "/.%2E",
    "/a%2Fb",
    "/%2Fetc%2Fpasswd",
    "/a%00b",
    "/.tidemark",
    "/.TIDEMARK",
    "/%2etidemark",
    "/~tidemark-index",
    `/${"x".repeat(256)}`,
    `/${"%C3".repeat(256)}`,
    "/a?b/c",
    "/?q",
  ])
    it(`writes ${path.slice(0, 30)} as a stand-in`, () => assert.match(mirrorPathOf(path, false), standIn));

  for (const path of ["/C:", "/C:%5Cwindows", "/a%5Cb", "/con", "/NUL.txt", "/a?q", "/dot.", "/space%20"])
    it(`writes ${path} as a stand-in on Windows`, () => assert.match(mirrorPathOf(path, true), standIn));

  it("stands in for an empty segment", () => {
    const [a, empty, b] = mirrorPathOf("/a//b", false).split("/");
    assert.deepEqual([a, b], ["a", "b"]);
    assert.match(empty ?? "", standIn);
  });

  it("keeps a name of 255 bytes", () => assert.equal(mirrorPathOf(`/${"x".repeat(255)}`, false), "x".repeat(255)));

  it("never leads out of the folder, and has no empty, dot or overlong name", () => {
    const piece = fc.constantFrom(
      "..",
      ".",
      "/",
      "//",
      "%2e",
      "%2E%2e",
      "%2f",
      "%00",
      "%5c",
      "?",
      "a",
      "C:",
      "\u0000",
      "%",
      "~tidemark",
      ".tidemark",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (pieces, isWindows) => {
        const file = mirrorPathOf(`/${pieces.join("")}`, isWindows);
        assert.ok(!posix.normalize(`root/${file}`).startsWith(".."));
        assert.equal(posix.normalize(`root/${file}`), `root/${file}`);
        for (const name of file.split("/")) {
          assert.ok(name !== "" && name !== "." && name !== ".." && !name.includes("\0") && name.length <= 255);
          assert.ok(!isWindows || !/[\\:]/.test(name));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("gives back the bytes of any file name that is not ours", () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((name) => Buffer.from(name).toString("latin1"));
    const name = bytes.filter((text) => !/[/\0]|^\.{1,2}$|^[.~]tidemark/i.test(text));
    fc.assert(fc.property(name, (text) => assert.equal(mirrorPathOf(`/${encodePathSegment(text)}`, false), text)));
  });
});

describe("mirrorFolderOf", () => {
  for (const [origin, folder] of [
    ["https://example.org", "example.org"],
    ["http://127.0.0.1:8123", "127.0.0.1_8123"],
    ["http://[::1]:80", "[__1]"],
    ["https://.tidemark", "_.tidemark"],
  ] as const)
    it(`keeps ${origin} in ${folder}`, () => assert.equal(mirrorFolderOf(origin), folder));
});
