import assert from "node:assert/strict";
import { test } from "node:test";
import { isDigest } from "../../src/core/page.ts";
import { contentId, createDigest, digestOf, realTiming } from "../../src/http/node-adapters.ts";

// FIPS 180-2 appendix B.1: the SHA-256 of "abc" is ba7816bf 8f01cfea ...
test("an archive's id is the beginning of its SHA-256", () => {
  assert.equal(contentId(Buffer.from("abc")), "ba7816bf8f01cfea");
});

test("a page's digest is the same whatever the pieces", () => {
  const whole = createDigest();
  whole.update(Buffer.from("abc"));
  const pieces = createDigest();
  for (const piece of ["a", "", "bc"]) pieces.update(Buffer.from(piece));
  const digest = whole.digest();
  assert.equal(digest, Buffer.from("ba7816bf8f01cfea", "hex").toString("base64url"));
  assert.equal(pieces.digest(), digest);
  assert.equal(digestOf(Buffer.from("abc")), digest);
  assert.ok(isDigest(digest));
});

test("a wait of months does not end at once", async () => {
  const [halted, waited] = [new AbortController(), { isOver: false }];
  const wait = realTiming()
    .delay(90 * 86_400_000, halted.signal)
    .then(() => {
      waited.isOver = true;
    });
  await realTiming().delay(20, undefined);
  assert.equal(waited.isOver, false);
  halted.abort();
  await wait;
});
