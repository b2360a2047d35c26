import assert from "node:assert/strict";
import { test } from "node:test";
import { classifyError, type Progress } from "../../src/http/failure.ts";

function systemError(code: string, message = code): Error {
  return Object.assign(new Error(message), { code });
}

// What a loopback server cannot bring about.
const failures: readonly (readonly [Error, Progress, string])[] = [
  [systemError("EAI_AGAIN"), "connecting", "dns"],
  [systemError("ETIMEDOUT"), "connecting", "timeout"],
  [systemError("EHOSTUNREACH"), "connecting", "connection"],
  [systemError("ENETUNREACH"), "connecting", "connection"],
  [systemError("CERT_HAS_EXPIRED"), "connecting", "tls"],
  [systemError("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), "connecting", "tls"],
  [systemError("ERR_TLS_CERT_ALTNAME_INVALID"), "connecting", "tls"],
  [systemError("EPIPE"), "sent", "connection"],
  [systemError("ECONNRESET"), "body", "truncated"],
  [systemError("ERR_ASSERTION"), "body", "protocol"],
  [new Error("what is this"), "sent", "connection"],
];

for (const [error, progress, reason] of failures) {
  test(`${error.message} while ${progress} is ${reason}`, () => {
    assert.deepEqual(classifyError(error, progress), { reason, message: error.message });
  });
}

test("where every address of a name was refused, the first refusal is told", () => {
  const refusal = systemError("ECONNREFUSED", "connect ECONNREFUSED ::1:80");
  const error = Object.assign(new AggregateError([refusal, systemError("ECONNREFUSED")]), { code: "ECONNREFUSED" });
  assert.deepEqual(classifyError(error, "connecting"), { reason: "connection", message: refusal.message });
});
