import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { constants, type ServerHttp2Stream } from "node:http2";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { createFetcher, type FetcherOptions } from "../../src/fetch/index.ts";
import type { ExchangeSink, FetchOutcome, FetchRequest, HttpExchange } from "../../src/model/index.ts";
import { createTrustingFetcher, type Http2Server, listenHttp2 } from "./http2-server.ts";

const bounds = { maxBytes: 100_000, timeoutMs: 30_000 };

async function getFrom(
  server: Http2Server,
  request: Partial<FetchRequest> = {},
  options: FetcherOptions = {},
): Promise<FetchOutcome> {
  await using fetcher = createTrustingFetcher(options);
  return await fetcher.get({ origin: server.origin, path: "/", ...bounds, ...request });
}

function wordOf(outcome: FetchOutcome): string {
  return outcome.kind === "failed" ? outcome.reason : outcome.kind;
}

function textOf(outcome: FetchOutcome): string | undefined {
  return outcome.kind === "fetched" ? Buffer.from(outcome.body).toString("latin1") : undefined;
}

// Three of the four reasons for which undici's own HTTP/2 is not used (decision 0045); for the first, a stream that is
// reset, a server needs frames of its own: http2-frames.test.ts. The server here is Node's, with the fields as nghttp2
// packs them.

test("fields are bytes: a validator with any of them comes back as it was", async () => {
  const every = Array.from({ length: 128 }, (_, at) => String.fromCharCode(128 + at)).join("");
  const etag = `"${every}"`;
  await using server = await listenHttp2((stream, fields) => {
    if (fields["if-none-match"] === undefined) stream.respond({ ":status": 200, etag, "last-modified": every });
    else stream.respond({ ":status": 304 });
    stream.end();
  });
  const first = await getFrom(server);
  assert.ok(first.kind === "fetched");
  assert.deepEqual(first.validators, { etag, lastModified: every });
  const second = await getFrom(server, { validators: first.validators });
  assert.equal(second.kind, "not-modified");
  assert.equal(server.requests[1]?.["if-none-match"], etag);
  assert.equal(server.requests[1]?.["if-modified-since"], every);
});

test("every byte that a field may have comes as it was, also where it is coded", async () => {
  const fields: Record<string, string> = {};
  // Enough of a short code that nghttp2 codes the whole.
  for (let byte = 0x21; byte < 256; byte++)
    if (byte !== 0x7f) fields[`x-${byte}`] = `${"a".repeat(40)}${String.fromCharCode(byte)}`;
  await using server = await listenHttp2((stream) => {
    stream.respond({ ":status": 200, ...fields });
    stream.end();
  });
  let got: ReadonlyMap<string, string> = new Map();
  const onAnswer: FetchRequest["onAnswer"] = (answer) => {
    got = answer.fields;
  };
  await getFrom(server, { onAnswer });
  assert.deepEqual(Object.fromEntries([...got].filter(([name]) => name.startsWith("x-"))), fields);
});

test("a graceful GOAWAY lets the answer that is under way finish, and the next request makes a connection", async () => {
  await using server = await listenHttp2((stream) => {
    stream.respond({ ":status": 200 });
    stream.write("one ");
    stream.session?.goaway(constants.NGHTTP2_NO_ERROR, stream.id ?? 0);
    setImmediate(() => stream.end("two"));
  });
  await using fetcher = createTrustingFetcher();
  for (let turn = 0; turn < 3; turn++) {
    const outcome = await fetcher.get({ origin: server.origin, path: "/", ...bounds });
    assert.equal(textOf(outcome), "one two", JSON.stringify(outcome));
    assert.equal(outcome.requests, 1);
  }
  assert.equal(server.sessions.length, 3);
});

for (const [what, fields, expected] of [
  ["one field of 60,000 bytes", { "x-large": "x".repeat(60_000) }, "protocol"],
  ["sixty fields of 1000 bytes", manyFields(60, 1000), "protocol"],
  ["nine hundred short fields", manyFields(900, 1), "protocol"],
  ["three thousand short fields", manyFields(3000, 1), "protocol"],
  ["one field of 30,000 bytes", { "x-large": "x".repeat(30_000) }, "fetched"],
  ["five hundred short fields", manyFields(500, 1), "fetched"],
] as const) {
  test(`an answer with ${what} is ${expected}, on a connection's first stream and on a later one`, async () => {
    await using server = await listenHttp2((stream, { ":path": path }) => {
      stream.respond(path === "/" ? { ":status": 200, ...fields } : { ":status": 200 });
      stream.end("x");
    });
    await using fetcher = createTrustingFetcher();
    const request = { origin: server.origin, ...bounds };
    assert.equal(wordOf(await fetcher.get({ ...request, path: "/" })), expected);
    assert.equal(wordOf(await fetcher.get({ ...request, path: "/small" })), "fetched");
    assert.equal(wordOf(await fetcher.get({ ...request, path: "/" })), expected);
  });
}

function manyFields(count: number, bytes: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, "x".repeat(bytes)]));
}

test("a request says what one of HTTP/1.1 does, and nothing of its connection", async () => {
  await using server = await listenHttp2((stream) => {
    stream.respond({ ":status": 200 });
    stream.end();
  });
  const headers = {
    "x-y": "1",
    Host: "other.example",
    connection: "close",
    te: "gzip",
    "transfer-encoding": "x",
    upgrade: "x",
  };
  await getFrom(server, { path: "/a%20b?c=%20", headers }, { userAgent: "me/1", from: "a@b" });
  const { host } = new URL(server.origin);
  assert.deepEqual(Object.fromEntries(Object.entries(server.requests[0] ?? {})), {
    ":method": "GET",
    ":scheme": "https",
    ":authority": host,
    ":path": "/a%20b?c=%20",
    "user-agent": "me/1",
    from: "a@b",
    "accept-encoding": "identity",
    "x-y": "1",
  });
});

test("an outcome has what the server says, and no pseudo-field leaves the room", async () => {
  await using server = await listenHttp2((stream) => {
    stream.additionalHeaders({ ":status": 103, link: "</x>" });
    stream.respond({
      ":status": 200,
      etag: '"a"',
      "content-type": "Text/HTML",
      "cache-control": "no-cache, max-age=3",
      "set-cookie": ["a=1", "b=2"],
    });
    stream.end("hello");
  });
  const answers: unknown[] = [];
  const outcome = await getFrom(server, {
    onAnswer: (answer) => answers.push(answer.status, [...answer.fields.keys()]),
  });
  assert.deepEqual(outcome.kind === "fetched" && { ...outcome, body: textOf(outcome) }, {
    kind: "fetched",
    status: 200,
    receivedBytes: 5,
    requests: 1,
    validators: { etag: '"a"' },
    contentType: "Text/HTML",
    contentEncoding: undefined,
    cacheControl: "no-cache, max-age=3",
    body: "hello",
    finalPath: "/",
  });
  assert.deepEqual(answers, [200, ["etag", "content-type", "cache-control", "set-cookie", "date"]]);
});

for (const [status, expected] of [
  [204, "protocol"],
  [206, "protocol"],
  [304, "protocol"],
  [403, "refused"],
  [404, "gone"],
  [421, "refused"],
  [429, "unavailable"],
  [503, "unavailable"],
] as const) {
  test(`${status} over HTTP/2 is ${expected}`, async () => {
    await using server = await listenHttp2((stream) => {
      stream.respond({ ":status": status, "retry-after": "9" });
      stream.end();
    });
    const outcome = await getFrom(server, {}, { clock: () => 1000 });
    assert.equal(wordOf(outcome), expected);
    if (outcome.kind === "unavailable") assert.equal(outcome.retryAt, 10_000);
  });
}

test("redirects go over one connection", async () => {
  await using server = await listenHttp2((stream, { ":path": path }) => {
    if (path === "/a") stream.respond({ ":status": 302, location: "/b" });
    else stream.respond({ ":status": 200 });
    stream.end(path);
  });
  const outcome = await getFrom(server, { path: "/a", maxRedirects: 1 });
  assert.deepEqual([textOf(outcome), outcome.requests, outcome.receivedBytes], ["/b", 2, 4]);
  assert.equal(server.sessions.length, 1);
});

for (const length of [undefined, 9_000_000]) {
  test(`a body that is too large ends the connection, ${length === undefined ? "without" : "with"} a length`, async () => {
    const ends: Promise<unknown>[] = [];
    await using server = await listenHttp2((stream, { ":path": path }) => {
      if (path !== "/large") {
        stream.respond({ ":status": 200 });
        stream.end("x");
        return;
      }
      ends.push(once(stream, "close"));
      stream.respond({ ":status": 200, ...(length === undefined ? {} : { "content-length": length }) });
      pourInto(stream);
    });
    await using fetcher = createTrustingFetcher();
    const pieces: number[] = [];
    const request = {
      origin: server.origin,
      ...bounds,
      sink: { write: (chunk: Uint8Array) => pieces.push(chunk.length) },
    };
    const outcome = await fetcher.get({ ...request, path: "/large" });
    assert.equal(wordOf(outcome), "too-large");
    assert.ok(pieces.reduce((sum, piece) => sum + piece, 0) <= bounds.maxBytes);
    await Promise.all(ends);
    assert.equal(wordOf(await fetcher.get({ ...request, path: "/" })), "fetched");
    assert.equal(server.sessions.length, 2);
  });
}

test("the first bytes of an endless body are taken where that is asked", async () => {
  await using server = await listenHttp2((stream) => {
    stream.respond({ ":status": 200 });
    pourInto(stream);
  });
  const outcome = await getFrom(server, { truncateAtBytes: 995 });
  assert.equal(textOf(outcome), "x".repeat(995));
});

test("an endless error page does not change the outcome, and costs a connection", async () => {
  await using server = await listenHttp2((stream) => {
    stream.respond({ ":status": 404 });
    pourInto(stream);
  });
  const outcome = await getFrom(server);
  assert.equal(outcome.kind, "gone");
  assert.ok(outcome.receivedBytes < 3_000_000);
});

test("a large body comes whole, as it was sent and unpacked while it comes", async () => {
  const page = randomBytes(3_000_000);
  const packed = gzipSync(page);
  await using server = await listenHttp2((stream, fields) => {
    const isPacked = fields["accept-encoding"] !== "identity";
    stream.respond({ ":status": 200, ...(isPacked ? { "content-encoding": "gzip" } : {}) });
    stream.end(isPacked ? packed : page);
  });
  for (const acceptCoding of [false, true]) {
    const outcome = await getFrom(server, { acceptCoding, maxBytes: 4_000_000 });
    assert.ok(outcome.kind === "fetched" && page.equals(outcome.body));
  }
});

test("an abort ends what is under way and its connection; what waits is not sent", async () => {
  const stop = new AbortController();
  const ends: Promise<unknown>[] = [];
  await using server = await listenHttp2((stream) => {
    ends.push(once(stream, "close"));
    stop.abort();
  });
  await using fetcher = createTrustingFetcher();
  const request = { origin: server.origin, path: "/", ...bounds, signal: stop.signal };
  const outcomes = await Promise.all([fetcher.get(request), fetcher.get(request)]);
  assert.deepEqual(outcomes.map(wordOf), ["aborted", "aborted"]);
  assert.deepEqual(
    outcomes.map(({ requests }) => requests),
    [1, 0],
  );
  await Promise.all(ends);
  assert.equal(server.requests.length, 1);
});

test("closing the fetcher ends what is under way", async () => {
  const ends: Promise<unknown>[] = [];
  await using server = await listenHttp2((stream) => {
    ends.push(once(stream, "close"));
    void fetcher[Symbol.asyncDispose]();
  });
  const fetcher = createTrustingFetcher();
  assert.equal(wordOf(await fetcher.get({ origin: server.origin, path: "/", ...bounds })), "aborted");
  await Promise.all(ends);
});

for (const connections of [1, 3]) {
  test(`${connections} connections carry a stream at a time each`, async () => {
    const asking: ServerHttp2Stream[] = [];
    await using server = await listenHttp2((stream) => {
      asking.push(stream);
      if (asking.length < connections) return;
      for (const each of asking.splice(0)) {
        each.respond({ ":status": 200 });
        each.end();
      }
    });
    await using fetcher = createTrustingFetcher({ connections });
    const paths = Array.from({ length: 30 }, (_, at) => `/${at}`);
    await Promise.all(paths.map((path) => fetcher.get({ origin: server.origin, path, ...bounds })));
    assert.equal(server.sessions.length, connections);
    if (connections === 1)
      assert.deepEqual(
        server.requests.map(({ ":path": path }) => path),
        paths,
      );
  });
}

test("what HTTP cannot carry is a mistake of the caller", async () => {
  await using server = await listenHttp2((stream) => stream.close());
  for (const request of [
    { path: "/a b" },
    { path: "a" },
    { path: "" },
    { headers: { "x-y": "a\r\nhost: b" } },
    { headers: { "x y": "a" } },
  ])
    await assert.rejects(getFrom(server, request), TypeError, JSON.stringify(request));
  assert.equal(server.requests.length, 0);
});

test("an exchange is recorded as HTTP/1.1 has it, with what was spoken beside it", async () => {
  await using server = await listenHttp2((stream) => {
    stream.respond({ ":status": 404, "x-odd": "caf\xe9", "set-cookie": ["a=1", "b=2"] }, { endStream: false });
    stream.end("body");
  });
  const seen: [HttpExchange, string, boolean | undefined][] = [];
  const onExchange = (exchange: HttpExchange): ExchangeSink => {
    const one: [HttpExchange, string, boolean | undefined] = [exchange, "", undefined];
    seen.push(one);
    return {
      write: (chunk) => {
        one[1] += Buffer.from(chunk).toString();
      },
      end: (isWhole) => {
        one[2] = isWhole;
      },
    };
  };
  await getFrom(server, { path: "/a", onExchange }, { userAgent: "me/1", clock: () => 1234 });
  const [[exchange, body, isWhole] = []] = seen;
  assert.ok(exchange !== undefined);
  const { host } = new URL(server.origin);
  const request = `GET /a HTTP/1.1\r\nhost: ${host}\r\nuser-agent: me/1\r\naccept-encoding: identity\r\n\r\n`;
  assert.equal(Buffer.from(exchange.requestHead).toString("latin1"), request);
  const answer = Buffer.from(exchange.responseHead)
    .toString("latin1")
    .replace(/\r\ndate: .*/, "");
  assert.equal(answer, "HTTP/1.1 404 Not Found\r\nx-odd: caf\xe9\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n\r\n");
  const { protocol, remoteAddress, startedAt, status } = exchange;
  assert.deepEqual([protocol, remoteAddress, startedAt, status], ["h2", "127.0.0.1", 1234, 404]);
  assert.deepEqual([seen.length, body, isWhole], [1, "body", true]);
});

test("addresses and certificates are judged as for HTTP/1.1", async () => {
  await using server = await listenHttp2((stream) => stream.close());
  const { port } = new URL(server.origin);
  const request = { path: "/", ...bounds };
  await using careful = createTrustingFetcher({ allowPrivate: false });
  assert.equal(wordOf(await careful.get({ ...request, origin: server.origin })), "private-address");
  const resolve: FetcherOptions["resolve"] = (_, __, callback) =>
    process.nextTick(callback, null, [{ address: "127.0.0.1", family: 4 }]);
  await using led = createTrustingFetcher({ allowPrivate: false, resolve });
  assert.equal(wordOf(await led.get({ ...request, origin: `https://localhost:${port}` })), "private-address");
  await using trusting = createTrustingFetcher({ resolve });
  assert.equal(wordOf(await trusting.get({ ...request, origin: `https://other.example:${port}` })), "tls");
  await using strict = createFetcher({ allowPrivate: true });
  assert.equal(wordOf(await strict.get({ ...request, origin: server.origin })), "tls");
  assert.equal(server.requests.length, 0);
});

test("a connection that is idle for seconds is ended, and another is made", async () => {
  await using server = await listenHttp2((stream) => {
    stream.respond({ ":status": 200 });
    stream.end();
  });
  await using fetcher = createTrustingFetcher();
  const request = { origin: server.origin, path: "/", ...bounds };
  await fetcher.get(request);
  const [session] = server.sessions;
  assert.ok(session !== undefined && !session.destroyed);
  await once(session, "close");
  assert.equal(wordOf(await fetcher.get(request)), "fetched");
  assert.equal(server.sessions.length, 2);
});

test("the next connection resumes the session of TLS", async () => {
  await using server = await listenHttp2((stream) => {
    stream.respond({ ":status": 200 });
    stream.end();
    stream.session?.close();
  });
  await using fetcher = createTrustingFetcher();
  for (let turn = 0; turn < 2; turn++)
    assert.equal(wordOf(await fetcher.get({ origin: server.origin, path: "/", ...bounds })), "fetched");
  assert.deepEqual(server.areResumed, [false, true]);
});

function pourInto(stream: ServerHttp2Stream): void {
  stream.write("x".repeat(16_000), (error) => {
    if (error === null || error === undefined) setImmediate(pourInto, stream);
  });
}
