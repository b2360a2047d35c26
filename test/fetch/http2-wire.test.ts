import assert from "node:assert/strict";
import { test } from "node:test";
import { Http2Wire, type WireListener } from "../../src/fetch/http2-wire.ts";
import { fc } from "../property.ts";
import { answerHead, body, flags, frame, frameTypes, greeting, uint32 } from "./http2-frames.ts";

const always = (): boolean => true;

/** What a wire tells of bytes that come in pieces of these lengths. */
function tell(bytes: Buffer, lengths: readonly number[]): { told: unknown[]; broken: string | undefined; out: number } {
  const told: unknown[] = [];
  const listener: WireListener = {
    onFields: (id, fields, isEnd) => told.push(["fields", id, fields, isEnd]),
    onData: (id, piece, isEnd) => told.push(["data", id, piece.toString("latin1"), isEnd]),
    onReset: (id, code) => told.push(["reset", id, code]),
    onFarewell: (farewell) => told.push(["farewell", farewell]),
  };
  const wire = new Http2Wire(32_768, listener);
  wire.request(1, [[":method", "GET"]], Buffer.alloc(0));
  let at = 0;
  let out = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const end = at + Math.max(1, lengths[turn % Math.max(1, lengths.length)] ?? bytes.length);
    const violation = wire.receive(bytes.subarray(at, end), always);
    out += wire.takeOutput().reduce((sum, piece) => sum + piece.length, 0);
    if (violation !== undefined) return { told, broken: violation.message, out };
    at = end;
  }
  return { told, broken: undefined, out };
}

const anyFrame = fc
  .tuple(
    fc.integer({ min: 0, max: 11 }),
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom(0, 1, 2, 3),
    fc.uint8Array({ maxLength: 40 }),
  )
  .map(([type, flag, id, payload]) => frame(type, flag, id, payload));
const goodFrame = fc.constantFrom(
  answerHead(1, 200),
  answerHead(1, 200, [["etag", "x"]], 0),
  frame(frameTypes.continuation, flags.endHeaders, 1),
  body(1, "hello", 0),
  body(1, "world"),
  frame(frameTypes.ping, 0, 0, "12345678"),
  frame(frameTypes.settings, flags.ack, 0),
  frame(frameTypes.reset, 0, 1, uint32(8)),
  frame(frameTypes.goaway, 0, 0, uint32(1, 0)),
  frame(frameTypes.window, 0, 1, uint32(9)),
);
const pieces = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 5 });

test("whatever frames come, in whatever pieces, the same is told and nothing is thrown", () => {
  const frames = fc.array(fc.oneof({ weight: 3, arbitrary: goodFrame }, anyFrame), { maxLength: 12 });
  fc.assert(
    fc.property(frames, pieces, fc.boolean(), (list, lengths, isGreeted) => {
      const bytes = Buffer.concat([...(isGreeted ? [greeting] : []), ...list]);
      const { told, broken, out } = tell(bytes, lengths);
      assert.deepEqual(tell(bytes, []), { told, broken, out });
      assert.ok(out <= 500 + 2 * bytes.length, "what is answered is bounded by what comes");
    }),
    { numRuns: 3000 },
  );
});

test("whatever bytes come, nothing is thrown", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), pieces, (bytes, lengths) => void tell(Buffer.from(bytes), lengths)),
  );
});

test("a body opens the windows again when half of them is filled, and not for every piece", () => {
  const chunk = body(1, "x".repeat(16_000), 0);
  const bytes = Buffer.concat([greeting, answerHead(1, 200), ...Array.from({ length: 200 }, () => chunk)]);
  const { told, broken, out } = tell(bytes, [20_000]);
  assert.equal(broken, undefined);
  assert.equal(told.length, 201);
  const first = tell(greeting, []).out;
  assert.equal(out - first, Math.floor((200 * 16_000) / (33 * 16_000)) * 2 * 13);
});

test("a frame of 16 KiB is taken, and not a byte more", () => {
  const { data } = frameTypes;
  assert.equal(tell(Buffer.concat([greeting, frame(data, 0, 1, "x".repeat(16_384))]), []).broken, undefined);
  const longer = frame(data, 0, 1, "x".repeat(16_385));
  assert.equal(tell(Buffer.concat([greeting, longer]), []).broken, "a frame that is too large");
});
