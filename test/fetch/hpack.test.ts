import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HpackDecoder } from "../../src/fetch/hpack-decoder.ts";
import { encodeFields } from "../../src/fetch/hpack-encoder.ts";
import { decodeHuffman } from "../../src/fetch/hpack-huffman.ts";
import type { Field } from "../../src/fetch/hpack-table.ts";
import { fc } from "../property.ts";

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll(" ", ""), "hex");
const noBound = 1e9;

const date = (second: number): Field => ["date", `Mon, 21 Oct 2013 20:13:${second} GMT`];
const location: Field = ["location", "https://www.example.com"];
const cookie: Field = ["set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"];
const asked: readonly Field[] = [
  [":method", "GET"],
  [":scheme", "http"],
  [":path", "/"],
  [":authority", "www.example.com"],
];

// RFC 7541 appendix C; where it has a table of 256 bytes, a block begins with that size.
const examples: ReadonlyArray<readonly [section: string, blocks: ReadonlyArray<readonly [string, readonly Field[]]>]> =
  [
    [
      "C.2.1",
      [["400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572", [["custom-key", "custom-header"]]]],
    ],
    ["C.2.2", [["040c 2f73 616d 706c 652f 7061 7468", [[":path", "/sample/path"]]]]],
    ["C.2.3", [["1008 7061 7373 776f 7264 0673 6563 7265 74", [["password", "secret"]]]]],
    ["C.2.4", [["82", [[":method", "GET"]]]]],
    [
      "C.3",
      [
        ["8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", asked],
        ["8286 84be 5808 6e6f 2d63 6163 6865", [...asked, ["cache-control", "no-cache"]]],
      ],
    ],
    [
      "C.4",
      [
        ["8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", asked],
        ["8286 84be 5886 a8eb 1064 9cbf", [...asked, ["cache-control", "no-cache"]]],
        [
          "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
          [
            [":method", "GET"],
            [":scheme", "https"],
            [":path", "/index.html"],
            [":authority", "www.example.com"],
            ["custom-key", "custom-value"],
          ],
        ],
      ],
    ],
    [
      "C.6",
      [
        [
          "3fe1 01" +
            "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b " +
            "97c8 e9ae 82ae 43d3",
          [[":status", "302"], ["cache-control", "private"], date(21), location],
        ],
        ["4883 640e ffc1 c0bf", [[":status", "307"], ["cache-control", "private"], date(21), location]],
        [
          "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 " +
            "dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
          [[":status", "200"], ["cache-control", "private"], date(22), location, ["content-encoding", "gzip"], cookie],
        ],
      ],
    ],
  ];

describe("blocks of fields", () => {
  for (const [section, blocks] of examples) {
    it(`are read as in RFC 7541 section ${section}`, () => {
      const decoder = new HpackDecoder();
      for (const [hex, fields] of blocks) assert.deepEqual(decoder.decode(bytesOf(hex), noBound), fields);
    });
  }

  const broken: ReadonlyArray<readonly [what: string, hex: string]> = [
    ["index 0 (6.1)", "80"],
    ["an index beyond both tables (2.3.3)", "be"],
    ["an index without end (5.1)", "ff"],
    ["an index of many bytes (5.1)", "ffffffffffffffffff0f"],
    ["a name of an index beyond (6.2)", "7f00"],
    ["a value that is longer than its block (5.2)", "400161 05 62"],
    ["no value", "400161"],
    ["a code that is not ended by ones (5.2)", "4001 6181 18"],
    ["a code of nothing but eight ones (5.2)", "4001 6181 ff"],
    ["the code of the end within (5.2)", "4001 6184 ffff ffff"],
    ["a table that is larger than ours (6.3)", "3fe2 1f"],
    ["a table's size after a field (4.2)", "8220"],
  ];
  for (const [what, hex] of broken) {
    it(`are broken by ${what}`, () => assert.equal(new HpackDecoder().decode(bytesOf(hex), noBound), "broken"));
  }

  it("are forgotten where the table is made smaller, and where it is full", () => {
    const decoder = new HpackDecoder();
    assert.deepEqual(decoder.decode(bytesOf("4001 6101 62 be"), noBound), [
      ["a", "b"],
      ["a", "b"],
    ]);
    assert.equal(decoder.decode(bytesOf("20 be"), noBound), "broken");
    const full = new HpackDecoder();
    const large = Buffer.concat([bytesOf("4001 61 7fa1 1e"), Buffer.alloc(4000, "x")]);
    assert.deepEqual(full.decode(large, noBound), [["a", "x".repeat(4000)]]);
    assert.deepEqual(full.decode(large, noBound), [["a", "x".repeat(4000)]]);
    assert.equal(full.decode(bytesOf("bf"), noBound), "broken", "only one of the two has space");
  });

  it("are bounded by what comes out of them, however short they are", () => {
    const decoder = new HpackDecoder();
    decoder.decode(Buffer.concat([bytesOf("4001 61 7fa1 1e"), Buffer.alloc(4000, "x")]), noBound);
    assert.equal(decoder.decode(Buffer.alloc(60_000, 0xbe), 32_768), "too-large");
    const atBound = new HpackDecoder();
    assert.deepEqual(atBound.decode(bytesOf("4001 6101 62"), 34), [["a", "b"]]);
    assert.equal(new HpackDecoder().decode(bytesOf("4001 6101 62"), 33), "too-large");
  });

  it("are written so that they are read as they were", () => {
    const text = fc.string({
      unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
      maxLength: 300,
    });
    const name = fc.oneof(fc.constantFrom("accept", ":path", ":method", "user-agent", "x"), text);
    const value = fc.oneof(fc.constantFrom("GET", "/", "gzip, deflate", ""), text);
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), (fields) => {
        assert.deepEqual(new HpackDecoder().decode(encodeFields(fields), noBound), fields);
      }),
    );
  });

  it("may be anything without an end of the process", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), (blocks) => {
        const decoder = new HpackDecoder();
        for (const block of blocks) {
          const fields = decoder.decode(Buffer.from(block), 1000);
          if (typeof fields !== "string")
            assert.ok(fields.reduce((sum, [name, value]) => sum + name.length + value.length + 32, 0) <= 1000);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("the code of strings", () => {
  // RFC 7541 appendix B, those that no field may have; the others are in http2.test.ts, as nghttp2 writes them.
  const codes: ReadonlyArray<readonly [byte: number, code: number, bits: number]> = [
    [0, 0x1ff8, 13],
    [1, 0x7fffd8, 23],
    [2, 0xfffffe2, 28],
    [9, 0xffffea, 24],
    [10, 0x3ffffffc, 30],
    [13, 0x3ffffffd, 30],
    [22, 0x3ffffffe, 30],
    [31, 0xffffffb, 28],
    [127, 0xffffffc, 28],
    [220, 0xffffffd, 28],
    [249, 0xffffffe, 28],
  ];
  for (const [byte, code, bits] of codes) {
    it(`has ${code.toString(16)} for ${byte}`, () => {
      const padded = code
        .toString(2)
        .padStart(bits, "0")
        .padEnd(8 * Math.ceil(bits / 8), "1");
      const bytes = padded.match(/.{8}/g) ?? [];
      assert.equal(
        decodeHuffman(Buffer.from(bytes.map((text) => Number.parseInt(text, 2)))),
        String.fromCharCode(byte),
      );
    });
  }
});
