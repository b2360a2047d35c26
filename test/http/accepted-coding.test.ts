import assert from "node:assert/strict";
import { test } from "node:test";
import * as zlib from "node:zlib";
import type { FetchOutcome, FetchRequest } from "../../src/core/fetch-outcome.ts";
import { fc } from "../property.ts";
import { closed, createLocalFetcher, listenRaw, pour, type RawServer } from "./raw-server.ts";

const { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } = zlib;
const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: (content: Uint8Array) => Buffer };
const hasZstd = zstdCompressSync !== undefined;
const mebibyte = 1024 * 1024;

function coded(coding: string, body: Uint8Array, fields = ""): Buffer {
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n${fields}Content-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

async function getFrom(server: RawServer, request: Partial<FetchRequest> = {}): Promise<FetchOutcome> {
  await using fetcher = createLocalFetcher();
  const usual = { origin: server.origin, path: "/", maxBytes: 1000, timeoutMs: 30_000, acceptCoding: true };
  return await fetcher.get({ ...usual, ...request });
}

async function getAnswer(answer: Uint8Array, request: Partial<FetchRequest> = {}, end = false): Promise<FetchOutcome> {
  await using server = await listenRaw((socket) => {
    socket.write(answer);
    if (end) socket.end();
  });
  return await getFrom(server, request);
}

function wordOf(outcome: FetchOutcome): string {
  if (outcome.kind === "fetched") return Buffer.from(outcome.body).toString();
  return outcome.kind === "failed" ? outcome.reason : outcome.kind;
}

test("codings are asked for where the request accepts them, and a field of the caller's goes before", async () => {
  await using server = await listenRaw((socket) => socket.write(coded("identity", Buffer.from("x"))));
  await getFrom(server);
  await getFrom(server, { acceptCoding: false });
  await getFrom(server, { headers: { "accept-encoding": "br;q=1" } });
  const expected = [
    `accept-encoding: gzip, br${hasZstd ? ", zstd" : ""}`,
    "accept-encoding: identity",
    "accept-encoding: br;q=1",
  ];
  assert.deepEqual(
    server.heads.map((head) => /accept-encoding: .*/.exec(head)?.[0]),
    expected,
  );
});

const text = "hello, hello, hello";
const plain = Buffer.from(text);
const zipped = gzipSync(plain);

const bodies: readonly (readonly [string, Uint8Array, string, string?])[] = [
  ["gzip", zipped, text],
  ["X-GZIP", zipped, text],
  ["br", brotliCompressSync(plain), text],
  ["deflate", deflateSync(plain), text],
  ["deflate", deflateRawSync(plain), text],
  ["gzip, br", brotliCompressSync(zipped), text],
  ["gzip,identity ,, gzip", gzipSync(zipped), text],
  ["identity", plain, text],
  ["gzip", Buffer.concat([zipped, gzipSync("!")]), `${text}!`],
  ["gzip", gzipSync(""), ""],
  ["gzip", Buffer.alloc(0), ""],
  // Some servers name a coding that they did not apply.
  ["gzip", plain, text, "named only"],
  ["gzip", zipped.subarray(0, -9), "bad-coding"],
  ["gzip", Buffer.concat([zipped.subarray(0, -8), Buffer.alloc(8, 1)]), "bad-coding"],
  ["br", zipped, "bad-coding"],
  ["br", brotliCompressSync(plain).subarray(0, -1), "bad-coding"],
  ["deflate", plain, "bad-coding"],
  ["gzip, br", brotliCompressSync(plain), text, "named only"],
  ["compress", plain, "bad-coding"],
  ["__proto__", plain, "bad-coding"],
  ["gzip, gzip, gzip, gzip", zipped, "bad-coding"],
  ["zstd", zstdCompressSync?.(plain) ?? plain, hasZstd ? text : "bad-coding"],
  ...(zstdCompressSync === undefined ? [] : zstdBodies(zstdCompressSync)),
  ["gzip", gzipSync(Buffer.alloc(1000, "x")), "x".repeat(1000)],
  ["gzip", gzipSync(Buffer.alloc(1001)), "too-large"],
  ["br", brotliCompressSync(Buffer.alloc(10 * mebibyte)), "too-large"],
];

/** RFC 8878 section 3: frames follow each other, and some hold no content. */
function zstdBodies(compress: (content: Uint8Array) => Buffer): [string, Uint8Array, string][] {
  const frame = compress(plain);
  const skipped = Buffer.from("502a4d180400000061626364", "hex");
  return [
    ["zstd", Buffer.concat([frame, compress(Buffer.from("!"))]), `${text}!`],
    ["zstd", Buffer.concat([skipped, frame, skipped]), text],
    ["zstd, gzip", gzipSync(Buffer.concat([frame, skipped, frame])), text + text],
    ["zstd", frame.subarray(0, -1), "bad-coding"],
    ["zstd", frame.subarray(0, 5), "bad-coding"],
    ["zstd", Buffer.concat([frame, frame.subarray(0, -1)]), "bad-coding"],
    ["zstd", Buffer.concat([frame, plain]), "bad-coding"],
    ["gzip, zstd", compress(zipped).subarray(0, -1), "bad-coding"],
  ];
}

for (const [coding, body, expected, isNamedOnly] of bodies) {
  test(`a body of ${body.length} bytes coded as ${coding} gives ${expected.slice(0, 30)}`, async () => {
    const outcome = await getAnswer(coded(coding, body));
    assert.equal(wordOf(outcome), expected);
    if (outcome.kind !== "fetched") return;
    assert.equal(outcome.receivedBytes, body.length);
    const isLeft = coding === "identity" || isNamedOnly !== undefined;
    assert.equal(outcome.contentEncoding, isLeft ? coding : undefined);
  });
}

test("without being asked to, no coding is undone", async () => {
  const outcome = await getAnswer(coded("gzip", zipped), { acceptCoding: false });
  assert.ok(outcome.kind === "fetched" && zipped.equals(outcome.body) && outcome.contentEncoding === "gzip");
});

test("bytes after the end of a coding are not the body", async () => {
  const outcome = await getAnswer(coded("gzip", Buffer.concat([zipped, Buffer.from("forged")])));
  // What zlib takes for padding depends on Node's version.
  assert.ok([text, "bad-coding"].includes(wordOf(outcome)), wordOf(outcome));
});

test("a sink gets the decoded pieces in order, however the coded ones come", async () => {
  const content = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * at) >> 7));
  const body = gzipSync(content);
  await using server = await listenRaw(async (socket) => {
    socket.setNoDelay(true);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`);
    for (let at = 0; at < body.length; at += 997) {
      socket.write(body.subarray(at, at + 997));
      if (at % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const pieces: Buffer[] = [];
  const sink = { write: (piece: Uint8Array) => void pieces.push(Buffer.from(piece)) };
  const outcome = await getFrom(server, { maxBytes: mebibyte, sink });
  assert.ok(outcome.kind === "fetched" && outcome.body.length === 0);
  assert.equal(outcome.receivedBytes, body.length);
  assert.ok(Buffer.concat(pieces).equals(content));
});

for (const [coding, body] of bodies.filter(([, , expected]) => expected === text)) {
  test(`a body coded as ${coding} of ${body.length} bytes may come byte by byte`, async () => {
    const chunks = Array.from(body, (byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join("");
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    assert.equal(wordOf(await getAnswer(Buffer.from(`${head}${chunks}0\r\n\r\n`, "latin1"))), text);
  });
}

test("the first bytes are enough where that is asked", async () => {
  const outcome = await getAnswer(coded("gzip", gzipSync("0123456789")), { truncateAtBytes: 4 });
  assert.equal(wordOf(outcome), "0123");
});

test("the length of the coded body is not that of the decoded one, and the connection is kept", async () => {
  await using server = await listenRaw((socket) => socket.write(coded("gzip", gzipSync("0123456789"))));
  await using fetcher = createLocalFetcher();
  const usual = { origin: server.origin, path: "/", maxBytes: 99, timeoutMs: 30_000, acceptCoding: true };
  for (let turn = 0; turn < 2; turn++)
    assert.equal(wordOf(await fetcher.get({ ...usual, truncateAtBytes: 10 })), "0123456789");
  assert.equal(server.sockets.length, 1);
});

test("half a coded body is truncated, and what a sink throws is the caller's", async () => {
  const half = coded("gzip", gzipSync(Buffer.from(text))).subarray(0, -5);
  assert.equal(wordOf(await getAnswer(half, {}, true)), "truncated");
  const full = new Error("disk full");
  const write = (): void => {
    throw full;
  };
  await assert.rejects(getAnswer(coded("gzip", zipped), { sink: { write } }), full);
});

const bombs: readonly (readonly [string, Uint8Array])[] = [
  ["gzip", gzipSync(Buffer.alloc(64 * mebibyte))],
  ["br", brotliCompressSync(Buffer.alloc(64 * mebibyte), { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 2 } })],
  ["gzip, gzip", gzipSync(gzipSync(Buffer.alloc(64 * mebibyte)))],
  ...(zstdCompressSync === undefined ? [] : [["zstd", zstdCompressSync(Buffer.alloc(64 * mebibyte))] as const]),
];

for (const [coding, bomb] of bombs) {
  test(`a bomb of ${bomb.length} bytes coded as ${coding} is defused, though the body might be as large`, async () => {
    let taken = 0;
    const before = process.resourceUsage().maxRSS;
    const outcome = await getAnswer(coded(coding, bomb), {
      maxBytes: 1024 * mebibyte,
      sink: {
        write: (piece) => {
          taken += piece.length;
        },
      },
    });
    assert.equal(wordOf(outcome), "too-large");
    assert.ok(taken <= 4 * mebibyte + 500 * bomb.length + 65_536, `${taken} bytes were taken`);
    assert.ok(process.resourceUsage().maxRSS - before < 100_000);
  });
}

test("an endless coded body ends at its bound, and so does the connection", async () => {
  const member = gzipSync(Buffer.from("x".repeat(100))).toString("latin1");
  await using server = await listenRaw((socket) => {
    socket.setDefaultEncoding("latin1");
    socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n");
    pour(socket, member);
  });
  assert.equal(wordOf(await getFrom(server, { maxBytes: 100_000 })), "too-large");
  await closed(server.sockets[0]);
});

test("a coded body that does not end costs its time, and an abort ends it", async () => {
  await using server = await listenRaw((socket) => socket.write(coded("gzip", zipped).subarray(0, -3)));
  assert.equal(wordOf(await getFrom(server, { timeoutMs: 150 })), "timeout");
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 50);
  assert.equal(wordOf(await getFrom(server, { signal: stop.signal })), "aborted");
});

test("the body of an error is not decoded", async () => {
  const answer = Buffer.from("HTTP/1.1 404 No\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnone");
  assert.equal(wordOf(await getAnswer(answer)), "gone");
});

test("connections are kept over coded answers", async () => {
  await using server = await listenRaw((socket) => socket.write(coded("gzip", zipped)));
  await using fetcher = createLocalFetcher();
  const request = { origin: server.origin, path: "/", maxBytes: 99, timeoutMs: 30_000, acceptCoding: true };
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => fetcher.get(request)));
  assert.ok(outcomes.every((outcome) => wordOf(outcome) === text));
  assert.equal(server.sockets.length, 1);
});

test("decoding undoes coding, and any bytes give an outcome", async () => {
  let answer: Uint8Array = new Uint8Array(0);
  await using server = await listenRaw((socket) => socket.write(answer));
  await using fetcher = createLocalFetcher();
  const request = { origin: server.origin, path: "/", maxBytes: 300, timeoutMs: 30_000, acceptCoding: true };
  const coding = fc.constantFrom("gzip" as const, "br" as const, "deflate" as const, "gzip, br" as const);
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 250 }), coding, async (bytes, name) => {
      const steps = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync };
      answer = coded(name, name === "gzip, br" ? brotliCompressSync(gzipSync(bytes)) : steps[name](bytes));
      const outcome = await fetcher.get(request);
      assert.ok(outcome.kind === "fetched" && Buffer.from(outcome.body).equals(bytes));
      answer = coded(name, bytes);
      const other = await fetcher.get(request);
      assert.ok(other.kind === "fetched" || (other.kind === "failed" && other.reason === "bad-coding"));
    }),
    { numRuns: 50 },
  );
});
