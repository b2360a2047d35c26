import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change } from "../../../src/core/change.ts";
import {
  archiveHeader,
  compareChangesByPath,
  formatArchive,
  formatChangeLine,
  maxArchiveBytes,
  maxArchiveChanges,
  parseArchive,
  parseChangeLine,
} from "../../../src/formats/archive/archive.ts";

const page = { path: "/a", sizeBytes: 3, lastModified: 1, mediaType: "text/html", digest: "AAAAAAAAAAA" };
const lines: ReadonlyArray<readonly [string, Change]> = [
  ["C\t1\t3\ttext/html\tAAAAAAAAAAA\t/a", { kind: "created", page }],
  ["U\t1\t3\ttext/html\t-\t/a", { kind: "updated", page: { ...page, digest: undefined } }],
  ["D\t-\t-\t-\t-\t/a?b", { kind: "deleted", path: "/a?b" }],
  [
    "C\t253402300799\t9007199254740991\tx-a/b.c+d_e\t-\t/",
    {
      kind: "created",
      page: {
        path: "/",
        sizeBytes: Number.MAX_SAFE_INTEGER,
        lastModified: 253_402_300_799,
        mediaType: "x-a/b.c+d_e",
        digest: undefined,
      },
    },
  ],
];

for (const [line, change] of lines) {
  test(`${JSON.stringify(line)} is written and read`, () => {
    assert.equal(formatChangeLine(change), line);
    assert.deepEqual(parseChangeLine(line), { ok: true, value: change });
  });
}

const badLines: ReadonlyArray<readonly [string, string, string]> = [
  ["nothing", "", "bad-line"],
  ["another letter", "M\t1\t3\ttext/html\t-\t/a", "bad-line"],
  ["a name of Object's", "constructor\t1\t3\ttext/html\t-\t/a", "bad-line"],
  ["a field too few", "C\t1\t3\ttext/html\t/a", "bad-line"],
  ["a field too many", "C\t1\t3\ttext/html\t-\t/a\t", "bad-line"],
  ["a time with a sign", "C\t-1\t3\ttext/html\t-\t/a", "bad-line"],
  ["a time with a leading zero", "C\t01\t3\ttext/html\t-\t/a", "bad-line"],
  ["a time beyond the year 9999", "C\t253402300800\t3\ttext/html\t-\t/a", "bad-line"],
  ["a size with an exponent", "C\t1\t1e3\ttext/html\t-\t/a", "bad-line"],
  ["a size beyond 2^53", "C\t1\t9007199254740993\ttext/html\t-\t/a", "bad-line"],
  ["a media type in capitals", "C\t1\t3\tTEXT/HTML\t-\t/a", "bad-line"],
  ["a media type with parameters", "C\t1\t3\ttext/html; charset=utf-8\t-\t/a", "bad-line"],
  ["a media type too long", `C\t1\t3\ttext/${"h".repeat(255)}\t-\t/a`, "bad-line"],
  ["a digest too short", "C\t1\t3\ttext/html\tAAAA\t/a", "bad-line"],
  ["a digest with bits too many", "C\t1\t3\ttext/html\tAAAAAAAAAAB\t/a", "bad-line"],
  ["a path without a slash", "C\t1\t3\ttext/html\t-\ta", "bad-path"],
  ["a path that leaves its folder", "D\t-\t-\t-\t-\t/a/../../etc", "bad-path"],
  ["CR before the end", "D\t-\t-\t-\t-\t/a\r", "bad-path"],
];

for (const [name, line, code] of badLines) {
  test(`a line is refused: ${name}`, () => {
    const result = parseChangeLine(line);
    assert.equal(result.ok ? "ok" : result.error.code, code);
  });
}

const encode = (text: string): Uint8Array => Buffer.from(text, "latin1");
const codeOf = (text: string): string => {
  const result = parseArchive(encode(text));
  return result.ok ? "ok" : result.error.code;
};

test("an archive without lines is its header", () => {
  assert.equal(formatArchive([]), `${archiveHeader}\n`);
  assert.deepEqual(parseArchive(encode(formatArchive([]))), { ok: true, value: [] });
});

test("an archive is refused whole: other header, cut off, one bad line, an empty line, CRLF", () => {
  const line = formatChangeLine({ kind: "deleted", path: "/a" });
  assert.equal(codeOf(""), "bad-header");
  assert.equal(codeOf(archiveHeader), "bad-header");
  assert.equal(codeOf("tidemark-archive 2\n"), "bad-header");
  assert.equal(codeOf(`${archiveHeader}\r\n`), "bad-header");
  assert.equal(codeOf(`${archiveHeader}\n${line}`), "truncated");
  assert.equal(codeOf(`${archiveHeader}\n${line}\n\n`), "bad-line");
  assert.equal(codeOf(`${archiveHeader}\n${line}\nX\n`), "bad-line");
  assert.equal(codeOf(`${archiveHeader}\n${line}\n`), "ok");
});

test("the problem names the line", () => {
  const result = parseArchive(encode(`${archiveHeader}\nD\t-\t-\t-\t-\t/a\nX\n`));
  assert.match(result.ok ? "" : result.error.message, /^line 3: /);
});

test("an archive is refused when it has too many bytes or changes", () => {
  assert.equal(codeOf("x".repeat(maxArchiveBytes + 1)), "too-large");
  const line = formatChangeLine({ kind: "deleted", path: "/a" });
  assert.equal(codeOf(formatArchive(Array.from({ length: maxArchiveChanges }, () => line))), "ok");
  assert.equal(codeOf(formatArchive(Array.from({ length: maxArchiveChanges + 1 }, () => line))), "too-large");
});

test("an archive of line ends, or of TABs, is refused at its first line", () => {
  assert.equal(codeOf(`${archiveHeader}\n${"\n".repeat(maxArchiveBytes - 100)}`), "bad-line");
  assert.equal(codeOf(`${archiveHeader}\n${"\t".repeat(maxArchiveBytes - 100)}\n`), "bad-line");
});

test("changes are in the order of their paths", () => {
  const [a, b] = ["/a", "/b"].map((path): Change => ({ kind: "deleted", path }));
  assert.ok(a !== undefined && b !== undefined);
  assert.deepEqual([compareChangesByPath(a, b), compareChangesByPath(a, a), compareChangesByPath(b, a)], [-1, 0, 1]);
});
