import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { PostOutcome } from "../../src/core/fetch-outcome.ts";
import { postJson } from "../../src/http/post-json.ts";
import { closed, listenRaw, plainAnswer, pour } from "./raw-server.ts";

const timeoutMs = 20_000;
const nowMs = Date.parse("2026-11-21T10:00:00Z");
type Answer = Parameters<typeof listenRaw>[0];

async function post(answer: Answer, request: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<PostOutcome> {
  await using server = await listenRaw(answer);
  const outcome = await postJson(
    { url: `${server.origin}/a?b`, json: "{}", timeoutMs, ...request },
    { clock: () => nowMs },
  );
  await closed(server.sockets[0]);
  return outcome;
}

test("a text is sent once, as JSON in UTF-8, with its length in bytes", async () => {
  const bodies: string[] = [];
  const heads: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    heads.push(request);
    void text(request).then((body) => {
      bodies.push(body);
      response.writeHead(202).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/indexnow?x=1`;
  const outcome = await postJson({ url, json: '["é"]', timeoutMs }, { userAgent: "u" });
  server.close();
  assert.deepEqual(outcome, { kind: "answered", status: 202, retryAt: undefined, location: undefined });
  assert.deepEqual(bodies, ['["é"]']);
  const [head] = heads;
  assert.deepEqual([head?.method, head?.url], ["POST", "/indexnow?x=1"]);
  const fields = ["content-type", "content-length", "user-agent"].map((name) => head?.headers[name]);
  assert.deepEqual(fields, ["application/json; charset=utf-8", "6", "u"]);
});

for (const status of [200, 204, 400, 403, 404, 422, 500, 503]) {
  test(`an answer of ${status} is an answer`, async () => {
    const outcome = await post((socket) => socket.write(plainAnswer(status)));
    assert.deepEqual(outcome, { kind: "answered", status, retryAt: undefined, location: undefined });
  });
}

// RFC 9110 section 10.2.3: both forms.
for (const [text, delayMs] of [
  ["120", 120_000],
  ["Sat, 21 Nov 2026 10:01:30 GMT", 90_000],
  ["Sat, 21 Nov 2026 09:00:00 GMT", 0],
  ["99999999999999999999", 7 * 24 * 3600 * 1000],
] as const) {
  test(`Retry-After: ${text} is a time`, async () => {
    const outcome = await post((socket) => socket.write(plainAnswer(429, [`Retry-After: ${text}`])));
    assert.deepEqual(outcome, { kind: "answered", status: 429, retryAt: nowMs + delayMs, location: undefined });
  });
}

test("a redirect is an answer, and is not followed", async () => {
  const outcome = await post((socket) => socket.write(plainAnswer(307, ["Location: http://127.0.0.1:1/"])));
  assert.deepEqual(outcome, { kind: "answered", status: 307, retryAt: undefined, location: "http://127.0.0.1:1/" });
});

test("an interim answer is passed over, and an endless body is not read", async () => {
  const outcome = await post((socket) => {
    socket.write("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    pour(socket, `1000\r\n${"x".repeat(4096)}\r\n`);
  });
  assert.ok(outcome.kind === "answered" && outcome.status === 200);
});

for (const [what, answer, reason] of [
  ["a reset", (socket) => socket.resetAndDestroy(), "connection"],
  ["an end without an answer", (socket) => socket.end(), "connection"],
  ["what is no HTTP", (socket) => socket.write("SMTP ready\r\n\r\n"), "protocol"],
  ["an endless head", (socket) => pour(socket, `HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(2000)}`), "protocol"],
] as ReadonlyArray<readonly [string, Answer, string]>) {
  test(`${what} is a failure, and the text is not sent again`, async () => {
    let heads = 0;
    const outcome = await post((...args) => {
      heads++;
      answer(...args);
    });
    assert.equal(outcome.kind === "failed" && outcome.reason, reason);
    assert.equal(heads, 1);
  });
}

test("a server that never answers costs the time that was given", async () => {
  const outcome = await post(() => undefined, { timeoutMs: 50 });
  assert.deepEqual(outcome, { kind: "failed", reason: "timeout", message: "no answer within 50 ms" });
});

test("an abort ends it, before and while it waits", async () => {
  const controller = new AbortController();
  const outcome = await post(() => controller.abort(), { signal: controller.signal });
  assert.equal(outcome.kind === "failed" && outcome.reason, "aborted");
  const request = { url: "http://127.0.0.1:1/", json: "{}", timeoutMs, signal: AbortSignal.abort() };
  const early = await postJson(request);
  assert.equal(early.kind === "failed" && early.reason, "aborted");
});

test("a port where nobody listens is a failure; what is no web address is a mistake", async () => {
  const server = await listenRaw(() => undefined);
  const { origin } = server;
  await server[Symbol.asyncDispose]();
  const outcome = await postJson({ url: origin, json: "{}", timeoutMs });
  assert.equal(outcome.kind === "failed" && outcome.reason, "connection");
  for (const url of ["ftp://example.org/", "nowhere", ""])
    await assert.rejects(postJson({ url, json: "{}", timeoutMs }), TypeError);
});
