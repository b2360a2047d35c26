import assert from "node:assert/strict";
import { test } from "node:test";
import { type FetchFailure, type FetchOutcome, fetchFailures } from "../../src/core/fetch-outcome.ts";
import {
  confirmValidators,
  isLasting,
  isSiteInTrouble,
  mayPassAtOnce,
  saysNoRobots,
} from "../../src/core/outcome-verdict.ts";

const answered = { receivedBytes: 0, requests: 1 };
const failed = (reason: FetchFailure): FetchOutcome => ({ kind: "failed", reason, message: "", ...answered });

// What each outcome says: the site is in trouble, it may pass at once, it lasts.
const verdicts: readonly (readonly [FetchOutcome, string])[] = [
  [failed("connection"), "trouble, passes"],
  [failed("dns"), "trouble, passes"],
  [failed("truncated"), "trouble, passes"],
  [failed("timeout"), "trouble"],
  [failed("tls"), "trouble"],
  [failed("too-large"), "lasts"],
  [failed("redirect-loop"), "lasts"],
  [failed("redirect-elsewhere"), "lasts"],
  [failed("private-address"), "lasts"],
  [failed("bad-coding"), "lasts"],
  [failed("protocol"), "lasts"],
  [failed("redirect-disallowed"), ""],
  [failed("redirect-taken"), ""],
  [failed("aborted"), ""],
  [{ kind: "unavailable", status: 503, retryAt: undefined, ...answered }, "trouble, passes"],
  [{ kind: "refused", status: 403, ...answered }, "lasts"],
  [{ kind: "gone", status: 404, ...answered }, ""],
  [{ kind: "not-modified", status: 304, validators: {}, cacheControl: undefined, ...answered }, ""],
];

for (const [outcome, expected] of verdicts) {
  const what = outcome.kind === "failed" ? outcome.reason : outcome.kind;
  test(`of ${what} is said: ${expected || "nothing"}`, () => {
    const said = [
      isSiteInTrouble(outcome) ? "trouble" : "",
      mayPassAtOnce(outcome) ? "passes" : "",
      isLasting(outcome) ? "lasts" : "",
    ];
    assert.equal(said.filter((word) => word !== "").join(", "), expected);
  });
}

test("each failure has a verdict", () => {
  const judged = verdicts.flatMap(([outcome]) => (outcome.kind === "failed" ? [outcome.reason] : []));
  assert.deepEqual(judged.sort(), [...fetchFailures].sort());
});

test("only an answer without a file, or redirects without end, say that there is no robots.txt (RFC 9309 section 2.3.1)", () => {
  const none = verdicts.flatMap(([outcome]) => (saysNoRobots(outcome) ? [outcome] : []));
  assert.deepEqual(
    none.map((outcome) => (outcome.kind === "failed" ? outcome.reason : outcome.kind)),
    // Sections 2.3.1.2 (more than five redirects) and 2.3.1.3 (unavailable).
    ["redirect-loop", "refused", "gone"],
  );
});

test("a 304 replaces the validators that it says, and drops none that it leaves out (RFC 9110 section 15.4.5)", () => {
  const held = { etag: '"1"', lastModified: "then" };
  assert.equal(confirmValidators(held, {}), held);
  assert.equal(confirmValidators(held, { etag: '"1"' }), held);
  assert.deepEqual(confirmValidators(held, { etag: '"2"' }), { etag: '"2"', lastModified: "then" });
  assert.deepEqual(confirmValidators(held, { lastModified: "now" }), { etag: '"1"', lastModified: "now" });
  assert.deepEqual(confirmValidators({}, { etag: '"2"' }), { etag: '"2"' });
});
