import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import type { FetchOutcome, FetchRequest } from "../../src/core/fetch-outcome.ts";
import { closed, createLocalFetcher, listenRaw, plainAnswer, pour, type RawServer } from "./raw-server.ts";

const timeoutMs = 30_000;

async function getFrom(server: RawServer, request: Partial<FetchRequest> = {}): Promise<FetchOutcome> {
  await using fetcher = createLocalFetcher();
  return await fetcher.get({ origin: server.origin, path: "/", maxBytes: 1000, timeoutMs, ...request });
}

async function getAnswer(answer: string, request: Partial<FetchRequest> = {}, end = true): Promise<FetchOutcome> {
  await using server = await listenRaw((socket) => {
    socket.write(answer, "latin1");
    if (end) socket.end();
  });
  return await getFrom(server, request);
}

function wordOf(outcome: FetchOutcome): string {
  return outcome.kind === "failed" ? outcome.reason : outcome.kind;
}

function headOf(fields: readonly string[]): string {
  return `HTTP/1.1 200 OK\r\n${fields.map((field) => `${field}\r\n`).join("")}Content-Length: 1\r\n\r\nx`;
}

// RFC 9110 sections 8.8.2 and 8.8.3, and what servers send instead. Each must come back byte for byte.
const validators: readonly (readonly [string, string])[] = [
  ["a strong one", '"abc"'],
  ["a weak one", 'W/"abc"'],
  ["a weak one in a small letter", 'w/"abc"'],
  ["one without quotes", "abc-def"],
  ["half a quote", '"abc'],
  ["an empty one", '""'],
  ["a weak one without quotes", "W/"],
  ["a list", '"a", W/"b"'],
  ["spaces and tabs within", '"a  b\tc"'],
  ["a star", "*"],
  ["Apache's suffix", '"5f3-61a2b3c4d5e6f-gzip"'],
  ["every byte above ASCII", `"${Array.from({ length: 128 }, (_, at) => String.fromCharCode(128 + at)).join("")}"`],
  ["a last byte that looks like a space elsewhere", "caf\xc3\xa0"],
  ["a first byte that looks like a space elsewhere", "\xa0\x85x"],
  ["every printable byte", Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).join("")],
  ["one of 1024 bytes", "x".repeat(1024)],
];

for (const [what, etag] of validators) {
  test(`a validator comes back byte for byte: ${what}`, async () => {
    await using server = await listenRaw((socket) =>
      socket.write(headOf([`ETag:  ${etag} \t`, `Last-Modified: ${etag}`]), "latin1"),
    );
    const first = await getFrom(server);
    assert.ok(first.kind === "fetched");
    assert.deepEqual(first.validators, { etag, lastModified: etag });
    await getFrom(server, { validators: first.validators });
    const lines = (server.heads[1] ?? "").split("\r\n");
    assert.ok(lines.includes(`if-none-match: ${etag}`));
    assert.ok(lines.includes(`if-modified-since: ${etag}`));
  });
}

test("a field of a great many blanks costs no time", async () => {
  const etag = `a${" ".repeat(31_000)}b`;
  const startedAt = performance.now();
  const outcome = await getAnswer(headOf([`ETag: ${etag}`, "Content-Type: text/plain \t"]));
  assert.ok(performance.now() - startedAt < 1500, `${performance.now() - startedAt} ms`);
  assert.deepEqual(outcome.kind === "fetched" && outcome.contentType, "text/plain");
});

test("of a validator that stands in several lines the first is taken", async () => {
  const outcome = await getAnswer(
    headOf(['ETag: "a"', "Last-Modified: x", 'etag: "b"', "ETAG: c", "last-modified: y"]),
  );
  assert.deepEqual(outcome.kind === "fetched" && outcome.validators, { etag: '"a"', lastModified: "x" });
});

test("a validator that fills the fields of each further request is not kept", async () => {
  const outcome = await getAnswer(headOf([`ETag: ${"x".repeat(1025)}`, "Last-Modified: x"]));
  assert.deepEqual(outcome.kind === "fetched" && outcome.validators, { lastModified: "x" });
});

// What could not be sent back must not be received as a validator.
for (const byte of ["\0", "\x01", "\x0b", "\x1f", "\x7f", "\n", "\r"]) {
  test(`an ETag with the byte ${JSON.stringify(byte)} in it ends in an outcome, and so does the next request`, async () => {
    const outcome = await getAnswer(headOf([`ETag: "a${byte}b"`]));
    if (outcome.kind !== "fetched") {
      assert.equal(wordOf(outcome), "protocol");
      return;
    }
    const next = await getAnswer(plainAnswer(304), { validators: outcome.validators });
    assert.ok(next.kind === "not-modified" || outcome.validators.etag === undefined);
  });
}

test("every byte in a field is an outcome, and none ends the process", async () => {
  for (let byte = 0; byte < 256; byte++) {
    const odd = String.fromCharCode(byte);
    for (const field of [`X${odd}Y: z`, `X: a${odd}b`, `${odd}: x`]) {
      const outcome = await getAnswer(headOf([field]));
      assert.ok(outcome.kind === "fetched" || wordOf(outcome) === "protocol", `${byte}: ${JSON.stringify(outcome)}`);
    }
  }
});

test("validators are of the URL that was asked for: no other is asked with them, and none of another is kept", async () => {
  await using server = await listenRaw((socket, head) => {
    const isFirst = head.startsWith("GET /a ");
    socket.write(isFirst ? plainAnswer(302, ["Location: /b", 'ETag: "a"']) : plainAnswer(200, ['ETag: "b"'], "b"));
  });
  const headers = { "if-none-match": '"c"', "if-range": "x", "x-y": "z" };
  const outcome = await getFrom(server, { path: "/a", maxRedirects: 1, validators: { lastModified: "d" }, headers });
  assert.deepEqual(outcome.kind === "fetched" && outcome.validators, {});
  for (const field of ['if-none-match: "c"', "if-range: x", "x-y: z", "if-modified-since: d"])
    assert.ok(server.heads[0]?.includes(`\r\n${field}`), field);
  assert.match(server.heads[1] ?? "", /x-y: z/);
  assert.doesNotMatch(server.heads[1] ?? "", /if-/);
});

test("a 304 of the URL that a redirect led to confirms nothing", async () => {
  await using server = await listenRaw((socket, head) =>
    socket.write(head.startsWith("GET /a ") ? plainAnswer(302, ["Location: /b"]) : plainAnswer(304)),
  );
  const outcome = await getFrom(server, { path: "/a", maxRedirects: 1, validators: { etag: "x" } });
  assert.equal(wordOf(outcome), "protocol");
});

const oddAnswers: readonly (readonly [string, string, Partial<FetchRequest>, string])[] = [
  ["304 to an unconditional request", "HTTP/1.1 304 X\r\n\r\n", {}, "protocol"],
  [
    "304 with a body",
    "HTTP/1.1 304 X\r\nContent-Length: 5\r\n\r\nhello",
    { validators: { etag: "x" } },
    "not-modified",
  ],
  [
    "304 with chunks",
    "HTTP/1.1 304 X\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    { validators: { etag: "x" } },
    "not-modified",
  ],
  [
    "206 that nobody asked for",
    "HTTP/1.1 206 X\r\nContent-Range: bytes 0-0/1\r\nContent-Length: 1\r\n\r\nx",
    {},
    "protocol",
  ],
  [
    "200 with a Content-Range, which says nothing there (RFC 9110 section 14.4)",
    "HTTP/1.1 200 X\r\nContent-Range: bytes 5-9/10\r\nContent-Length: 5\r\n\r\nhello",
    {},
    "fetched",
  ],
  [
    "416 that nobody asked for",
    "HTTP/1.1 416 X\r\nContent-Range: bytes */10\r\nContent-Length: 0\r\n\r\n",
    {},
    "refused",
  ],
  ["a length that is too large", "HTTP/1.1 200 X\r\nContent-Length: 900\r\n\r\nhello", {}, "truncated"],
  ["a length that is too small", "HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\nhello", {}, "protocol"],
  ["a length in words", "HTTP/1.1 200 X\r\nContent-Length: five\r\n\r\nhello", {}, "protocol"],
  ["a length that is a list", "HTTP/1.1 200 X\r\nContent-Length: 5, 5\r\n\r\nhello", {}, "protocol"],
  ["a length beyond numbers", `HTTP/1.1 200 X\r\nContent-Length: ${"9".repeat(30)}\r\n\r\nhello`, {}, "protocol"],
  ["half a body", "HTTP/1.1 200 X\r\nContent-Length: 10\r\n\r\nhello", {}, "truncated"],
  ["half a chunked body", "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", {}, "truncated"],
  ["204 with a body", "HTTP/1.1 204 X\r\nContent-Length: 5\r\n\r\nhello", {}, "protocol"],
  ["205", "HTTP/1.1 205 X\r\nContent-Length: 0\r\n\r\n", {}, "protocol"],
  ["a redirect without a place", "HTTP/1.1 302 X\r\nContent-Length: 0\r\n\r\n", { maxRedirects: 5 }, "protocol"],
  [
    "a redirect to an empty place",
    "HTTP/1.1 302 X\r\nLocation: \t\r\nContent-Length: 0\r\n\r\n",
    { maxRedirects: 5 },
    "protocol",
  ],
  ["300 with a place", "HTTP/1.1 300 X\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", { maxRedirects: 5 }, "protocol"],
  ["a folded field", "HTTP/1.1 200 X\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n", {}, "protocol"],
  ["a field without a name", "HTTP/1.1 200 X\r\n: a\r\nContent-Length: 0\r\n\r\n", {}, "protocol"],
  ["a space before the colon", "HTTP/1.1 200 X\r\nContent-Length : 0\r\n\r\n", {}, "protocol"],
  ["lines that end with LF alone", "HTTP/1.1 200 X\nContent-Length: 0\n\n", {}, "protocol"],
  ["a version that is not spoken", "HTTP/3.7 200 X\r\nContent-Length: 0\r\n\r\n", {}, "protocol"],
  ["a status of one digit", "HTTP/1.1 2 X\r\nContent-Length: 0\r\n\r\n", {}, "protocol"],
  ["a status below all others", "HTTP/1.1 000 X\r\nContent-Length: 0\r\n\r\n", {}, "protocol"],
];

for (const [what, answer, request, expected] of oddAnswers) {
  test(`${what} is ${expected}`, async () => {
    const outcome = await getAnswer(answer, request);
    assert.equal(wordOf(outcome), expected, JSON.stringify(outcome));
  });
}

for (const [range, contentRange, expected] of [
  ["bytes=5-9", "bytes 5-9/10", "fetched"],
  ["bytes=5-", "bytes 5-9/*", "fetched"],
  ["bytes=-5", "bytes 5-9/10", "fetched"],
  ["bytes=5-9", "bytes 0-4/10", "protocol"],
  ["bytes=5-9", "bytes */10", "protocol"],
  ["bytes=5-9", "lines 5-9/10", "protocol"],
  ["bytes=5-9", "", "protocol"],
] as const) {
  test(`206 of ${contentRange || "nothing"} where ${range} was asked for is ${expected}`, async () => {
    const answer = `HTTP/1.1 206 X\r\nContent-Range: ${contentRange}\r\nContent-Length: 5\r\n\r\nhello`;
    assert.equal(wordOf(await getAnswer(answer, { headers: { range } })), expected);
  });
}

test("what follows a body that was too long for its length is not the next answer", async () => {
  await using server = await listenRaw((socket, head) => {
    socket.write(
      head.startsWith("GET /1")
        ? `HTTP/1.1 304 X\r\nContent-Length: 60\r\n\r\n${plainAnswer(200, [], "forged")}`
        : plainAnswer(200, [], "two"),
    );
  });
  await using fetcher = createLocalFetcher();
  const request = { origin: server.origin, maxBytes: 100, timeoutMs };
  const [first, second] = await Promise.all([
    fetcher.get({ ...request, path: "/1", validators: { etag: "x" } }),
    fetcher.get({ ...request, path: "/2" }),
  ]);
  assert.equal(wordOf(first), "not-modified");
  assert.equal(second.kind === "fetched" && Buffer.from(second.body).toString(), "two");
});

test("an ETag that all pages share is handed on as each page's own", async () => {
  await using server = await listenRaw((socket, head) => {
    const isAsked = head.includes('if-none-match: "same"');
    socket.write(isAsked ? plainAnswer(304, ['ETag: "same"']) : plainAnswer(200, ['ETag: "same"'], head.slice(4, 6)));
  });
  const [one, two] = [await getFrom(server, { path: "/1" }), await getFrom(server, { path: "/2" })];
  assert.ok(one.kind === "fetched" && two.kind === "fetched");
  assert.notDeepEqual(one.body, two.body);
  assert.deepEqual(one.validators, two.validators);
});

for (const [status, word] of [
  [102, "Processing"],
  [103, "Early Hints"],
  [199, "What"],
] as const) {
  test(`a storm of ${status} is no answer`, async () => {
    await using server = await listenRaw((socket) => pour(socket, `HTTP/1.1 ${status} ${word}\r\nX: y\r\n\r\n`));
    assert.equal(wordOf(await getFrom(server)), "protocol");
    await closed(server.sockets[0]);
  });
}

test("twenty interim answers are borne", async () => {
  const hints = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".repeat(20);
  assert.equal(wordOf(await getAnswer(hints + plainAnswer(200, [], "x"))), "fetched");
});

const floods: readonly (readonly [string, string, string])[] = [
  ["fields without end", "HTTP/1.1 200 OK\r\n", "a: b\r\n"],
  ["one field without end", "HTTP/1.1 200 OK\r\nX: ", "x".repeat(1000)],
  ["a name without end", "HTTP/1.1 200 OK\r\n", "x".repeat(1000)],
  ["trailers without end", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "a: b\r\n"],
];

for (const [what, start, piece] of floods) {
  test(`${what} end in a failure before the time is up, and in little memory`, async () => {
    const before = process.resourceUsage().maxRSS;
    await using server = await listenRaw((socket) => {
      socket.write(start);
      pour(socket, piece);
    });
    const outcome = await getFrom(server);
    assert.ok(wordOf(outcome) === "protocol" || wordOf(outcome) === "truncated", JSON.stringify(outcome));
    await closed(server.sockets[0]);
    assert.ok(process.resourceUsage().maxRSS - before < 50_000);
  });
}

const slow: readonly (readonly [string, (socket: Socket) => void])[] = [
  [
    "a reason without end",
    (socket) => {
      socket.write("HTTP/1.1 200 ");
      pour(socket, "x".repeat(1000));
    },
  ],
  [
    "a chunk extension without end",
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;");
      pour(socket, "x".repeat(1000));
    },
  ],
  ["empty lines without end", (socket) => pour(socket, "\r\n")],
];

for (const [what, answer] of slow) {
  test(`${what} costs its time and little memory`, async () => {
    const before = process.resourceUsage().maxRSS;
    await using server = await listenRaw((socket) => answer(socket));
    const outcome = await getFrom(server, { timeoutMs: 300 });
    assert.ok(["timeout", "protocol", "truncated"].includes(wordOf(outcome)), JSON.stringify(outcome));
    await closed(server.sockets[0]);
    assert.ok(process.resourceUsage().maxRSS - before < 50_000);
  });
}

test("each redirect is put to the caller, with the whole URL", async () => {
  await using server = await listenRaw((socket, head) => {
    const next = { "/1": "/2?a#b", "/2?a": "3" }[head.split(" ")[1] ?? ""];
    socket.write(next === undefined ? plainAnswer(200, [], "x") : plainAnswer(302, [`Location: ${next}`]));
  });
  const asked: string[] = [];
  const mayFollow = (url: string): boolean => {
    asked.push(url.replace(server.origin, ""));
    return !url.endsWith("/3");
  };
  const outcome = await getFrom(server, { path: "/1", maxRedirects: 5, mayFollow });
  assert.equal(wordOf(outcome), "redirect-disallowed");
  assert.deepEqual(asked, ["/2?a", "/3"]);
  assert.equal(server.heads.length, 2);
  assert.equal(outcome.requests, 2);
});

test("what the caller's judgement throws is the caller's", async () => {
  await using server = await listenRaw((socket) => socket.write(plainAnswer(302, ["Location: /x"])));
  const broken = new Error("no rules");
  const mayFollow = (): boolean => {
    throw broken;
  };
  await assert.rejects(getFrom(server, { maxRedirects: 1, mayFollow }), broken);
});

test("whoever runs the crawler can be written to", async () => {
  await using server = await listenRaw((socket) => socket.write(plainAnswer(200)));
  await using fetcher = createLocalFetcher({ from: "crawler@example.org" });
  await fetcher.get({ origin: server.origin, path: "/", maxBytes: 9, timeoutMs });
  assert.match(server.heads[0] ?? "", /\r\nfrom: crawler@example\.org\r\n/);
  for (const from of ["", "nobody", "a@b@c", "a b@c", "a@b\r\nx: y", "Ä@b"])
    assert.throws(() => createLocalFetcher({ from }), TypeError);
});
