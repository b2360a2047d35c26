import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import type { FetchOutcome, FetchRequest } from "../../src/core/fetch-outcome.ts";
import { closed, createLocalFetcher, drip, listenRaw, pour } from "./raw-server.ts";

const trillion = 1_000_000_000_000;
const chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const hugeHead = `HTTP/1.1 200 OK\r\nContent-Length: ${trillion}\r\n\r\n`;
const chunk = `4000\r\n${"x".repeat(16_384)}\r\n`;

/** Asks a server once, and sees that its connection is given up with the answer. */
async function ask(answer: (socket: Socket) => void, request: Partial<FetchRequest>): Promise<FetchOutcome> {
  await using server = await listenRaw((socket) => answer(socket));
  await using fetcher = createLocalFetcher();
  const bounds = { maxBytes: 2 * trillion, timeoutMs: 300, leastBytesPerSecond: 65_536 };
  const outcome = await fetcher.get({ origin: server.origin, path: "/", ...bounds, ...request });
  if (outcome.kind !== "fetched") await closed(server.sockets[0]);
  return outcome;
}

const endless: readonly (readonly [string, string, (socket: Socket) => void, Partial<FetchRequest>])[] = [
  ["announces 10^12 bytes and stalls after the head", "timeout", (socket) => void socket.write(hugeHead), {}],
  [
    "announces 10^12 bytes and stalls after the first",
    "timeout",
    (socket) => void socket.write(`${hugeHead}${"x".repeat(100_000)}`),
    {},
  ],
  [
    "announces 10^12 bytes and drips below the least rate",
    "timeout",
    (socket) => {
      socket.write(hugeHead);
      drip(socket);
    },
    {},
  ],
  [
    "drips chunks of a byte",
    "timeout",
    (socket) => {
      socket.write(chunkedHead);
      drip(socket, "1\r\nx\r\n");
    },
    {},
  ],
  [
    "sends chunks without end",
    "too-large",
    (socket) => {
      socket.write(chunkedHead);
      pour(socket, chunk);
    },
    { maxBytes: 1_000_000 },
  ],
  [
    "announces 10^12 bytes where fewer are allowed",
    "too-large",
    (socket) => {
      socket.write(hugeHead);
      pour(socket, chunk);
    },
    { maxBytes: 1_000_000 },
  ],
];

for (const [what, reason, answer, request] of endless) {
  test(`a server that ${what} is given up as ${reason}`, async () => {
    const outcome = await ask(answer, request);
    assert.equal(outcome.kind === "failed" ? outcome.reason : outcome.kind, reason);
    assert.ok(outcome.kind === "failed" && outcome.receivedBytes < 20_000_000);
  });
}

test("a body that comes at the least rate may take longer than the timeout", async () => {
  const outcome = await ask(
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 120\r\n\r\n");
      drip(socket);
    },
    { leastBytesPerSecond: 20 },
  );
  assert.ok(outcome.kind === "fetched" && outcome.body.length === 120);
});

test("who made a request may end it while it comes, and while nothing comes", async () => {
  for (const after of [1, 0]) {
    const outcome = await ask(
      (socket) => {
        socket.write(chunkedHead);
        if (after > 0) pour(socket, chunk);
      },
      {
        timeoutMs: 30_000,
        onProgress: (bytes) => (bytes >= after ? { reason: "aborted", message: "it is enough" } : undefined),
      },
    );
    assert.ok(outcome.kind === "failed" && outcome.message === "it is enough");
  }
});
