import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HttpExchange } from "../../src/core/fetch-outcome.ts";
import { createFetcher } from "../../src/http/fetcher.ts";
import { listenRaw, plainAnswer } from "./raw-server.ts";

interface Seen {
  readonly exchange: HttpExchange;
  body: string;
  isWhole: boolean | undefined;
}

function watch(): {
  seen: Seen[];
  onExchange: (exchange: HttpExchange) => { write: (chunk: Uint8Array) => void; end: (isWhole: boolean) => void };
} {
  const seen: Seen[] = [];
  return {
    seen,
    onExchange: (exchange) => {
      const one: Seen = { exchange, body: "", isWhole: undefined };
      seen.push(one);
      return {
        write: (chunk) => {
          one.body += Buffer.from(chunk).toString("latin1");
        },
        end: (isWhole) => {
          assert.equal(one.isWhole, undefined, "it ends once");
          one.isWhole = isWhole;
        },
      };
    },
  };
}

const bounds = { maxBytes: 1000, timeoutMs: 10_000 };
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

describe("onExchange", () => {
  it("gives the bytes that were sent and received, and the address", async () => {
    const answer = 'HTTP/1.1 200 Fine, thanks\r\nServer: x\r\nX-Odd: caf\xe9\r\nETag: "1"\r\nContent-Length: 4\r\n\r\n';
    await using server = await listenRaw((socket) => socket.write(`${answer}body`, "latin1"));
    await using fetcher = createFetcher({ clock: () => 1234, allowPrivate: true });
    const { seen, onExchange } = watch();
    const headers = { "x-mine": "1" };
    await fetcher.get({
      origin: server.origin,
      path: "/a?b=%20",
      headers,
      validators: { etag: '"0"' },
      ...bounds,
      onExchange,
    });
    assert.equal(seen.length, 1);
    const [one] = seen;
    assert.ok(one !== undefined);
    assert.equal(latin1(one.exchange.requestHead), `${server.heads[0]}\r\n\r\n`);
    assert.equal(latin1(one.exchange.responseHead), answer);
    assert.equal(one.exchange.url, `${server.origin}/a?b=%20`);
    assert.deepEqual(
      [one.exchange.status, one.exchange.remoteAddress, one.exchange.startedAt],
      [200, "127.0.0.1", 1234],
    );
    assert.deepEqual([one.body, one.isWhole], ["body", true]);
  });

  it("shows redirects and the bodies of errors, which no outcome carries", async () => {
    await using server = await listenRaw((socket, head) =>
      socket.write(
        head.startsWith("GET /a ") ? plainAnswer(302, ["Location: /b"], "to b") : plainAnswer(404, [], "no b"),
      ),
    );
    await using fetcher = createFetcher({ allowPrivate: true });
    const { seen, onExchange } = watch();
    const outcome = await fetcher.get({ origin: server.origin, path: "/a", maxRedirects: 2, ...bounds, onExchange });
    assert.equal(outcome.kind, "gone");
    assert.deepEqual(
      seen.map(({ exchange, body, isWhole }) => [
        exchange.url.slice(server.origin.length),
        exchange.status,
        body,
        isWhole,
      ]),
      [
        ["/a", 302, "to b", true],
        ["/b", 404, "no b", true],
      ],
    );
  });

  it("says that a body is not whole: cut off, too large, or too late", async () => {
    await using server = await listenRaw((socket, head) => {
      if (head.startsWith("GET /cut ")) socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
      if (head.startsWith("GET /large "))
        socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n${"x".repeat(2000)}\r\n`);
      if (head.startsWith("GET /late ")) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
      if (head.startsWith("GET /gone "))
        socket.write(`HTTP/1.1 404 No\r\nContent-Length: 99999999\r\n\r\n${"x".repeat(70_000)}`);
    });
    await using fetcher = createFetcher({ allowPrivate: true });
    for (const [path, timeoutMs] of [
      ["/cut", 10_000],
      ["/large", 10_000],
      ["/late", 300],
      ["/gone", 10_000],
    ] as const) {
      const { seen, onExchange } = watch();
      const outcome = await fetcher.get({ origin: server.origin, path, maxBytes: 1000, timeoutMs, onExchange });
      assert.equal(outcome.kind, path === "/gone" ? "gone" : "failed", path);
      assert.deepEqual(
        seen.map(({ isWhole }) => isWhole),
        [false],
        path,
      );
    }
  });
});
