import assert from "node:assert/strict";
import { test } from "node:test";
import type { TLSSocket } from "node:tls";
import type { FetchOutcome } from "../../src/model/index.ts";
import {
  answerHead,
  body,
  flags,
  frame,
  frameTypes,
  greeting,
  listenFrames,
  literals,
  uint32,
} from "./http2-frames.ts";
import { createTrustingFetcher } from "./http2-server.ts";
import { closed, pour } from "./raw-server.ts";

type Say = (socket: TLSSocket, streamId: number) => void;
type Row = readonly [what: string, expected: string, say: Say];

const bounds = { maxBytes: 100_000, timeoutMs: 30_000 };
const { data, headers, priority, reset, settings, push, ping, goaway, window, continuation } = frameTypes;

function wordOf(outcome: FetchOutcome): string {
  return outcome.kind === "failed" ? outcome.reason : outcome.kind;
}

const all =
  (...parts: ReadonlyArray<(id: number) => Uint8Array>): Say =>
  (socket, id) =>
    void socket.write(Buffer.concat(parts.map((part) => part(id))));

const ended =
  (...parts: ReadonlyArray<(id: number) => Uint8Array>): Say =>
  (socket, id) =>
    void socket.end(Buffer.concat(parts.map((part) => part(id))));

const status = [":status", "200"] as const;
const ok = (id: number): Buffer => answerHead(id, 200);
const begun = (id: number): Buffer => answerHead(id, 200, [], 0);
const whole = (id: number): Buffer => body(id, "hello");
const part = (id: number): Buffer => body(id, "hello", 0);

const fields = (id: number, more: ReadonlyArray<readonly [string, string]>): Buffer =>
  frame(headers, flags.endHeaders, id, literals(more));
const setting = (id: number, value: number): Buffer => Buffer.concat([Buffer.from([0, id]), uint32(value)]);
const hundred = Buffer.concat(Array.from({ length: 100 }, () => setting(3, 1)));
const promise = (id: number): Buffer =>
  frame(
    push,
    flags.endHeaders,
    id,
    Buffer.concat([
      uint32(2),
      literals([
        [":method", "GET"],
        [":path", "/x"],
      ]),
    ]),
  );
const many = (count: number, say: (id: number) => Uint8Array): ((id: number) => Uint8Array) => {
  return (id) => Buffer.concat(Array.from({ length: count }, () => say(id)));
};

// The sections are those of RFC 9113.
const rows: readonly Row[] = [
  ["no more than an answer has", "fetched", all(ok, whole)],
  ["fields alone", "fetched", all((id) => answerHead(id, 200, [], flags.endHeaders | flags.end))],
  ["an empty DATA at the end", "fetched", all(ok, part, (id) => body(id, ""))],
  ["trailers (8.1)", "fetched", all(ok, part, (id) => frame(headers, 5, id, literals([["x-y", "z"]])))],
  ["a true length", "fetched", all((id) => answerHead(id, 200, [["content-length", "5"]]), whole)],
  ["the end of the connection after it", "fetched", ended(ok, whole)],
  ["a reset without an error after it (8.1)", "fetched", all(ok, whole, (id) => frame(reset, 0, id, uint32(0)))],
  ["GOAWAY and the end after it", "fetched", ended(ok, whole, (id) => frame(goaway, 0, 0, uint32(id, 0)))],
  [
    "padding (6.1)",
    "fetched",
    all(ok, (id) => frame(data, flags.padded | flags.end, id, `\x04hello${"\0".repeat(4)}`)),
  ],
  [
    "frames of unknown types (5.5)",
    "fetched",
    all(
      ok,
      (id) => frame(77, 255, id, "what"),
      () => frame(99, 0, 0),
      whole,
    ),
  ],
  ["settings that nobody knows (6.5.2)", "fetched", all(() => frame(settings, 0, 0, setting(0xee, 1)), ok, whole)],
  ["a hundred settings at once", "fetched", all(() => frame(settings, 0, 0, hundred), ok, whole)],
  ["PING (6.7)", "fetched", all(() => frame(ping, 0, 0, "12345678"), ok, whole)],
  ["CONTINUATION (6.10)", "fetched", all(begun, (id) => frame(continuation, 4, id, literals([["x", "y"]])), whole)],
  [
    "twenty hints before it",
    "fetched",
    all(
      many(20, (id) => answerHead(id, 103, [["link", "x"]])),
      ok,
      whole,
    ),
  ],
  ["hints without end", "protocol", all(many(21, (id) => answerHead(id, 103)))],
  ["half of it and the end of the connection", "truncated", ended(ok, part)],
  ["its fields and the end of the connection", "truncated", ended(ok)],
  ["nothing but the end of the connection", "connection", ended()],
  [
    "a length that is too large (8.1.1)",
    "truncated",
    all((id) => answerHead(id, 200, [["content-length", "9"]]), whole),
  ],
  [
    "a length that is too small (8.1.1)",
    "truncated",
    all((id) => answerHead(id, 200, [["content-length", "2"]]), whole),
  ],
  [
    "more than its length, and no end (8.1.1)",
    "truncated",
    all((id) => answerHead(id, 200, [["content-length", "2"]]), part),
  ],
  ["a line's end in a field (8.2.1)", "protocol", all((id) => answerHead(id, 200, [["x", "a\r\nb: c"]]), whole)],
  ["a zero in a field (8.2.1)", "protocol", all((id) => answerHead(id, 200, [["x", "a\0b"]]), whole)],
  ["a name that is none (8.2.1)", "protocol", all((id) => answerHead(id, 200, [["x y", "z"]]), whole)],
  ["a length and no body (8.1.1)", "truncated", all((id) => answerHead(id, 200, [["content-length", "2"]], 5))],
  ["a length in words", "protocol", all((id) => answerHead(id, 200, [["content-length", "five"]]), whole)],
  [
    "two lengths",
    "protocol",
    all((id) => fields(id, [status, ["content-length", "5"], ["content-length", "6"]]), whole),
  ],
  ["a field of the connection (8.2.2)", "protocol", all((id) => answerHead(id, 200, [["connection", "close"]]), whole)],
  ["a transfer coding (8.2.2)", "protocol", all((id) => answerHead(id, 200, [["transfer-encoding", "x"]]), whole)],
  ["a name in capitals (8.2.1)", "protocol", all((id) => answerHead(id, 200, [["X-Y", "z"]]), whole)],
  ["a pseudo-field that nobody knows (8.3)", "protocol", all((id) => answerHead(id, 200, [[":what", "z"]]), whole)],
  ["a pseudo-field of requests (8.3)", "protocol", all((id) => answerHead(id, 200, [[":path", "/"]]), whole)],
  ["two statuses (8.3.2)", "protocol", all((id) => answerHead(id, 200, [status]), whole)],
  ["a status after other fields (8.3)", "protocol", all((id) => fields(id, [["x", "y"], status]), whole)],
  ["no status (8.3.2)", "protocol", all((id) => fields(id, [["x", "y"]]), whole)],
  ["a status in words", "protocol", all((id) => answerHead(id, "okay"), whole)],
  ["a status of four digits", "protocol", all((id) => answerHead(id, "2000"), whole)],
  ["a status of 101 (8.6)", "protocol", all((id) => answerHead(id, 101), ok, whole)],
  ["a status of 099", "protocol", all((id) => answerHead(id, "099"), whole)],
  ["a status of 000 and no body", "protocol", all((id) => answerHead(id, "000", [], 5))],
  ["a status of 999", "protocol", all((id) => answerHead(id, 999), whole)],
  ["a second answer (8.1)", "truncated", all(ok, ok, whole)],
  ["trailers that end nothing (8.1)", "truncated", all(ok, part, (id) => fields(id, [["x", "y"]]))],
  ["trailers with a status (8.1)", "truncated", all(ok, part, (id) => answerHead(id, 200, [], 5))],
  ["DATA after its end (5.1)", "fetched", all(ok, whole, whole)],
];

for (const [what, expected, say] of rows) {
  test(`an answer with ${what} is ${expected}`, async () => {
    await using server = await listenFrames(say);
    await using fetcher = createTrustingFetcher();
    const outcome = await fetcher.get({ origin: server.origin, path: "/", ...bounds });
    assert.equal(wordOf(outcome), expected, JSON.stringify(outcome));
    assert.equal(server.requests.length, 1);
    if (outcome.kind === "fetched") assert.ok(["hello", ""].includes(Buffer.from(outcome.body).toString()));
    if (outcome.kind === "failed") assert.notEqual(outcome.message, "");
  });
}

// What breaks the rules of the connection ends it (section 5.4.1).
const violations: ReadonlyArray<readonly [what: string, say: Say]> = [
  ["DATA before any fields (8.1)", all(whole)],
  ["DATA of a stream that nobody opened (5.1)", all(() => body(77, "x"))],
  ["fields of a stream that nobody opened (5.1)", all(() => answerHead(77, 200))],
  ["fields of a stream that only a server may open (5.1.1)", all(() => answerHead(2, 200))],
  ["DATA of stream 0 (6.1)", all(() => body(0, "x"))],
  ["a promise before our settings were acknowledged (8.4)", all(promise)],
  ["a promise after an answer (8.4)", all(promise, ok, whole)],
  ["a promise, which nobody wants (8.4)", all(() => frame(settings, flags.ack, 0), promise)],
  ["another frame within fields (6.10)", all(begun, () => frame(ping, 0, 0, "12345678"))],
  ["CONTINUATION of nothing (6.10)", all((id) => frame(continuation, 4, id, "x"))],
  [
    "CONTINUATION without end",
    all(
      begun,
      many(2000, (id) => frame(continuation, 0, id, literals([["x", "y"]]))),
    ),
  ],
  [
    "empty CONTINUATION without end",
    all(
      begun,
      many(2000, (id) => frame(continuation, 0, id)),
    ),
  ],
  ["padding longer than its frame (6.1)", all((id) => frame(headers, 12, id, "\xffhello"))],
  ["a frame of 16 MiB (4.2)", all((id) => frame(headers, 4, id, "x", 0xffffff))],
  ["a frame of 16 MiB of an unknown type (4.2)", all((id) => frame(77, 4, id, "x", 0xffffff))],
  ["fields that do not unpack (4.3)", all((id) => frame(headers, 4, id, "\xff\xff\xff\xff\xff\xff"))],
  ["a code without end in fields (RFC 7541 5.2)", all((id) => frame(headers, 4, id, "\x00\x84\xff\xff\xff\xff\x00"))],
  ["a table that is larger than ours (RFC 7541 6.3)", all((id) => frame(headers, 4, id, "\x3f\xff\xff\x7f"))],
  ["a field that no table has (RFC 7541 2.3.3)", all((id) => frame(headers, 4, id, "\xfe"))],
  ["PING of 7 bytes (6.7)", all(() => frame(ping, 0, 0, "1234567"))],
  ["PING of a stream (6.7)", all((id) => frame(ping, 0, id, "12345678"))],
  ["SETTINGS of 5 bytes (6.5)", all(() => frame(settings, 0, 0, "12345"))],
  ["SETTINGS of a stream (6.5)", all((id) => frame(settings, 0, id))],
  ["SETTINGS that offer what only clients may (6.5.2)", all(() => frame(settings, 0, 0, setting(2, 1)))],
  ["SETTINGS with a window beyond bounds (6.5.2)", all(() => frame(settings, 0, 0, setting(4, 0xffffffff)))],
  ["SETTINGS with frames beyond bounds (6.5.2)", all(() => frame(settings, 0, 0, setting(5, 1)))],
  ["acknowledgements that nobody asked for (6.5.3)", all(many(5, () => frame(settings, flags.ack, 0)))],
  ["an acknowledgement with a payload (6.5)", all(() => frame(settings, flags.ack, 0, setting(3, 1)))],
  ["a window that opens too far (6.9.1)", all(many(2, () => frame(window, 0, 0, uint32(0x7fffffff))))],
  ["a window that opens by nothing (6.9)", all(() => frame(window, 0, 0, uint32(0)))],
  ["a reset of stream 0 (6.4)", all(() => frame(reset, 0, 0, uint32(8)))],
  ["a reset of no stream (6.4)", all(() => frame(reset, 0, 99, uint32(8)))],
  ["GOAWAY of a stream (6.8)", all((id) => frame(goaway, 0, id, uint32(0, 0)))],
  ["HTTP/1.1", all(() => Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"))],
  ["words", all(() => Buffer.from("220 mail.example ESMTP, and some more words\r\n"))],
];

for (const [what, say] of violations) {
  test(`${what} ends the connection and is no answer`, async () => {
    await using server = await listenFrames(say);
    await using fetcher = createTrustingFetcher();
    const outcome = await fetcher.get({ origin: server.origin, path: "/", ...bounds });
    assert.ok(["connection", "protocol"].includes(wordOf(outcome)), JSON.stringify(outcome));
    assert.deepEqual([server.requests.length, server.connections.length], [1, 1]);
    await closed(server.connections[0]?.socket);
  });
}

const codes = [
  ["NO_ERROR", 0, "connection"],
  ["PROTOCOL_ERROR", 1, "protocol"],
  ["INTERNAL_ERROR", 2, "connection"],
  ["FLOW_CONTROL_ERROR", 3, "protocol"],
  ["STREAM_CLOSED", 5, "protocol"],
  ["CANCEL", 8, "connection"],
  ["ENHANCE_YOUR_CALM", 11, "connection"],
  ["INADEQUATE_SECURITY", 12, "connection"],
  ["an unknown code", 0xbeef, "connection"],
] as const;
const retried = [
  ["REFUSED_STREAM", 7],
  ["HTTP_1_1_REQUIRED", 13],
] as const;

for (const [name, code] of [...codes, ...retried]) {
  test(`a stream that is reset with ${name} within its body is truncated, and the connection is kept`, async () => {
    await using server = await listenFrames((socket, id) => {
      const rest = id === 1 ? [part(id), frame(reset, 0, id, uint32(code))] : [whole(id)];
      socket.write(Buffer.concat([ok(id), ...rest]));
    });
    await using fetcher = createTrustingFetcher();
    const request = { origin: server.origin, path: "/", ...bounds };
    const outcome = await fetcher.get(request);
    assert.deepEqual([wordOf(outcome), outcome.receivedBytes], ["truncated", 5]);
    assert.equal(wordOf(await fetcher.get(request)), "fetched");
    assert.deepEqual(server.requests, [1, 3]);
  });

  test(`a body without a length of which the last frame is late and is a reset with ${name} is truncated`, async () => {
    await using server = await listenFrames(all(ok, part));
    await using fetcher = createTrustingFetcher();
    const write = (): void => void server.connections[0]?.socket.write(frame(reset, 0, 1, uint32(code)));
    const outcome = await fetcher.get({ origin: server.origin, path: "/", ...bounds, sink: { write } });
    assert.equal(wordOf(outcome), "truncated");
  });

  test(`a connection that is ended with ${name} within a body lets it come, if it comes`, async () => {
    for (const isWhole of [true, false]) {
      await using server = await listenFrames((socket, id) => {
        socket.write(Buffer.concat([ok(id), part(id), frame(goaway, 0, 0, uint32(id, code))]));
        setImmediate(() => socket.end(isWhole ? body(id, "") : ""));
      });
      await using fetcher = createTrustingFetcher();
      const outcome = await fetcher.get({ origin: server.origin, path: "/", ...bounds });
      assert.equal(wordOf(outcome), isWhole ? "fetched" : "truncated", JSON.stringify(outcome));
    }
  });
}

for (const [name, code, reason] of codes) {
  test(`a stream that is reset with ${name} before its answer is ${reason}, and is not asked for again`, async () => {
    await using server = await listenFrames((socket, id) => socket.write(frame(reset, 0, id, uint32(code))));
    await using fetcher = createTrustingFetcher();
    const outcome = await fetcher.get({ origin: server.origin, path: "/", ...bounds });
    assert.equal(wordOf(outcome), reason, JSON.stringify(outcome));
    assert.deepEqual(server.requests, [1]);
  });

  test(`a connection that is ended with ${name} after it saw the request is not asked again`, async () => {
    await using server = await listenFrames((socket, id) => socket.end(frame(goaway, 0, 0, uint32(id, code))));
    await using fetcher = createTrustingFetcher();
    const outcome = await fetcher.get({ origin: server.origin, path: "/", ...bounds });
    assert.equal(wordOf(outcome), "connection", JSON.stringify(outcome));
    assert.deepEqual(server.requests, [1]);
  });

  const isAskedAgain = name !== "ENHANCE_YOUR_CALM";
  test(`a connection that is ended with ${name} before it saw the request is ${isAskedAgain ? "" : "not "}asked again`, async () => {
    await using server = await listenFrames((socket, id) => {
      const isFirst = server.connections.length === 1;
      socket.write(isFirst ? frame(goaway, 0, 0, uint32(0, code)) : Buffer.concat([ok(id), whole(id)]));
    });
    await using fetcher = createTrustingFetcher();
    const outcome = await fetcher.get({ origin: server.origin, path: "/", ...bounds });
    assert.equal(wordOf(outcome), isAskedAgain ? "fetched" : "connection", JSON.stringify(outcome));
    assert.equal(outcome.requests, 1);
    assert.equal(server.connections.length, isAskedAgain ? 2 : 1);
  });
}

test("a stream that is refused is asked for once more, and no more", async () => {
  for (const refusals of [1, 9]) {
    await using server = await listenFrames((socket, id, count) =>
      socket.write(count <= refusals ? frame(reset, 0, id, uint32(7)) : Buffer.concat([ok(id), whole(id)])),
    );
    await using fetcher = createTrustingFetcher();
    const outcome = await fetcher.get({ origin: server.origin, path: "/", ...bounds });
    assert.equal(wordOf(outcome), refusals === 1 ? "fetched" : "connection");
    assert.deepEqual(server.requests, [1, 3]);
  }
});

for (const type of [reset, goaway]) {
  test(`a server that wants HTTP/1.1 is spoken to in it from then on: by frame ${type}`, async () => {
    const http1 = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold";
    const say: Say = (socket, id) =>
      void socket.write(type === reset ? frame(reset, 0, id, uint32(13)) : frame(goaway, 0, 0, uint32(id, 13)));
    await using server = await listenFrames(say, { http1 });
    await using fetcher = createTrustingFetcher();
    for (let turn = 0; turn < 3; turn++) {
      const outcome = await fetcher.get({ origin: server.origin, path: "/", ...bounds });
      assert.equal(outcome.kind === "fetched" && Buffer.from(outcome.body).toString(), "old", JSON.stringify(outcome));
      assert.equal(outcome.requests, 1);
    }
    assert.deepEqual(server.requests, [1]);
  });
}

test("an idle connection that ends just as the next request goes out is made again, unseen", async () => {
  await using server = await listenFrames((socket, id, count) => {
    if (count === 2) socket.destroy();
    else socket.write(Buffer.concat([ok(id), whole(id)]));
  });
  await using fetcher = createTrustingFetcher();
  for (let turn = 0; turn < 3; turn++) {
    const outcome = await fetcher.get({ origin: server.origin, path: "/", ...bounds });
    assert.deepEqual([wordOf(outcome), outcome.requests], ["fetched", 1]);
  }
  assert.equal(server.connections.length, 3);
});

test("a new connection that ends without an answer is not made again", async () => {
  await using server = await listenFrames((socket) => socket.destroy());
  await using fetcher = createTrustingFetcher();
  const outcome = await fetcher.get({ origin: server.origin, path: "/", ...bounds });
  assert.equal(wordOf(outcome), "connection");
  assert.equal(server.connections.length, 1);
});

test("an answer without settings before it is none (3.4)", async () => {
  await using server = await listenFrames(all(ok, whole), { start: Buffer.alloc(0) });
  await using fetcher = createTrustingFetcher();
  assert.equal(wordOf(await fetcher.get({ origin: server.origin, path: "/", ...bounds })), "protocol");
});

test("fields of an answer that was none are read all the same, since later ones refer to them", async () => {
  // RFC 7541 section 6.2.1: 64 adds a field to the table, whose first index is 62.
  const added = Buffer.from("\x40\x04etag\x03one", "latin1");
  await using server = await listenFrames((socket, id) => {
    if (id === 1) socket.write(frame(headers, 4, id, Buffer.concat([added, literals([status])])));
    else socket.write(Buffer.concat([frame(headers, 4, id, Buffer.from([0x88, 62 | 128])), whole(id)]));
  });
  await using fetcher = createTrustingFetcher();
  const request = { origin: server.origin, path: "/", ...bounds };
  assert.equal(wordOf(await fetcher.get(request)), "protocol");
  const outcome = await fetcher.get(request);
  assert.deepEqual(outcome.kind === "fetched" && outcome.validators, { etag: "one" });
  assert.equal(server.connections.length, 1);
});

const silences: ReadonlyArray<readonly [what: string, say: Say, start: Uint8Array]> = [
  ["never says what it is", () => undefined, Buffer.alloc(0)],
  ["says nothing after its settings", () => undefined, greeting],
  ["takes no stream at all", () => undefined, frame(settings, 0, 0, setting(3, 0))],
  ["begins fields and does not end them", all(begun), greeting],
  ["sends fields and no body", all(ok), greeting],
  ["stops within its body", all(ok, part), greeting],
  ["stops within a frame", all(ok, (id) => frame(data, 1, id, "hello", 99)), greeting],
];

for (const [what, say, start] of silences) {
  test(`a server that ${what} costs the time that was given, and its connection ends`, async () => {
    await using server = await listenFrames(say, { start, staysOpen: true });
    await using fetcher = createTrustingFetcher();
    const outcome = await fetcher.get({ origin: server.origin, path: "/", ...bounds, timeoutMs: 500 });
    assert.equal(wordOf(outcome), "timeout", JSON.stringify(outcome));
    await closed(server.connections[0]?.socket);
  });
}

test("a server that breaks the rules and stays is found out long before the time is up", async () => {
  await using server = await listenFrames(all(whole), { staysOpen: true });
  await using fetcher = createTrustingFetcher();
  const outcome = await fetcher.get({ origin: server.origin, path: "/", ...bounds });
  assert.equal(wordOf(outcome), "protocol", JSON.stringify(outcome));
  await closed(server.connections[0]?.socket);
});

const floods: ReadonlyArray<
  readonly [what: string, piece: (id: number) => Uint8Array, start?: (id: number) => Uint8Array]
> = [
  ["SETTINGS", () => frame(settings, 0, 0)],
  ["PING", () => frame(ping, 0, 0, "12345678")],
  ["WINDOW_UPDATE", (id) => frame(window, 0, id, uint32(1))],
  ["PRIORITY", (id) => frame(priority, 0, id, Buffer.concat([uint32(0), Buffer.from([1])]))],
  ["resets of a stream that has ended", (id) => frame(reset, 0, id, uint32(0)), whole],
  ["frames of unknown types", (id) => frame(99, 0, id, "x".repeat(100))],
  ["empty DATA", (id) => body(id, "", 0), ok],
  ["DATA of padding alone", (id) => frame(data, flags.padded, id, `\xff${"\0".repeat(255)}`), ok],
  ["hints", (id) => answerHead(id, 103)],
  ["CONTINUATION", (id) => frame(continuation, 0, id, literals([["x", "y"]])), begun],
];

for (const [what, piece, start] of floods) {
  test(`${what} without end are no answer, and cost little memory`, async () => {
    const before = process.resourceUsage().maxRSS;
    await using server = await listenFrames((socket, id) => {
      if (start !== undefined) socket.write(start(id));
      pour(socket, Buffer.concat(Array.from({ length: 500 }, () => piece(id))).toString("latin1"));
    });
    await using fetcher = createTrustingFetcher();
    const outcome = await fetcher.get({ origin: server.origin, path: "/", ...bounds });
    assert.ok(["protocol", "truncated", "connection"].includes(wordOf(outcome)), JSON.stringify(outcome));
    await closed(server.connections[0]?.socket);
    assert.ok(process.resourceUsage().maxRSS - before < 100_000);
  });
}
