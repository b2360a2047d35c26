import assert from "node:assert/strict";
import { test } from "node:test";
import { digestBytes, isDigest } from "../../src/core/page.ts";
import { fc } from "../property.ts";

test("eight bytes as base64url are a digest, and only they", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2 * digestBytes }), (bytes) => {
      assert.equal(isDigest(Buffer.from(bytes).toString("base64url")), bytes.length === digestBytes);
    }),
  );
  for (const text of ["", "-", "AAAAAAAAAAB", "AAAAAAAAAA=", "AAAAAAAAA+A", "AAAAAAAAAAA\n"]) {
    assert.equal(isDigest(text), false, JSON.stringify(text));
  }
});
