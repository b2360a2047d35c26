import assert from "node:assert/strict";
import { test } from "node:test";
import { runManyLinks } from "./many-links.ts";

test("a page of ten million links is read in bounded memory and time", { timeout: 600_000 }, (t) => {
  const { found, bytes, cpuSeconds, grownBytes } = runManyLinks(10_000_000);
  t.diagnostic(
    `${(bytes / 1e6).toFixed(0)} MB, ${cpuSeconds.toFixed(1)} CPU-seconds, ${(grownBytes / 1e6).toFixed(0)} MB more`,
  );
  assert.deepEqual([found.links.length, found.dropped, found.truncated], [100_000, 9_900_000, true]);
  assert.ok(bytes > 400_000_000);
  assert.ok(grownBytes < 300_000_000, `it grew by ${grownBytes} bytes`);
  assert.ok(cpuSeconds < 180, `it took ${cpuSeconds} CPU-seconds`);
});
