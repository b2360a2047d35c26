import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { maxEpochSeconds } from "../../../src/core/time.ts";
import {
  formatBase32,
  formatRecordId,
  formatWarcHead,
  maxWarcHeadBytes,
  parseWarcHead,
  revisitProfiles,
  WarcDecoder,
  type WarcHead,
  warcRecordEnd,
} from "../../../src/formats/warc/warc-record.ts";
import { fc } from "../../property.ts";

const word = fc.string({ unit: fc.constantFrom(..."abcXYZ019-_./:+é\u{1f600}"), minLength: 1, maxLength: 20 });
const date = fc.integer({ min: 0, max: maxEpochSeconds });
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

const head: fc.Arbitrary<WarcHead> = fc
  .record(
    {
      type: fc.constantFrom("response", "revisit", "request", "warcinfo", "later-type"),
      recordId: word,
      date,
      lengthBytes: fc.integer({ min: 0, max: 2 ** 49 }),
      contentType: optional(word),
      targetUri: optional(word),
      ipAddress: optional(word),
      blockDigest: optional(word),
      payloadDigest: optional(word),
      profile: optional(fc.constantFrom(...Object.values(revisitProfiles))),
      refersTo: optional(word),
      refersToTargetUri: optional(word),
      refersToDate: optional(date),
      truncated: optional(fc.constantFrom("length", "time")),
      warcinfoId: optional(word),
      filename: optional(word),
      concurrentTo: optional(fc.array(word, { minLength: 1, maxLength: 3 })),
    },
    { noNullPrototype: true },
  )
  .map(
    (all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as unknown as WarcHead,
  );

const record = fc
  .tuple(head, fc.uint8Array({ maxLength: 300 }))
  .map(([of, block]) => ({ head: { ...of, lengthBytes: block.length }, block }));

function encode({ head: of, block }: { readonly head: WarcHead; readonly block: Uint8Array }): Buffer {
  return Buffer.concat([formatWarcHead(of), block, Buffer.from(warcRecordEnd)]);
}

/** What a decoder tells of bytes that come in pieces of these lengths. */
function decode(bytes: Buffer, lengths: readonly number[]): { records: unknown[]; isOk: boolean } {
  const records: { head: WarcHead; block: Buffer; isWhole: boolean }[] = [];
  const decoder = new WarcDecoder({
    head: (of) => records.push({ head: of, block: Buffer.alloc(0), isWhole: false }),
    block: (piece) => {
      const last = records.at(-1);
      if (last !== undefined) last.block = Buffer.concat([last.block, piece]);
    },
    end: () => {
      const last = records.at(-1);
      if (last !== undefined) last.isWhole = true;
    },
  });
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    if (!decoder.push(bytes.subarray(at, at + length)).ok) return { records, isOk: false };
    at += length;
  }
  return { records, isOk: decoder.end().ok };
}

test("a head that is written is read back the same", () => {
  fc.assert(
    fc.property(head, (of) => {
      assert.deepEqual(parseWarcHead(formatWarcHead(of).subarray(0, -4)), { ok: true, value: of });
    }),
  );
});

test("records that are written are read back the same, in whatever pieces they come", () => {
  const pieces = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(fc.array(record, { maxLength: 4 }), pieces, (written, lengths) => {
      const { records, isOk } = decode(Buffer.concat(written.map(encode)), lengths);
      assert.ok(isOk);
      const expected = written.map(({ head: of, block }) => ({ head: of, block: Buffer.from(block), isWhole: true }));
      assert.deepEqual(records, expected);
    }),
  );
});

test("bytes of any kind are a record or a problem, and what is cut off is no whole record", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), fc.string(), (bytes, text) => {
      parseWarcHead(bytes);
      parseWarcHead(Buffer.from(`WARC/1.1\r\n${text}`));
      decode(Buffer.from(bytes), [7]);
    }),
  );
  fc.assert(
    fc.property(record, fc.nat(), (of, cut) => {
      const whole = encode(of);
      const part = whole.subarray(0, cut % whole.length);
      assert.equal(decode(part, [50]).isOk, part.length === 0);
    }),
  );
});

const base = "WARC-Type: response\r\nWARC-Record-ID: <urn:x>\r\nWARC-Date: 2026-11-21T10:00:00Z\r\nContent-Length: 5";

describe("a record's head", () => {
  const good: ReadonlyArray<readonly [string, string, (of: WarcHead) => boolean]> = [
    ["4: names in any case", base.toUpperCase().replace("T10:00:00Z", "t10:00:00z"), (of) => of.lengthBytes === 5],
    [
      "4: a value that goes on in the next line",
      `${base}\r\nWARC-Truncated:\r\n  length`,
      (of) => of.truncated === "length",
    ],
    [
      "5.1: unknown names are ignored",
      `${base}\r\nWARC-Later: x`,
      (of) => of.date === Date.UTC(2026, 10, 21, 10) / 1000,
    ],
    ["5.4: a date with a part of a second", base.replace("00Z", "00.123456789Z"), (of) => of.date % 60 === 0],
    [
      "5.7: several concurrent records",
      `${base}\r\nWARC-Concurrent-To: <a:b>\r\nWARC-Concurrent-To: <c:d>`,
      (of) => of.concurrentTo?.join() === "a:b,c:d",
    ],
    [
      "5.1: unknown names that stand twice, as earlier versions and others write them",
      `${base}\r\nWARC-Protocol: h2\r\nwarc-protocol: tls/1.3`,
      (of) => of.lengthBytes === 5,
    ],
    ["1.0: brackets around a URI", `${base}\r\nWARC-Target-URI: <http://a/>`, (of) => of.targetUri === "http://a/"],
  ];
  for (const [name, lines, holds] of good) {
    it(`is read: ${name}`, () => {
      const read = parseWarcHead(Buffer.from(`WARC/1.1\r\n${lines}`));
      assert.ok(read.ok && holds(read.value), JSON.stringify(read));
    });
  }
  const bad: ReadonlyArray<readonly [string, string]> = [
    ["another version", `WARC/2.0\r\n${base}`],
    ["5.1: a field that stands twice", `WARC/1.1\r\n${base}\r\nWARC-Date: 2026-11-21T10:00:00Z`],
    ["5.2: no id", `WARC/1.1\r\n${base.replace("WARC-Record-ID", "X")}`],
    ["5.3: no length", `WARC/1.1\r\n${base.replace("Content-Length", "X")}`],
    ["5.3: a length that is no number", `WARC/1.1\r\n${base}e9`],
    ["5.3: a length beyond all files", `WARC/1.1\r\n${base}0000000000000000`],
    ["5.4: no date", `WARC/1.1\r\n${base.replace("2026-11-21", "2026-13-21")}`],
    ["5.5: no type", `WARC/1.1\r\n${base.replace("WARC-Type", "X")}`],
    ["a space within an id", `WARC/1.1\r\n${base.replace("urn:x", "urn: x")}`],
    ["a line without a colon", `WARC/1.1\r\n${base}\r\nnonsense`],
    ["a control character", `WARC/1.1\r\n${base}\r\nWARC-Truncated: a\x00b`],
  ];
  for (const [name, text] of bad) it(`is not read: ${name}`, () => assert.ok(!parseWarcHead(Buffer.from(text)).ok));

  it("takes no value that would break it", () => {
    const of: WarcHead = { type: "response", recordId: "a:b", date: 0, lengthBytes: 0 };
    for (const targetUri of ["http://a/\r\nWARC-Type: x", "", " http://a/", "\0"])
      assert.throws(() => formatWarcHead({ ...of, targetUri }), RangeError);
  });

  it("is bounded: one without an end is given up", () => {
    const decoder = new WarcDecoder({
      head: () => assert.fail(),
      block: () => assert.fail(),
      end: () => assert.fail(),
    });
    const piece = Buffer.from(`X: ${"y".repeat(1000)}\r\n`);
    let pushed = 0;
    while (decoder.push(piece).ok) pushed += piece.length;
    assert.ok(pushed <= maxWarcHeadBytes);
  });
});

test("ids are UUIDs of version 4; Base32 is that of RFC 4648 section 10", () => {
  assert.equal(formatRecordId(new Uint8Array(16)), "urn:uuid:00000000-0000-4000-8000-000000000000");
  assert.equal(formatRecordId(new Uint8Array(16).fill(255)), "urn:uuid:ffffffff-ffff-4fff-bfff-ffffffffffff");
  const rows = [
    ["", ""],
    ["f", "MY"],
    ["fo", "MZXQ"],
    ["foo", "MZXW6"],
    ["foob", "MZXW6YQ"],
    ["fooba", "MZXW6YTB"],
    ["foobar", "MZXW6YTBOI"],
  ];
  for (const [text = "", coded] of rows) assert.equal(formatBase32(Buffer.from(text)), coded);
});
