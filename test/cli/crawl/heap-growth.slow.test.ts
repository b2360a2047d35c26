import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

const moduleOf = new URL("../../../src/cli/crawl/heap-growth.js", import.meta.url).href;

/** Prints how large the heap gets, in bytes, while objects die in the old generation. */
const program = (isBounded: boolean): string => `
  const { boundHeapGrowth } = await import(${JSON.stringify(moduleOf)});
  if (${isBounded}) boundHeapGrowth();
  const make = () => Array.from({ length: 10 }, (_, at) => ({ at }));
  const ring = Array.from({ length: 60_000 }, make);
  let most = 0;
  for (let turn = 0; turn < 1_500_000; turn++) {
    ring[turn % ring.length] = make();
    if (turn > 500_000 && turn % 1000 === 0) most = Math.max(most, process.memoryUsage().heapUsed);
  }
  process.stdout.write(String(most));
`;

function peakOf(isBounded: boolean): number {
  const options = ["--input-type=module", "--eval", program(isBounded)];
  const { status, stdout, stderr } = spawnSync(process.execPath, options, { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return Number(stdout);
}

test("the heap of a crawl of the Web grows less before old garbage is collected", () => {
  const [bounded, free] = [peakOf(true), peakOf(false)];
  assert.ok(bounded < free * 0.85, `${bounded} bytes of heap, ${free} without a bound`);
});
