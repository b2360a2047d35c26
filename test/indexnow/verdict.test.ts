import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchFailures } from "../../src/core/fetch-outcome.ts";
import { judgeAnswer, planNextRun, planRetryDelayMs } from "../../src/indexnow/verdict.ts";

import { fc } from "../property.ts";

const facts = { keyLocation: "https://example.org/k.txt", host: "example.org" };
const verdictOf = (status: number): string =>
  judgeAnswer({ kind: "answered", status, retryAt: undefined, location: undefined }, facts).kind;

// https://www.indexnow.org/documentation names 200, 202, 400, 403, 422 and 429; RFC 9110 section 15 the classes.
test("each status is told, refused or tried again", () => {
  const expected: Readonly<Record<string, readonly number[]>> = {
    told: [200, 202, 204, 299],
    refused: [300, 301, 302, 307, 308, 400, 401, 403, 404, 405, 410, 413, 415, 422, 451],
    again: [408, 425, 429, 500, 502, 503, 504, 599],
  };
  for (const [kind, statuses] of Object.entries(expected))
    for (const status of statuses) assert.equal(verdictOf(status), kind, String(status));
});

test("every failure may pass", () => {
  for (const reason of fetchFailures)
    assert.equal(judgeAnswer({ kind: "failed", reason, message: "" }, facts).kind, "again");
});

test("a foreign location cannot garble a message", () => {
  const location = `http://x/\u001b[2J${"y".repeat(10_000)}`;
  const verdict = judgeAnswer({ kind: "answered", status: 302, retryAt: undefined, location }, facts);
  assert.ok(verdict.kind === "refused" && verdict.message.length < 400 && !verdict.message.includes("\u001b"));
});

const chance = fc.double({ min: 0, max: 0.999999, noNaN: true });

test("waits double up to a bound, keep at least half of it, and never undercut the endpoint", () => {
  fc.assert(
    fc.property(fc.nat(5000), fc.nat(1e6), chance, (failures, askedMs, random) => {
      const now = 1_700_000_000_000;
      const delayMs = planRetryDelayMs(failures, undefined, now, random);
      const fullMs = Math.min(30_000, 1000 * 2 ** failures);
      assert.ok(delayMs >= fullMs / 2 && delayMs <= fullMs);
      assert.equal(planRetryDelayMs(failures, now + askedMs, now, random), Math.max(delayMs, askedMs));
      const next = planNextRun(failures, undefined, now, random) - now;
      assert.ok(next >= 30_000 && next <= 3_600_000);
      assert.ok(planNextRun(failures, now + askedMs, now, random) >= now + askedMs);
    }),
  );
});
