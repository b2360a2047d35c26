import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { TidemarkError, wrapSystemError } from "../../src/core/error.ts";
import { excerpt } from "../../src/core/result.ts";

test("a system error says what was being done, keeps its cause and says what to do", () => {
  assert.throws(
    () => {
      try {
        readFileSync("/no such file");
      } catch (error) {
        throw wrapSystemError(error, "read the list", { path: "/no such file" });
      }
    },
    (error: unknown) =>
      error instanceof TidemarkError &&
      error.code === "not-found" &&
      error.message.startsWith("Could not read the list: ") &&
      error.hint !== undefined &&
      error.details.path === "/no such file" &&
      error.details.errno === "ENOENT" &&
      error.cause instanceof Error,
  );
});

test("an unknown errno is an error of input or output, an abort is an abort", () => {
  const odd = Object.assign(new Error("odd"), { code: "EODD" });
  const wrapped = wrapSystemError(odd, "do it");
  assert.equal(wrapped instanceof TidemarkError && wrapped.code, "io");
  const abort = wrapSystemError(AbortSignal.abort().reason, "do it");
  assert.equal(abort instanceof TidemarkError && abort.code, "aborted");
});

test("an error of ours and a bug pass through, what is no error becomes one", () => {
  const ours = new TidemarkError("locked", "Somebody else works here.");
  assert.equal(wrapSystemError(ours, "do it"), ours);
  const bug = new RangeError("bug");
  assert.equal(wrapSystemError(bug, "do it"), bug);
  assert.ok(wrapSystemError("text", "do it") instanceof TypeError);
});

test("an excerpt shortens foreign text and shows its control characters", () => {
  assert.equal(excerpt("a\tb\u001b[1m"), '"a\\tb\\u001b[1m"');
  assert.equal(excerpt("abcdef", 3), '"abc…"');
  assert.equal(excerpt("abc", 3), '"abc"');
});
