import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../property.ts";
import { createLocalFetcher, listenRaw } from "./raw-server.ts";

test("a body is the same whatever pieces it comes in", async () => {
  let pieces: readonly Uint8Array[] = [];
  await using server = await listenRaw((socket) => {
    const answer = pieces.map(
      (piece) => `${piece.length.toString(16)}\r\n${Buffer.from(piece).toString("latin1")}\r\n`,
    );
    socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${answer.join("")}0\r\n\r\n`, "latin1");
  });
  await using fetcher = createLocalFetcher();
  const request = { origin: server.origin, path: "/", maxBytes: 1e6, timeoutMs: 30_000 };
  const piece = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 9 }),
    fc.nat(255).map((byte) => new Uint8Array(70_000).fill(byte)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (sent) => {
      pieces = sent;
      const outcome = await fetcher.get(request);
      assert.ok(outcome.kind === "fetched");
      assert.ok(Buffer.concat(sent).equals(outcome.body));
    }),
    { numRuns: 50 },
  );
});

test("single bytes cost no more memory than the body", async () => {
  const bytes = 400_000;
  await using server = await listenRaw((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(bytes)}0\r\n\r\n`);
  });
  await using fetcher = createLocalFetcher();
  const request = { origin: server.origin, path: "/", maxBytes: bytes, timeoutMs: 30_000 };
  const outcome = await fetcher.get(request);
  assert.ok(outcome.kind === "fetched");
  assert.equal(Buffer.from(outcome.body).toString(), "x".repeat(bytes));
  assert.ok(outcome.body.buffer.byteLength <= 4 * bytes);
});
