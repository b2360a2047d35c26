import assert from "node:assert/strict";
import { test } from "node:test";
import { formatChangeLine, writeChangeLine } from "../../src/formats/archive/archive.ts";
import { ByteText } from "../../src/fs/byte-text.ts";
import { fc } from "../property.ts";

test("what is put in comes out, in order, however often the buffer grows", () => {
  const piece = fc.oneof(
    fc.stringMatching(/^[ -~]{0,200}$/),
    fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constantFrom(0, 9, 10, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.boolean(), (pieces, again) => {
      const text = new ByteText(1);
      if (again) {
        text.put("something else before");
        text.clear();
      }
      for (const one of pieces) {
        if (typeof one === "number") text.putNumber(one);
        else text.put(one);
      }
      assert.equal(text.bytes.toString("latin1", 0, text.length), pieces.join(""));
    }),
  );
});

test("bytes of a buffer are appended from and to where it is said", () => {
  const text = new ByteText();
  text.put("a");
  text.putBytes(Buffer.from("0123456789"), 3, 6);
  text.putBytes(Buffer.from("x".repeat(200_000)), 0, 200_000);
  assert.equal(text.length, 200_004);
  assert.equal(text.bytes.toString("latin1", 0, 5), "a345x");
});

test("a line is written to bytes as it is to a string", () => {
  for (const digest of [undefined, "AAAAAAAAAAA"]) {
    const page = { path: "/a", sizeBytes: 2 ** 52, lastModified: 1_700_000_000, mediaType: "text/html", digest };
    for (const change of [
      { kind: "created", page } as const,
      { kind: "updated", page } as const,
      { kind: "deleted", path: "/b" } as const,
    ]) {
      const text = new ByteText();
      writeChangeLine(text, change);
      assert.equal(text.bytes.toString("latin1", 0, text.length), `${formatChangeLine(change)}\n`);
    }
  }
});
