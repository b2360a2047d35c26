import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, it } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { urlset } from "./mapped-site.ts";
import { Crawler } from "./site-visit.ts";

const page = "the new page, ".repeat(40);
const plain = Buffer.from(page);
const zipped = gzipSync(plain);
const badSum = Buffer.concat([zipped.subarray(0, -8), Buffer.alloc(8, 7)]);

function coded(coding: string, body: Uint8Array): Buffer {
  return answer([`Content-Encoding: ${coding}`, `Content-Length: ${body.length}`], body);
}

function answer(fields: readonly string[], body: Uint8Array | string): Buffer {
  const head = ["HTTP/1.1 200 OK", "Content-Type: text/html", ...fields].join("\r\n");
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), Buffer.from(body as string)]);
}

function chunk(body: Uint8Array, size = body.length.toString(16)): Buffer {
  return Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from("\r\n")]);
}

const end = Buffer.from("0\r\n\r\n");
const chunked = "Transfer-Encoding: chunked";

/** Answers that are not what they say, as bytes; the connection ends after each. */
const broken: readonly (readonly [string, Buffer])[] = [
  // Content codings: RFC 9110 section 8.4.
  ["gzip that is cut off", coded("gzip", zipped.subarray(0, -12))],
  ["gzip without its last bytes", coded("gzip", zipped.subarray(0, -1))],
  ["gzip with a wrong sum", coded("gzip", badSum)],
  ["plain bytes said to be gzip", coded("gzip", plain)],
  ["plain bytes said to be x-gzip", coded("X-GZIP", plain)],
  ["plain bytes said to be Brotli", coded("br", plain)],
  ["gzip said to be Brotli", coded("br", zipped)],
  ["Brotli that is cut off", coded("br", brotliCompressSync(plain).subarray(0, -3))],
  ["plain bytes said to be deflate", coded("deflate", plain)],
  ["deflate that is cut off", coded("deflate", deflateSync(plain).subarray(0, -5))],
  ["plain bytes said to be zstd", coded("zstd", plain)],
  ["a coding that nobody undoes", coded("compress", plain)],
  ["a coding that nobody knows", coded("rot13", plain)],
  ["a coding of a prototype", coded("__proto__", plain)],
  ["two codings of which one was applied", coded("gzip, gzip", zipped)],
  ["two codings of which the inner one was not applied", coded("gzip, br", brotliCompressSync(plain))],
  [
    "two codings in two fields of which one was applied",
    answer(["Content-Encoding: gzip", "Content-Encoding: br", `Content-Length: ${zipped.length}`], zipped),
  ],
  ["four codings", coded("gzip, gzip, gzip, gzip", gzipSync(gzipSync(gzipSync(zipped))))],
  // Transfer codings and lengths: RFC 9112 sections 6 and 7.
  ["a gzip transfer coding", answer(["Transfer-Encoding: gzip, chunked"], Buffer.concat([chunk(zipped), end]))],
  [
    "a gzip transfer coding in a field of its own",
    answer(["Transfer-Encoding: gzip", chunked], Buffer.concat([chunk(zipped), end])),
  ],
  ["chunked twice", answer(["Transfer-Encoding: chunked, chunked"], Buffer.concat([chunk(chunk(plain)), end]))],
  ["chunked in two fields", answer([chunked, chunked], Buffer.concat([chunk(plain), end]))],
  ["a transfer coding that is none", answer(["Transfer-Encoding: identity"], plain)],
  ["an unknown transfer coding", answer(["Transfer-Encoding: rot13"], plain)],
  ["chunked that is not last", answer(["Transfer-Encoding: chunked, gzip"], zipped)],
  ["a length beside chunks", answer([chunked, `Content-Length: ${plain.length}`], Buffer.concat([chunk(plain), end]))],
  ["two lengths", answer([`Content-Length: ${plain.length}`, "Content-Length: 10"], plain)],
  ["a length that is no number", answer(["Content-Length: many"], plain)],
  ["a length with a sign", answer([`Content-Length: +${plain.length}`], plain)],
  ["a length that is too long", answer([`Content-Length: ${plain.length + 1}`], plain)],
  ["a length that is too short", answer(["Content-Length: 100"], plain)],
  ["a chunk that is shorter than it says", answer([chunked], Buffer.concat([chunk(plain, "fff"), end]))],
  ["a chunk that is longer than it says", answer([chunked], Buffer.concat([chunk(plain, "10"), end]))],
  ["a chunk without a size", answer([chunked], Buffer.concat([chunk(plain, "many"), end]))],
  ["a chunk of a negative size", answer([chunked], Buffer.concat([chunk(plain, "-1"), end]))],
  ["a chunk of an enormous size", answer([chunked], Buffer.concat([chunk(plain, "f".repeat(17)), end]))],
  ["chunks without the last", answer([chunked], chunk(plain))],
  ["no chunks at all", answer([chunked], plain)],
];

/** Answers that are right, however they are coded. */
const right: readonly (readonly [string, Buffer])[] = [
  ["gzip", coded("gzip", zipped)],
  ["Brotli", coded("br", brotliCompressSync(plain))],
  ["deflate", coded("deflate", deflateSync(plain))],
  ["gzip twice", coded("gzip, gzip", gzipSync(zipped))],
  ["identity", coded("identity", plain)],
  ["identity beside gzip", coded("identity, gzip", zipped)],
  ["an empty coding", coded("", plain)],
  ["chunks", answer([chunked], Buffer.concat([chunk(plain.subarray(0, 9)), chunk(plain.subarray(9)), end]))],
  ["gzip in chunks", answer([chunked, "Content-Encoding: gzip"], Buffer.concat([chunk(zipped), end]))],
  ["no length", answer(["Connection: close"], plain)],
];

function serve(bytes: Buffer): (request: IncomingMessage, response: ServerResponse) => void {
  return (_, response) => {
    response.socket?.end(bytes);
    response.destroyed ||= true;
  };
}

/** @param recorded - what archives say that the page is by now */
async function visitTwice(source: "links" | "archives", bytes: Buffer, recorded: string): Promise<string | undefined> {
  const sources = [source];
  await using crawler = await Crawler.open();
  crawler.site.set({ "/": '<a href="/a.html">a</a>', "/a.html": "the old page" });
  crawler.site.publishBase();
  await crawler.visit({ sources });
  assert.equal(crawler.mirror()["/a.html"], "the old page");
  crawler.site.set({ "/a.html": recorded });
  crawler.site.publish();
  crawler.site.answers.set("/a.html", serve(bytes));
  await crawler.visitNextDay({ sources });
  return crawler.mirror()["/a.html"];
}

for (const source of ["links", "archives"] as const)
  describe(`a good copy, followed by ${source},`, () => {
    for (const [what, bytes] of broken)
      it(`is not replaced by ${what}`, async () => {
        assert.equal(await visitTwice(source, bytes, "a newer page"), "the old page");
      });
    for (const [what, bytes] of right)
      it(`is replaced by a body in ${what}`, async () => {
        assert.equal(await visitTwice(source, bytes, "a newer page"), page);
      });
  });

it("a body that is the one recorded is taken, whatever coding it names", async () => {
  for (const coding of ["gzip", "br", "utf-8"])
    assert.equal(await visitTwice("archives", coded(coding, plain), page), page);
});

describe("a sitemap with a coding", () => {
  const codings = ["gzip", "X-GZIP"];
  for (const [what, isApplied] of [
    ["that was applied", true],
    ["that was named only", false],
  ] as const)
    it(`${what} is read`, async () => {
      for (const coding of codings) {
        await using crawler = await Crawler.open();
        const { site } = crawler;
        site.set({ "/a.html": "a" });
        const list = Buffer.from(urlset(site.origin, [{ path: "/a.html" }]));
        site.answers.set("/sitemap.xml", (_, response) =>
          response.writeHead(200, { "content-encoding": coding }).end(isApplied ? gzipSync(list) : list),
        );
        const { summary } = await crawler.visit({ sources: ["sitemap"] });
        assert.deepEqual([summary.source, summary.created], ["sitemap", 1], coding);
      }
    });
});
