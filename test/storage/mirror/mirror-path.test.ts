import assert from "node:assert/strict";
import { posix } from "node:path";
import { describe, it } from "node:test";
import { parseUrl } from "../../../src/core/parse-url.ts";
import { encodePathSegment, isCanonicalPath } from "../../../src/formats/url/url-path.ts";
import {
  mirrorFolderOf,
  mirrorFoldersOf,
  mirrorPathOf,
  originsNamed,
} from "../../../src/storage/mirror/mirror-path.ts";
import { fc } from "../../property.ts";

/** Each path of so many pieces, or fewer. */
function* twins(start: string, pieces: readonly string[], depth: number): Generator<string> {
  yield start;
  if (depth > 0) for (const piece of pieces) yield* twins(start + piece, pieces, depth - 1);
}

const standIn = /^~tidemark-[0-9a-f]{16}$/;

describe("mirrorPathOf", () => {
  for (const [path, file] of [
    ["/a/b.html", "a/b.html"],
    ["/", "index.html"],
    ["/a/", "a/index.html"],
    ["/a%20b/c", "a b/c"],
    ["/caf%C3%A9", "caf\u00c3\u00a9"],
    ["/%FF%FE", "\u00ff\u00fe"],
    ["/a?q=1", "a?q=1"],
    ["/50%25", "50%"],
    ["/C++", "C++"],
    ["/C%2B%2B", "C%2B%2B"],
    ["/%252B", "%252B"],
    ["/caf%c3%a9", "caf%c3%a9"],
    ["/what%3F", "what%3F"],
    ["/a?q=it%27s%20%2F", "a?q=it's %2F"],
    ["/con", "con"],
  ] as const)
    it(`writes ${path} as it is`, () => assert.equal(mirrorPathOf(path, false), file));

  const unfit = "/.. /%2e%2e /.%2E /a%2Fb /%2Fetc%2Fpasswd /a%00b /.tidemark /.TIDEMARK /%2etidemark /~tidemark-index";
  for (const path of [...`${unfit} /a?b/c /50% /?q`.split(" "), `/${"x".repeat(256)}`, `/${"%C3".repeat(256)}`])
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
    const piece = fc.constantFrom(...".. . / // %2e %2E%2e %2f %00 %5c ? a C: \u0000 % ~tidemark .tidemark".split(" "));
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

  it("gives no two paths one file, however they are written", () => {
    const piece = fc.constantFrom(...[..."aA?+&=%/'\u00e9."], ..."%25 %2B %2b %3F %27 %41 %C3 %c3 2B".split(" "));
    const path = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => `/${pieces.join("")}`);
    fc.assert(
      fc.property(path.filter(isCanonicalPath), path.filter(isCanonicalPath), fc.boolean(), (a, b, isWindows) => {
        assert.equal(mirrorPathOf(a, isWindows) === mirrorPathOf(b, isWindows), a === b);
      }),
      { numRuns: 20_000 },
    );
    const all = [...twins("/", ["a", "?", "%3F", "+", "%2B", "%25", "2B", "%2b", "%252B", "'", "%27", "A", "%41"], 4)];
    const files = new Map<string, string>();
    for (const path of all.filter(isCanonicalPath)) {
      const file = mirrorPathOf(path, false);
      assert.equal(files.get(file) ?? path, path);
      files.set(file, path);
    }
    assert.ok(files.size > 10_000);
  });

  it("gives back the bytes of any file name that is not ours, and has neither `?` nor what looks like an escape", () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((name) => Buffer.from(name).toString("latin1"));
    const name = bytes.filter((text) => !/[/\0?]|%[0-9a-f]{2}|^\.{1,2}$|^[.~]tidemark/i.test(text));
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

describe("mirrorFoldersOf", () => {
  for (const [origin, ...folders] of [
    ["https://example.org", "example.org", "example.org_443", "https@example.org_443"],
    ["http://example.org", "example.org", "example.org_80", "http@example.org_80"],
    ["https://example.org:80", "example.org_80", "example.org_80", "https@example.org_80"],
    ["http://[::1]", "[__1]", "[__1]_80", "http@[__1]_80"],
    ["https://.tidemark", "_.tidemark", "_.tidemark_443", "https@.tidemark_443"],
  ] as const)
    it(`gives ${origin} a choice`, () => assert.deepEqual(mirrorFoldersOf(origin), folders));

  it("is one that a file system takes, also of hosts of 255 characters with a port, and another one for each origin", () => {
    const host = (length: number): string => `${"x.".repeat(100)}${"y".repeat(length - 200)}`;
    const origins = [240, 250, 255].flatMap((length) =>
      ["http", "https"].flatMap((scheme) => ["", ":1", ":65535"].map((port) => `${scheme}://${host(length)}${port}`)),
    );
    const names = origins.map(mirrorFoldersOf);
    for (const name of names.flat()) assert.ok(name.length <= 255 && !name.includes("/"), name);
    assert.equal(new Set(names.map((some) => some.at(-1))).size, origins.length);
    assert.deepEqual(
      origins.map(mirrorFolderOf),
      names.map(([name]) => name),
    );
  });

  it("ends with a name that no other origin has, and `originsNamed` knows all that have the others", () => {
    const labels = fc.constantFrom("a", "_", "_80", ".", "_.", "80", "_443", "-", "é");
    const host = fc.oneof(
      fc.string({ unit: labels, minLength: 1, maxLength: 4 }),
      fc.ipV6().map((ip) => `[${ip}]`),
    );
    const port = fc.constantFrom("", ":80", ":443", ":8080");
    const origin = fc
      .tuple(fc.constantFrom("http", "https"), host, port)
      .map(([scheme, name, number]) => `${scheme}://${name}${number}`)
      .map((url) => parseUrl(url)?.origin)
      .filter((one) => one !== undefined);
    const owners = new Map<string, string>();
    const property = fc.property(origin, (one) => {
      const [usual = "", withPort = "", last = ""] = mirrorFoldersOf(one);
      assert.equal(usual, mirrorFolderOf(one));
      assert.ok(originsNamed(usual).includes(one) && originsNamed(withPort).includes(one));
      assert.equal(owners.get(last) ?? one, one);
      owners.set(last, one);
    });
    fc.assert(property, { numRuns: 2000 });
  });
});
