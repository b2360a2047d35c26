import assert from "node:assert/strict";
import { getEventListeners, once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { test } from "node:test";
import type { FetchOutcome, FetchRequest } from "../../src/core/fetch-outcome.ts";
import type { FetcherOptions } from "../../src/http/fetcher.ts";
import { closed, createLocalFetcher, drip, listenRaw, plainAnswer, pour, type RawServer } from "./raw-server.ts";

const long = 30_000;
const short = 150;

async function getFrom(
  server: RawServer,
  request: Partial<FetchRequest> = {},
  options: FetcherOptions = {},
): Promise<FetchOutcome> {
  await using fetcher = createLocalFetcher(options);
  return await fetcher.get({ origin: server.origin, path: "/", maxBytes: 1000, timeoutMs: long, ...request });
}

async function getAnswer(answer: string, request: Partial<FetchRequest> = {}, end = false): Promise<FetchOutcome> {
  await using server = await listenRaw((socket) => {
    socket.write(answer, "latin1");
    if (end) socket.end();
  });
  return await getFrom(server, request);
}

function reasonOf(outcome: FetchOutcome): string {
  return outcome.kind === "failed" ? outcome.reason : outcome.kind;
}

test("a 200 comes with its body and what the server says of it", async () => {
  const fields = [
    'ETag: W/"a b"',
    "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT",
    "Content-Type: Text/HTML; charset=x",
    "Content-Encoding: GZIP",
    "content-encoding: br",
    "Cache-Control: no-cache",
    "cache-control: max-age=3",
  ];
  const outcome = await getAnswer(plainAnswer(200, fields, "hello"), { path: "/a?b=%20" });
  assert.ok(outcome.kind === "fetched");
  assert.deepEqual(
    { ...outcome, body: Buffer.from(outcome.body).toString() },
    {
      kind: "fetched",
      status: 200,
      receivedBytes: 5,
      requests: 1,
      validators: { etag: 'W/"a b"', lastModified: "Sun, 06 Nov 1994 08:49:37 GMT" },
      contentType: "Text/HTML; charset=x",
      contentEncoding: "gzip, br",
      cacheControl: "no-cache, max-age=3",
      body: "hello",
      finalPath: "/a?b=%20",
    },
  );
});

test("a Last-Modified of the second of the answer is no validator, with Date or without", async () => {
  const lastModified = "Sun, 06 Nov 1994 08:49:37 GMT";
  const now = Date.UTC(1994, 10, 6, 8, 49, 37, 900);
  for (const [date, clockMs, isWeak] of [
    [lastModified, now + 60_000, true],
    ["Sun, 06 Nov 1994 08:49:30 GMT", now + 60_000, true],
    ["Sun, 06 Nov 1994 08:49:38 GMT", now, false],
    [undefined, now, true],
    [undefined, now + 100, false],
  ] as const) {
    const fields = ['ETag: "1"', `Last-Modified: ${lastModified}`, ...(date === undefined ? [] : [`Date: ${date}`])];
    await using server = await listenRaw((socket) => void socket.write(plainAnswer(200, fields, "x")));
    const outcome = await getFrom(server, {}, { clock: () => clockMs });
    assert.ok(outcome.kind === "fetched");
    assert.deepEqual(outcome.validators, isWeak ? { etag: '"1"' } : { etag: '"1"', lastModified });
    assert.equal(outcome.lastModified, isWeak ? lastModified : undefined);
  }
});

test("a body comes whole whether it has a length, is chunked, or ends with the connection", async () => {
  const answers = [
    plainAnswer(200, [], "hello"),
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nT: x\r\n\r\n",
    "HTTP/1.1 200 OK\r\n\r\nhello",
    "HTTP/1.0 200 OK\r\n\r\nhello",
    "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello",
  ];
  for (const answer of answers) {
    const outcome = await getAnswer(answer, {}, true);
    assert.equal(outcome.kind === "fetched" && Buffer.from(outcome.body).toString(), "hello", answer);
  }
});

test("a body of zero bytes is a body", async () => {
  const outcome = await getAnswer(plainAnswer(200));
  assert.equal(outcome.kind === "fetched" && outcome.body.length, 0);
});

test("the request names us, takes no coding and keeps the connection", async () => {
  await using server = await listenRaw((socket) => socket.write(plainAnswer(200)));
  await using fetcher = createLocalFetcher();
  for (const path of ["/a%20b?c", "/2"]) {
    await fetcher.get({ origin: server.origin, path, maxBytes: 9, timeoutMs: long });
  }
  const [first = "", second = ""] = server.heads;
  assert.match(first, /^GET \/a%20b\?c HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/);
  assert.match(first, /\r\nuser-agent: tidemark\/\d+\.\d+\.\d+ \(\+https:\/\/www\.npmjs\.com\/package\/tidemark\)/);
  assert.match(first, /\r\naccept-encoding: identity/);
  assert.match(second, /^GET \/2 /);
  assert.equal(server.sockets.length, 1);
});

test("fields that are given take the place of our own", async () => {
  await using server = await listenRaw((socket) => socket.write(plainAnswer(200)));
  await getFrom(server, { headers: { "accept-encoding": "gzip", "cache-control": "no-cache" } }, { userAgent: "me/1" });
  const [head = ""] = server.heads;
  assert.match(head, /\r\nuser-agent: me\/1\r\n/);
  assert.match(head, /\r\naccept-encoding: gzip\r\ncache-control: no-cache$/);
  assert.doesNotMatch(head, /identity/);
});

test("validators are echoed byte for byte, and 304 is an answer to them", async () => {
  await using server = await listenRaw((socket) =>
    socket.write('HTTP/1.1 304 X\r\nETag: "new"\r\nCache-Control: max-age=9\r\n\r\n'),
  );
  const validators = { etag: 'W/"\xe4, odd\t"', lastModified: "yesterday, \xff" };
  const outcome = await getFrom(server, { validators });
  const [head = ""] = server.heads;
  assert.ok(head.includes('\r\nif-none-match: W/"\xe4, odd\t"\r\nif-modified-since: yesterday, \xff'));
  assert.deepEqual(outcome, {
    kind: "not-modified",
    status: 304,
    receivedBytes: 0,
    requests: 1,
    validators: { etag: '"new"', lastModified: "yesterday, \xff" },
    cacheControl: "max-age=9",
  });
});

test("validators that came can be sent back", async () => {
  await using server = await listenRaw((socket, head) => {
    socket.write(plainAnswer(head.includes('if-none-match: "\xc3\xa4"') ? 412 : 200, ['ETag: "\xc3\xa4"']), "latin1");
  });
  const first = await getFrom(server);
  assert.ok(first.kind === "fetched");
  assert.equal((await getFrom(server, { validators: first.validators })).kind, "refused");
});

const outcomesByStatus: readonly (readonly [number, string])[] = [
  [201, "protocol"],
  [202, "protocol"],
  [203, "protocol"],
  [204, "protocol"],
  [205, "protocol"],
  [206, "protocol"],
  [300, "protocol"],
  [304, "protocol"],
  [305, "protocol"],
  [400, "refused"],
  [401, "refused"],
  [403, "refused"],
  [404, "gone"],
  [408, "refused"],
  [410, "gone"],
  [416, "refused"],
  [429, "unavailable"],
  [451, "refused"],
  [500, "unavailable"],
  [503, "unavailable"],
  [599, "unavailable"],
  [600, "protocol"],
  [999, "protocol"],
];

for (const [status, expected] of outcomesByStatus) {
  test(`${status} without conditions is ${expected}`, async () => {
    const outcome = await getAnswer(plainAnswer(status, [], status === 204 || status === 304 ? "" : "no"));
    assert.equal(reasonOf(outcome), expected);
    assert.equal(outcome.requests, 1);
    if (outcome.kind !== "failed") assert.equal(outcome.status, status);
  });
}

test("206 is an answer to a request with Range", async () => {
  const outcome = await getAnswer(plainAnswer(206, ["Content-Range: bytes 0-1/9"], "he"), {
    headers: { range: "bytes=0-1" },
  });
  assert.equal(outcome.kind === "fetched" && outcome.status, 206);
});

test("Retry-After counts from our clock and is at most a week", async () => {
  const now = Date.UTC(2026, 10, 21);
  const ask = async (value: string): Promise<unknown> => {
    await using server = await listenRaw((socket) => socket.write(plainAnswer(503, [`Retry-After: ${value}`])));
    const outcome = await getFrom(server, {}, { clock: () => now });
    return outcome.kind === "unavailable" && outcome.retryAt;
  };
  assert.equal(await ask("120"), now + 120_000);
  assert.equal(await ask("Sat, 21 Nov 2026 00:01:00 GMT"), now + 60_000);
  assert.equal(await ask("99999999999999999999999"), now + 7 * 86_400_000);
  assert.equal(await ask("Sat, 21 Nov 2099 00:01:00 GMT"), now + 7 * 86_400_000);
  assert.equal(await ask("Sat, 21 Nov 1999 00:01:00 GMT"), now);
  assert.equal(await ask("soon"), undefined);
  assert.equal(await ask("-5"), undefined);
});

test("a body of exactly the bytes allowed is fetched, with or without a length", async () => {
  const body = "x".repeat(1000);
  assert.equal((await getAnswer(plainAnswer(200, [], body))).kind, "fetched");
  assert.equal((await getAnswer(`HTTP/1.1 200 OK\r\n\r\n${body}`, {}, true)).kind, "fetched");
});

test("a longer body is refused by its length, before any of it came", async () => {
  const outcome = await getAnswer("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n");
  assert.equal(reasonOf(outcome), "too-large");
  assert.equal(outcome.receivedBytes, 0);
});

test("a body without a length is cut off, and so is the connection", async () => {
  await using server = await listenRaw((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    pour(socket, "x".repeat(600));
  });
  await using fetcher = createLocalFetcher();
  const pieces: number[] = [];
  const outcome = await fetcher.get({
    origin: server.origin,
    path: "/",
    maxBytes: 1000,
    timeoutMs: long,
    sink: { write: (chunk) => pieces.push(chunk.length) },
  });
  assert.equal(reasonOf(outcome), "too-large");
  assert.ok(pieces.reduce((sum, piece) => sum + piece, 0) <= 1000);
  await closed(server.sockets[0]);
});

for (const length of ["Content-Length: 9000000000\r\n", ""]) {
  test(`the first bytes of an endless body are taken where that is asked: ${length}`, async () => {
    await using server = await listenRaw((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${length}\r\n`);
      pour(socket, "0123456789");
    });
    await using fetcher = createLocalFetcher();
    const outcome = await fetcher.get({
      origin: server.origin,
      path: "/robots.txt",
      maxBytes: 1000,
      truncateAtBytes: 995,
      timeoutMs: long,
    });
    assert.ok(outcome.kind === "fetched");
    assert.equal(Buffer.from(outcome.body).toString(), "0123456789".repeat(100).slice(0, 995));
    assert.ok(outcome.receivedBytes >= 995);
    await closed(server.sockets[0]);
  });
}

test("the first bytes are enough where the length says that more would come", async () => {
  const outcome = await getAnswer("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", { truncateAtBytes: 5 });
  assert.equal(outcome.kind === "fetched" && Buffer.from(outcome.body).toString(), "hello");
});

test("a body that is shorter than that is taken whole, and the connection kept", async () => {
  await using server = await listenRaw((socket) => socket.write(plainAnswer(200, [], "hello")));
  await using fetcher = createLocalFetcher();
  for (const truncateAtBytes of [5, 6]) {
    const request = { origin: server.origin, path: "/", maxBytes: 5, timeoutMs: long, truncateAtBytes };
    const outcome = await fetcher.get(request);
    assert.equal(outcome.kind === "fetched" && outcome.body.length, 5);
  }
  assert.equal(server.sockets.length, 1);
});

test("a sink takes the body in order, and the outcome is without it", async () => {
  const taken: string[] = [];
  const outcome = await getAnswer(
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
    {
      sink: { write: (chunk) => taken.push(Buffer.from(chunk).toString()) },
    },
  );
  assert.equal(taken.join(""), "hello");
  assert.equal(outcome.kind === "fetched" && outcome.body.length, 0);
  assert.equal(outcome.receivedBytes, 5);
});

test("a sink is not given the body of an error, nor of a redirect", async () => {
  const taken: unknown[] = [];
  await using server = await listenRaw((socket, head) => {
    socket.write(
      head.startsWith("GET /no") ? plainAnswer(404, [], "none") : plainAnswer(302, ["Location: /no"], "moved"),
    );
  });
  const outcome = await getFrom(server, { maxRedirects: 1, sink: { write: (chunk) => taken.push(chunk) } });
  assert.deepEqual(outcome, { kind: "gone", status: 404, receivedBytes: 9, requests: 2 });
  assert.deepEqual(taken, []);
});

test("what a sink throws is the caller's, and the fetcher lives on", async () => {
  await using server = await listenRaw((socket) => socket.write(plainAnswer(200, [], "hello")));
  await using fetcher = createLocalFetcher();
  const request = { origin: server.origin, path: "/", maxBytes: 9, timeoutMs: long };
  const full = new Error("disk full");
  const sink = {
    write: () => {
      throw full;
    },
  };
  await assert.rejects(fetcher.get({ ...request, sink }), full);
  assert.equal((await fetcher.get(request)).kind, "fetched");
});

test("a short error page leaves the connection, an endless one does not change the outcome", async () => {
  await using server = await listenRaw((socket, head) => {
    if (head.startsWith("GET /short")) return void socket.write(plainAnswer(404, [], "x".repeat(2000)));
    socket.write("HTTP/1.1 503 Busy\r\n\r\n");
    pour(socket, "x".repeat(5000));
  });
  await using fetcher = createLocalFetcher();
  const request = { origin: server.origin, maxBytes: 10, timeoutMs: long };
  assert.equal((await fetcher.get({ ...request, path: "/short" })).kind, "gone");
  const endless = await fetcher.get({ ...request, path: "/endless" });
  assert.equal(endless.kind, "unavailable");
  assert.ok(endless.receivedBytes < 1_000_000);
  assert.equal(server.sockets.length, 1);
  assert.equal((await fetcher.get({ ...request, path: "/short" })).kind, "gone");
  assert.equal(server.sockets.length, 2);
});

test("an error page that never ends, or is cut, does not change the outcome", async () => {
  await using server = await listenRaw((socket, head) => {
    socket.write("HTTP/1.1 404 None\r\nContent-Length: 1000\r\n\r\n");
    if (head.startsWith("GET /cut")) socket.end();
    else drip(socket);
  });
  assert.equal((await getFrom(server, { path: "/cut" })).kind, "gone");
  assert.equal((await getFrom(server, { timeoutMs: short })).kind, "gone");
});

const silences: readonly (readonly [string, (socket: Socket) => void])[] = [
  ["says nothing", () => undefined],
  [
    "sends its fields byte by byte",
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nX: ");
      drip(socket);
    },
  ],
  [
    "sends its body byte by byte",
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      drip(socket);
    },
  ],
  ["stops within its body", (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhell")],
];

for (const [what, answer] of silences) {
  test(`a server that ${what} ends in a timeout, and its connection too`, async () => {
    await using server = await listenRaw((socket, head) => {
      if (head.startsWith("GET /well")) socket.write(plainAnswer(200));
      else answer(socket);
    });
    await using fetcher = createLocalFetcher();
    const request = { origin: server.origin, maxBytes: 1e6, timeoutMs: short };
    const outcome = await fetcher.get({ ...request, path: "/" });
    assert.equal(reasonOf(outcome), "timeout");
    assert.equal(outcome.requests, 1);
    await closed(server.sockets[0]);
    assert.equal((await fetcher.get({ ...request, path: "/well", timeoutMs: long })).kind, "fetched");
  });
}

test("time in which the process itself stood still is not the server's", async () => {
  await using server = await listenRaw((socket) => socket.write(plainAnswer(200)));
  await using fetcher = createLocalFetcher();
  const asked = fetcher.get({ origin: server.origin, path: "/", maxBytes: 1000, timeoutMs: short });
  await fetcher.sent();
  // The answer comes meanwhile, and lies there when the deadline is long past.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * short);
  assert.equal((await asked).kind, "fetched");
});

test("redirects share one deadline", async () => {
  await using server = await listenRaw((socket, head) => {
    const next = Number(/\d+/.exec(head)?.[0]) + 1;
    setTimeout(() => socket.write(plainAnswer(302, [`Location: /${next}`])), 20);
  });
  const outcome = await getFrom(server, { path: "/1", timeoutMs: short, maxRedirects: 1e6 });
  assert.equal(reasonOf(outcome), "timeout");
  assert.ok(outcome.requests > 1);
});

test("a redirect whose own body never ends is not followed after the deadline", async () => {
  await using server = await listenRaw((socket) => {
    socket.write("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 9999\r\n\r\n");
    drip(socket);
  });
  await using fetcher = createLocalFetcher();
  const request = { origin: server.origin, maxBytes: 9, maxRedirects: 5 };
  const first = fetcher.get({ ...request, path: "/first", timeoutMs: short });
  const other = fetcher.get({ ...request, path: "/second", timeoutMs: long });
  assert.equal(reasonOf(await first), "timeout");
  assert.equal(await Promise.race([other, "pending"]), "pending");
  assert.ok(server.heads.every((head) => !head.startsWith("GET /elsewhere")));
  await fetcher[Symbol.asyncDispose]();
  await other;
});

test("a connection that is never made ends in a timeout, by the deadline or by its own limit", async () => {
  // A TLS handshake to which nobody answers.
  await using server = await listenRaw(() => undefined);
  const origin = server.origin.replace("http:", "https:");
  assert.equal(reasonOf(await getFrom(server, { origin, timeoutMs: short }, { connectTimeoutMs: 1e9 })), "timeout");
  await closed(server.sockets[0]);
  const outcome = await getFrom(server, { origin }, { connectTimeoutMs: short });
  assert.equal(reasonOf(outcome), "timeout");
  assert.match(outcome.kind === "failed" ? outcome.message : "", /connect/i);
});

const brokenAnswers: readonly (readonly [string, string, string])[] = [
  ["ends before its length", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhell", "truncated"],
  [
    "ends before its length and says so",
    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n\r\nh",
    "truncated",
  ],
  ["ends within a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhell", "truncated"],
  ["ends before the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhell\r\n", "truncated"],
  ["has a broken chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhell\r\n", "truncated"],
  ["is no HTTP", "SSH-2.0-OpenSSH_9.2\r\n", "protocol"],
  ["has two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "protocol"],
  ["has a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "protocol"],
  [
    "has length and chunks",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "protocol",
  ],
  ["has a NUL in a field", "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n", "protocol"],
  ["has endless fields", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(40_000)}\r\n\r\n`, "protocol"],
  ["switches protocols", "HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", "protocol"],
  ["continues what was not begun", "HTTP/1.1 100 Continue\r\n\r\n", "protocol"],
  ["ends within its fields", "HTTP/1.1 200 OK\r\nX: y", "connection"],
  ["is nothing", "", "connection"],
];

for (const [what, answer, expected] of brokenAnswers) {
  test(`an answer that ${what} is ${expected}`, async () => {
    const outcome = await getAnswer(answer, {}, true);
    assert.equal(reasonOf(outcome), expected, JSON.stringify(outcome));
    assert.ok(outcome.kind === "failed" && outcome.message !== "");
  });
}

test("a body without a length whose connection is reset is truncated", async () => {
  await using server = await listenRaw((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\nhell");
  });
  const sink = { write: () => void server.sockets[0]?.resetAndDestroy() };
  assert.equal(reasonOf(await getFrom(server, { sink })), "truncated");
});

test("odd bytes in fields are kept and harm nothing", async () => {
  const fields = [
    "__proto__: x",
    "constructor: y",
    "ETag: \xff\xfe",
    "Content-Type:  ",
    "Last-Modified: never",
    "etag: 2",
  ];
  const outcome = await getAnswer(plainAnswer(200, fields));
  assert.ok(outcome.kind === "fetched");
  assert.deepEqual(outcome.validators, { etag: "\xff\xfe", lastModified: "never" });
  assert.equal(outcome.contentType, undefined);
});

test("bytes after the answer are not the next answer, and it is none that can be trusted", async () => {
  await using server = await listenRaw((socket, head) => {
    const forged = plainAnswer(200, [], "forged");
    socket.write(head.startsWith("GET /1") ? plainAnswer(200, [], "one") + forged : plainAnswer(200, [], "two"));
  });
  await using fetcher = createLocalFetcher();
  const request = { origin: server.origin, maxBytes: 100, timeoutMs: long };
  const outcomes = await Promise.all(["/1", "/2"].map((path) => fetcher.get({ ...request, path })));
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.kind === "fetched" ? Buffer.from(outcome.body).toString() : reasonOf(outcome))),
    ["protocol", "two"],
  );
});

test("a name that does not resolve is a matter of DNS, a port where nobody listens of the connection", async () => {
  const unused = createServer();
  unused.listen(0, "127.0.0.1");
  await once(unused, "listening");
  const { port } = unused.address() as AddressInfo;
  unused.close();
  await using fetcher = createLocalFetcher();
  const request = { path: "/", maxBytes: 9, timeoutMs: long };
  assert.equal(reasonOf(await fetcher.get({ ...request, origin: "http://name.invalid" })), "dns");
  for (const host of ["127.0.0.1", "localhost"]) {
    const outcome = await fetcher.get({ ...request, origin: `http://${host}:${port}` });
    assert.equal(reasonOf(outcome), "connection");
    assert.match(outcome.kind === "failed" ? outcome.message : "", /ECONNREFUSED/);
    assert.equal((await fetcher.get({ ...request, origin: `http://${host}:${port}` })).kind, "failed");
  }
});

test("an idle connection that the server closed is made again, unseen", async () => {
  await using server = await listenRaw((socket, _, count) => {
    // The second request of a connection finds it closed.
    if (count === 2) socket.destroy();
    else socket.write(plainAnswer(200, [], "hello"));
  });
  await using fetcher = createLocalFetcher();
  for (let turn = 0; turn < 3; turn++) {
    const outcome = await fetcher.get({ origin: server.origin, path: "/", maxBytes: 9, timeoutMs: long });
    assert.equal(outcome.kind, "fetched");
    assert.equal(outcome.requests, 1);
  }
  assert.equal(server.sockets.length, 3);
});

test("a server that closes each connection without an answer is asked once", async () => {
  await using server = await listenRaw((socket) => socket.destroy());
  assert.equal(reasonOf(await getFrom(server)), "connection");
  assert.equal(server.heads.length, 1);
});

test("a new connection that is closed without an answer is not made again, though another was used before", async () => {
  await using server = await listenRaw((socket, head) => {
    if (head.startsWith("GET /1")) socket.end(plainAnswer(200, ["Connection: close"]));
    else socket.destroy();
  });
  await using fetcher = createLocalFetcher();
  const request = { origin: server.origin, maxBytes: 9, timeoutMs: long };
  assert.equal((await fetcher.get({ ...request, path: "/1" })).kind, "fetched");
  assert.equal(reasonOf(await fetcher.get({ ...request, path: "/2" })), "connection");
  assert.equal(server.heads.length, 2);
});

test("nor is one after a connection that was dropped within a body that nobody wants", async () => {
  await using server = await listenRaw((socket, head) => {
    if (head.startsWith("GET /1")) socket.write(plainAnswer(404, [], "x".repeat(200_000)));
    else socket.destroy();
  });
  await using fetcher = createLocalFetcher();
  const request = { origin: server.origin, maxBytes: 9, timeoutMs: long };
  assert.equal((await fetcher.get({ ...request, path: "/1" })).kind, "gone");
  assert.equal(reasonOf(await fetcher.get({ ...request, path: "/2" })), "connection");
  assert.equal(server.heads.length, 2);
});

test("an answer that closes the connection is followed by another connection", async () => {
  await using server = await listenRaw((socket) => socket.end(plainAnswer(200, ["Connection: close"], "hello")));
  await using fetcher = createLocalFetcher();
  const request = { origin: server.origin, path: "/", maxBytes: 9, timeoutMs: long };
  const outcomes = await Promise.all([1, 2, 3].map(() => fetcher.get(request)));
  assert.deepEqual(new Set(outcomes.map((outcome) => outcome.kind)), new Set(["fetched"]));
  assert.equal(server.sockets.length, 3);
});

for (const connections of [1, 3]) {
  test(`never more than ${connections} requests are in flight to an origin, first come first served`, async () => {
    const asking: Socket[] = [];
    const order: string[] = [];
    await using server = await listenRaw((socket, head) => {
      asking.push(socket);
      order.push(head.split(" ")[1] ?? "");
      // Nobody is answered before all who may ask at once have asked.
      if (asking.length === connections) for (const each of asking.splice(0)) each.write(plainAnswer(200));
    });
    await using fetcher = createLocalFetcher({ connections });
    const paths = Array.from({ length: 39 }, (_, at) => `/${at}`);
    const request = { origin: server.origin, maxBytes: 9, timeoutMs: long };
    await Promise.all(paths.map((path) => fetcher.get({ ...request, path })));
    assert.equal(server.sockets.length, connections);
    if (connections === 1) assert.deepEqual(order, paths);
  });
}

test("the deadline does not count the time spent waiting for a connection", async () => {
  await using server = await listenRaw((socket) => void setTimeout(() => socket.write(plainAnswer(200)), 30));
  await using fetcher = createLocalFetcher();
  const request = { origin: server.origin, path: "/", maxBytes: 9, timeoutMs: 5000 };
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => fetcher.get(request)));
  assert.ok(outcomes.every((outcome) => outcome.kind === "fetched"));
});

test("an abort ends what is under way, what waits, and what comes after", async () => {
  const stop = new AbortController();
  await using server = await listenRaw(() => stop.abort());
  await using fetcher = createLocalFetcher();
  const request = { origin: server.origin, path: "/", maxBytes: 9, timeoutMs: long, signal: stop.signal };
  const outcomes = await Promise.all([fetcher.get(request), fetcher.get(request)]);
  outcomes.push(await fetcher.get(request));
  assert.deepEqual(outcomes.map(reasonOf), ["aborted", "aborted", "aborted"]);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.requests),
    [1, 0, 0],
  );
  assert.equal(server.heads.length, 1);
});

test("an abort of very many that wait sends none of them", async () => {
  const stop = new AbortController();
  await using server = await listenRaw(() => stop.abort());
  await using fetcher = createLocalFetcher();
  const request = { origin: server.origin, path: "/", maxBytes: 9, timeoutMs: long, signal: stop.signal };
  const outcomes = await Promise.all(Array.from({ length: 20_000 }, () => fetcher.get(request)));
  assert.ok(outcomes.every((outcome) => reasonOf(outcome) === "aborted"));
  assert.equal(server.heads.length, 1);
});

test("an abort ends a connection that is being made", async () => {
  await using server = await listenRaw(() => undefined);
  const stop = new AbortController();
  const origin = server.origin.replace("http:", "https:");
  await using fetcher = createLocalFetcher({ connectTimeoutMs: 1e9 });
  const outcome = fetcher.get({ origin, path: "/", maxBytes: 9, timeoutMs: long, signal: stop.signal });
  while (server.sockets.length === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  assert.equal(reasonOf(await outcome), "aborted");
  await closed(server.sockets[0]);
});

test("what is aborted before it begins does not wait for a connection", async () => {
  await using server = await listenRaw(() => undefined);
  await using fetcher = createLocalFetcher();
  const request = { origin: server.origin, path: "/", maxBytes: 9, timeoutMs: long };
  const other = fetcher.get(request);
  assert.equal(reasonOf(await fetcher.get({ ...request, signal: AbortSignal.abort() })), "aborted");
  assert.equal(await Promise.race([other, "pending"]), "pending");
  await fetcher[Symbol.asyncDispose]();
  await other;
});

test("a request that has ended leaves no timer and no listener", async () => {
  await using server = await listenRaw((socket) => socket.write(plainAnswer(200)));
  await using fetcher = createLocalFetcher();
  const { signal } = new AbortController();
  const countTimers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = countTimers();
  await fetcher.get({ origin: server.origin, path: "/", maxBytes: 9, timeoutMs: long, signal });
  assert.equal(countTimers(), before);
  assert.deepEqual(getEventListeners(signal, "abort"), []);
});

test("many requests may share one signal without a warning", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  await using server = await listenRaw((socket) => socket.write(plainAnswer(200)));
  await using fetcher = createLocalFetcher({ connections: 5 });
  const { signal } = new AbortController();
  const request = { origin: server.origin, path: "/", maxBytes: 9, timeoutMs: long, signal };
  await Promise.all(Array.from({ length: 50 }, () => fetcher.get(request)));
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", note);
  assert.deepEqual(warnings, []);
});

test("closing the fetcher ends everything, and nothing can be asked after", async () => {
  await using server = await listenRaw(() => undefined);
  const fetcher = createLocalFetcher();
  const request = { origin: server.origin, path: "/", maxBytes: 9, timeoutMs: long };
  const outcomes = [fetcher.get(request), fetcher.get(request)];
  while (server.heads.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await fetcher[Symbol.asyncDispose]();
  assert.deepEqual((await Promise.all(outcomes)).map(reasonOf), ["aborted", "aborted"]);
  await closed(server.sockets[0]);
  await assert.rejects(fetcher.get(request), TypeError);
});

test("what HTTP cannot carry is a mistake of the caller", async () => {
  await using server = await listenRaw((socket) => socket.write(plainAnswer(200)));
  await assert.rejects(getFrom(server, { origin: `${server.origin}/` }), TypeError);
  await assert.rejects(getFrom(server, { origin: "ftp://example.org" }), TypeError);
  await assert.rejects(getFrom(server, { path: "/a b" }), TypeError);
  await assert.rejects(getFrom(server, { path: "a" }), TypeError);
  await assert.rejects(getFrom(server, { headers: { "x-y": "a\r\nhost: b" } }), TypeError);
  assert.throws(() => createLocalFetcher({ connections: 0 }), RangeError);
  assert.equal(server.heads.length, 0);
});
