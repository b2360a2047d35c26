import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
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

test("a system that gives no address space for 4 GiB has each array in memory of its own", {
  skip: process.platform !== "linux" && "needs a limit on address space",
  timeout: 30_000,
}, () => {
  const module = new URL("../../src/analysis/shared-arrays.js", import.meta.url).href;
  const script = `const { SharedArrays } = await import(${JSON.stringify(module)});
      const arrays = new SharedArrays();
      console.log(arrays.memory === undefined, arrays.floats(5).length, arrays.integers(5)[4]);`;
  const command = 'ulimit -v 8000000; exec "$0" --input-type=module --eval "$1"';
  assert.equal(execFileSync("sh", ["-c", command, process.execPath, script], { encoding: "utf8" }), "true 5 0\n");
});
