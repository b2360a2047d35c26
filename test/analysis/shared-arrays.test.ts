import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedArrays } from "../../src/analysis/shared-arrays.ts";

test("arrays are 0, lie beside each other in one memory, and none writes into another", () => {
  const arrays = new SharedArrays();
  const made = [arrays.integers(3), arrays.floats(20_000), arrays.integers(0), arrays.floats(1)];
  for (const one of made) {
    assert.equal(one.buffer.slice(0, 0).constructor, SharedArrayBuffer);
    assert.ok(one.every((number) => number === 0));
  }
  for (const [at, one] of made.entries()) one.fill(at + 1);
  for (const [at, one] of made.entries()) assert.ok(one.every((number) => number === at + 1));
  assert.equal(made.at(-1)?.buffer.byteLength, arrays.memory?.buffer.byteLength);
});

test("what does not fit into 4 GiB lies elsewhere, and no memory holds all arrays", () => {
  const arrays = new SharedArrays();
  // It is not written to, so it takes no memory.
  const large = arrays.integers(2 ** 30 - 1);
  const more = arrays.floats(5).fill(7);
  assert.equal(arrays.memory, undefined);
  assert.deepEqual([large.length, large[5], [...more]], [2 ** 30 - 1, 0, [7, 7, 7, 7, 7]]);
  assert.ok(arrays.integers(4).every((number) => number === 0));
});
