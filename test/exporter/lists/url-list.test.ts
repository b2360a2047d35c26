import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { ListFormat } from "../../../src/exporter/lists/list-format.ts";
import type { ListedPage } from "../../../src/exporter/lists/listed-page.ts";
import { openUrlList } from "../../../src/exporter/lists/url-list.ts";
import { isCanonicalPath } from "../../../src/formats/url/url-path.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { codesOf, drainPages, inPieces, keepEvents, listed } from "./listing.ts";

const origin = "https://example.org";
const sha256 = createHash("sha256").update("x").digest();
const hex = sha256.toString("hex");
const digest = sha256.subarray(0, 8).toString("base64url");
const noon = Date.UTC(2026, 10, 20, 12) / 1000;

async function read(
  content: Uint8Array | string,
  { name = "list", format, pieceBytes = 1 << 20, runBytes = 1 << 20 }: Reading = {},
) {
  using temp = makeTempFolder();
  const { events, onEvent } = keepEvents();
  await using list = openUrlList({
    input: inPieces(content, pieceBytes),
    name,
    format,
    origin,
    spillFolder: temp.path,
    judgePath: (path) => (path.startsWith("/private/") ? "robots-disallow" : undefined),
    runBytes,
    allowEmpty: true,
    onEvent,
  });
  const pages = await drainPages(list);
  assert.deepEqual(readdirSync(temp.path), []);
  return { pages, events };
}

interface Reading {
  readonly name?: string;
  readonly format?: ListFormat | undefined;
  readonly pieceBytes?: number;
  readonly runBytes?: number;
}

const whole: ListedPage = {
  path: "/a",
  sizeBytes: 5,
  lastModified: noon,
  mediaType: "text/html",
  digest,
};

// What it is, the list, its name, and what it gives.
const forms: ReadonlyArray<readonly [string, string, string, readonly ListedPage[]]> = [
  ["plain URLs", "/b\nhttps://example.org/a\n", "list", [listed("/a"), listed("/b")]],
  ["no LF at the end", "/b\n/a", "list", [listed("/a"), listed("/b")]],
  ["URLs with commas", "/a,b\n/c,d\n", "list", [listed("/a,b"), listed("/c,d")]],
  ["TSV", `/a\t${noon}\t5\t${digest}\ttext/html\n`, "list", [whole]],
  ["TSV with dates and a SHA-256", `/a\t2026-11-20T12:00:00Z\t5\t${hex}\tText/HTML; charset=x\n`, "list", [whole]],
  [
    "TSV with gaps",
    "/a\t-\t5\n/b\t\t\t\ttext/css\n",
    "list",
    [listed("/a", { sizeBytes: 5 }), listed("/b", { mediaType: "text/css" })],
  ],
  [
    "TSV with CRLF, empty lines and remarks",
    `# a remark\r\n\r\n/a\t${noon}\r\n \r\n`,
    "list",
    [listed("/a", { lastModified: noon })],
  ],
  [
    "TSV with a header",
    `Size\tNote\tURL\tLast-Modified\n5\thello\t/a\t${noon}\n`,
    "list",
    [listed("/a", { sizeBytes: 5, lastModified: noon })],
  ],
  ["CSV by its header", `url,lastmod,size,sha256,type\n/a,${noon},5,${hex},text/html\n`, "list", [whole]],
  ["CSV by its name", `/a,${noon},5,${digest},text/html\n`, "pages.CSV", [whole]],
  [
    "CSV by its first line",
    `/a,2026-11-20T12:00:00Z,5\n`,
    "list",
    [listed("/a", { lastModified: noon, sizeBytes: 5 })],
  ],
  [
    "CSV with quotes and CRLF",
    `"loc","size"\r\n"https://example.org/a,b?c=""d""","5"\r\n`,
    "list",
    [listed("/a,b?c=%22d%22", { sizeBytes: 5 })],
  ],
  [
    "CSV with a field of two lines",
    'title,url\n"One,\nand ""two""",/a\nthree,/b\n',
    "x.csv.gz",
    [listed("/a"), listed("/b")],
  ],
  ["CSV with a byte order mark", "\uFEFFurl,size\n/a,5\n", "list", [listed("/a", { sizeBytes: 5 })]],
  [
    "JSON lines",
    `{"url":"/a","lastModified":"2026-11-20T12:00:00Z","size":5,"sha256":"${hex}","content_type":"text/html"}\n`,
    "list",
    [whole],
  ],
  [
    "JSON lines by their name",
    `{"path":"/b"}\n\n {"loc":"https://example.org/caf\u00e9","mtime":${noon},"tags":[1]}\n`,
    "x.ndjson",
    [listed("/b"), listed("/caf%C3%A9", { lastModified: noon })],
  ],
  ["the last of twins", "/a\t1\n/b\n/a\t3\n/a\t2\n", "list", [listed("/a", { lastModified: 2 }), listed("/b")]],
  ["nothing", "", "list", []],
];

for (const [what, content, name, expected] of forms) {
  test(`a list of ${what} is read, gzip'd or not, however it comes in pieces`, async () => {
    for (const pieceBytes of [1, 7, 1 << 20]) {
      const plain = await read(content, { name, pieceBytes });
      assert.deepEqual(plain.pages, expected);
      assert.deepEqual(
        codesOf(plain.events).filter((code) => code !== "listed-twice"),
        [],
      );
      assert.deepEqual((await read(gzipSync(content), { name, pieceBytes })).pages, expected);
    }
  });
}

test("a format that is given holds against name and first line", async () => {
  assert.deepEqual((await read("/a,5\n", { name: "x.csv", format: "tsv" })).pages, [listed("/a,5")]);
  assert.deepEqual((await read("/a,7\n", { format: "csv" })).pages, [listed("/a", { lastModified: 7 })]);
});

test("lines that are no pages are told with their number, and the others are taken", async () => {
  const { pages, events } = await read(
    ["/a", "about.html", "https://other.test/", "/b\tsoon\tbig\tx\ty", `/${"c".repeat(70_000)}`, "/d"].join("\n"),
  );
  assert.deepEqual(pages, [listed("/a"), listed("/d")]);
  assert.deepEqual(
    events.map((event) => (event.event === "item-error" ? [event.path, event.code] : event)),
    [
      ["list:2", "bad-url"],
      ["list:3", "other-origin"],
      ["list:4", "bad-size"],
      ["list:4", "bad-time"],
      ["list:4", "bad-type"],
      ["list:4", "bad-digest"],
      ["list:5", "bad-line"],
    ],
  );
});

test("a line that is too long is told once, however it comes in pieces, and the next one is taken", async () => {
  const content = `/a\n/${"b".repeat(200_000)}\n/c\n/${"d".repeat(200_000)}`;
  for (const pieceBytes of [999, 65_537, 1 << 20]) {
    const { pages, events } = await read(content, { pieceBytes });
    assert.deepEqual(pages, [listed("/a"), listed("/c")]);
    assert.deepEqual(
      events.map((event) => "path" in event && event.path),
      ["list:2", "list:4"],
    );
  }
});

test("of many problems twenty are told, and how many there are more", async () => {
  const { events } = await read(`/a\n${"nothing\n".repeat(500)}`);
  assert.equal(events.length, 21);
  assert.deepEqual(events[20], {
    event: "item-error",
    code: "more-problems",
    message: "480 more problems like these",
    path: "list",
  });
});

test("a quote without an end costs its own line only", async () => {
  const lines = Array.from({ length: 40 }, (_, at) =>
    at === 3 || at === 30 ? `"/never${at}` : at === 9 ? "none" : `/p${String(at).padStart(2, "0")}`,
  );
  const { pages, events } = await read(["url", ...lines].join("\n"), { format: "csv" });
  assert.equal(pages.length, 37);
  assert.deepEqual(
    events.map((event) => "path" in event && event.path),
    ["list:5", "list:11", "list:32"],
  );
});

test("what is withheld is told, and what stands twice is counted", async () => {
  const { pages, events } = await read(`/private/a\n/b\n/b\n/${"l".repeat(3000)}\n`);
  assert.deepEqual(pages, [listed("/b")]);
  assert.deepEqual(
    events.map((event) => (event.event === "withheld" ? event.rule : event.event)),
    ["name-too-long", "robots-disallow", "warning"],
  );
});

async function* failing(head: Uint8Array): AsyncGenerator<Uint8Array> {
  yield head;
  throw Object.assign(new Error("the pipe broke"), { code: "EIO" });
}

test("a list that is empty, no list, cut off, broken or missing changes nothing", async () => {
  using temp = makeTempFolder();
  const packed = gzipSync(Buffer.from(Array.from({ length: 1000 }, (_, at) => `/${at}\n`).join("")));
  const open = (input: string | AsyncIterable<Uint8Array>) =>
    openUrlList({ ...keepEvents(), origin, spillFolder: temp.path, judgePath: () => undefined, input });
  const path = join(temp.path, "list.gz");
  const file = (content: Uint8Array): string => {
    writeFileSync(path, content);
    return path;
  };
  for (const [code, input] of [
    ...["", "\n\n", "\x7fELF\0\0\n\n\n", "<html>\n<body>\n"].map(
      (text) => ["bad-option", () => inPieces(text, 10)] as const,
    ),
    ["io", () => failing(Buffer.from("/a\n/b\n"))],
    ["io", () => failing(packed.subarray(0, 40))],
    ["io", () => file(packed.subarray(0, -20))],
    ["io", () => file(packed.subarray(0, 3))],
    ["io", () => file(Buffer.concat([packed.subarray(0, 200), Buffer.alloc(500)]))],
    ["not-found", () => join(temp.path, "none")],
  ] as const) {
    await using list = open(input());
    await assert.rejects(list.next(), { code });
  }
  await using whole = open(file(packed));
  assert.equal((await drainPages(whole)).length, 1000);
  // An empty list may be allowed, the wrong file never.
  assert.deepEqual((await read("")).pages, []);
  await assert.rejects(read("<html>"), { code: "bad-option" });
});

test("an abort ends the reading", async () => {
  using temp = makeTempFolder();
  const abort = new AbortController();
  async function* endless() {
    for (let at = 0; ; at++) {
      if (at === 100) abort.abort();
      yield Buffer.from(`/${at}\n`);
    }
  }
  const options = { origin, spillFolder: temp.path, judgePath: () => undefined, signal: abort.signal };
  await using list = openUrlList({ ...keepEvents(), ...options, input: endless() });
  await assert.rejects(list.next(), { code: "aborted" });
});

test("any bytes give pages in order, or one of the errors that are promised", async () => {
  const part = fc.constantFrom(
    "/a",
    "/b?c",
    '"',
    '""',
    ",",
    "\t",
    "\n",
    "\r\n",
    "{",
    '{"url":"/x"}',
    "url",
    "5",
    "\xff",
  );
  const parts = fc.array(part, { maxLength: 60 }).map((all) => Buffer.from(all.join(""), "latin1"));
  const soup = fc.oneof(fc.uint8Array({ maxLength: 300 }), parts);
  await fc.assert(
    fc.asyncProperty(
      soup,
      fc.option(fc.constantFrom<ListFormat>("tsv", "csv", "jsonl"), { nil: undefined }),
      async (bytes, format) => {
        const reading = read(bytes, { format, runBytes: 100 });
        const { pages } = await reading.catch((error: { code?: string }) => {
          assert.ok(error.code === "bad-option" || error.code === "io", String(error));
          return { pages: [] };
        });
        for (const [at, { path }] of pages.entries()) {
          assert.ok(isCanonicalPath(path));
          assert.ok(at === 0 || (pages[at - 1]?.path ?? "") < path);
        }
      },
    ),
    { numRuns: 500 },
  );
});
