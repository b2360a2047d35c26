import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import type { FetchOutcome, FetchRequest } from "../../src/core/fetch-outcome.ts";
import { closed, createLocalFetcher, drip, listenRaw, pour } from "./raw-server.ts";

const announced = "HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n";
const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

async function getFrom(answer: (socket: Socket) => void, request: Partial<FetchRequest> = {}): Promise<FetchOutcome> {
  await using server = await listenRaw(answer);
  await using fetcher = createLocalFetcher();
  const usual = { origin: server.origin, path: "/", maxBytes: 1e15, timeoutMs: 200 };
  const outcome = await fetcher.get({ ...usual, sink: { write: () => undefined }, ...request });
  await closed(server.sockets[0]);
  return outcome;
}

function wordOf(outcome: FetchOutcome): string {
  return outcome.kind === "failed" ? outcome.reason : outcome.kind;
}

// None of them ends by itself.
const slow: readonly (readonly [string, (socket: Socket) => void])[] = [
  ["says nothing", () => undefined],
  [
    "drips its head",
    (socket) => {
      socket.write("HTTP/1.1 200 O");
      drip(socket, "K");
    },
  ],
  [
    "drips fields",
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nX: ");
      drip(socket);
    },
  ],
  ["stalls after its head", (socket) => void socket.write(announced)],
  [
    "drips a body of 10^12 bytes",
    (socket) => {
      socket.write(announced);
      drip(socket);
    },
  ],
  [
    "drips chunks",
    (socket) => {
      socket.write(chunked);
      drip(socket, "1\r\nx\r\n");
    },
  ],
  [
    "sends a mebibyte at once, and then drips",
    (socket) => {
      socket.write(announced + "x".repeat(1024 * 1024));
      drip(socket);
    },
  ],
];

for (const [what, answer] of slow)
  test(`a server that ${what} has its time and no more, whatever it announced`, async () => {
    assert.equal(wordOf(await getFrom(answer)), "timeout");
  });

test("a body has time for what came of it, and longer than a small answer", async () => {
  let asked = 0;
  const outcome = await getFrom(
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
      const timer = setInterval(() => {
        if (++asked < 60) socket.write("x".repeat(1000));
        else socket.end();
      }, 10);
      socket.on("close", () => clearInterval(timer));
    },
    { timeoutMs: 300, leastBytesPerSecond: 1000 },
  );
  assert.equal(wordOf(outcome), "fetched");
});

test("an endless body ends at the bound on its size", async () => {
  for (const [head, piece] of [
    [chunked, `1000\r\n${"x".repeat(4096)}\r\n`],
    ["HTTP/1.1 200 OK\r\n\r\n", "x".repeat(4096)],
  ] as const) {
    const answer = (socket: Socket): void => {
      socket.write(head);
      pour(socket, piece);
    };
    assert.equal(wordOf(await getFrom(answer, { maxBytes: 1e6, timeoutMs: 30_000 })), "too-large");
  }
});

test("who asked may end a request with each piece, and while nothing comes", async () => {
  let bytes = 0;
  const stop = { reason: "aborted", message: "enough" } as const;
  const pouring = (socket: Socket): void => {
    socket.write(announced);
    pour(socket, "x".repeat(4096));
  };
  const onProgress: FetchRequest["onProgress"] = (more) => {
    bytes += more;
    return bytes > 100_000 ? stop : undefined;
  };
  assert.equal(wordOf(await getFrom(pouring, { timeoutMs: 30_000, onProgress })), "aborted");
  const stalled = await getFrom(() => undefined, { timeoutMs: 30_000, onProgress: () => stop });
  assert.equal(wordOf(stalled), "aborted");
});
