import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeHtml } from "../../../src/formats/html/html-decoder.ts";
import { fc } from "../../property.ts";

const bytesRead = 1024;

test("a page of UTF-8 that does not say so is read as such, whichever character its first 1024 bytes end in", () =>
  fc.assert(
    fc.property(fc.nat(8), fc.string({ unit: "grapheme", minLength: 20 }), (missing, text) => {
      const page = Buffer.from(" ".repeat(bytesRead - missing) + text);
      assert.deepEqual(decodeHtml(page, undefined), { text: page.toString(), encoding: "utf-8" });
    }),
  ));

test("a page with a byte in its first 1024 that is no UTF-8 is read as windows-1252", () => {
  for (const at of [0, 1, bytesRead - 4, bytesRead - 2, bytesRead - 1]) {
    const page = Buffer.alloc(bytesRead + 10, "ab");
    for (const byte of [0x80, 0xc1, 0xf5, 0xff]) {
      page[at] = byte;
      assert.equal(decodeHtml(page, undefined).encoding, "windows-1252", `${byte} at ${at}`);
    }
  }
  const behind = Buffer.alloc(bytesRead + 10, "ab");
  behind[bytesRead] = 0x80;
  assert.equal(decodeHtml(behind, undefined).encoding, "utf-8");
});

test("the end of a page cuts no character", () => {
  assert.deepEqual(decodeHtml(Buffer.from("caf\xe9", "latin1"), undefined), { text: "café", encoding: "windows-1252" });
  const whole = Buffer.from(`${"a".repeat(bytesRead - 1)}\xe9`, "latin1");
  assert.equal(decodeHtml(whole, undefined).encoding, "windows-1252");
});

test("a decoder that read a damaged page reads the next one from its start", () => {
  for (const encoding of ["utf-8", "utf-16le", "shift_jis", "gb18030"]) {
    const type = `text/html; charset=${encoding}`;
    decodeHtml(Buffer.from([0x41, 0x00, 0xe3]), type);
    const { text } = decodeHtml(Buffer.from([0x42, 0x00]), type);
    assert.equal(text, encoding === "utf-16le" ? "B" : "B\0");
  }
});
