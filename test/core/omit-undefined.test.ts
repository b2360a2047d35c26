import assert from "node:assert/strict";
import { test } from "node:test";
import { omitUndefined } from "../../src/core/omit-undefined.ts";

test("what is undefined is left out, and nothing else", () => {
  assert.deepEqual(Object.keys(omitUndefined({ a: undefined, b: 0, c: false, d: "" })), ["b", "c", "d"]);
});
