import assert from "node:assert/strict";
import { test } from "node:test";
import { choosePager, isLongerThan, showInPager } from "../../../src/cli/terminal/pager.ts";

const choices: ReadonlyArray<readonly [Readonly<Record<string, string>>, string | undefined]> = [
  [{}, "less -FRX"],
  [{ PAGER: "more" }, "more"],
  [{ PAGER: "more", TIDEMARK_PAGER: "less -S" }, "less -S"],
  [{ PAGER: "cat" }, undefined],
  [{ PAGER: "more", TIDEMARK_PAGER: "cat" }, undefined],
  [{ PAGER: "" }, undefined],
  [{ TIDEMARK_PAGER: "", PAGER: "more" }, undefined],
  [{ PAGER: "more", TERM: "dumb" }, undefined],
  [{ PAGER: "more", TERM: "xterm" }, "more"],
];
for (const [environment, pager] of choices)
  test(`the pager of ${JSON.stringify(environment)} is ${pager ?? "none"}`, () => {
    assert.equal(choosePager(environment), pager);
  });

test("a text is as long as the lines that a terminal makes of it, and leaves room for the prompt", () => {
  const view = { columns: 10, rows: 3 };
  assert.equal(isLongerThan("a\nb\n", view), false);
  assert.equal(isLongerThan("a\nb\nc\n", view), true);
  assert.equal(isLongerThan(`a\n${"b".repeat(10)}\n`, view), false);
  assert.equal(isLongerThan(`a\n${"b".repeat(11)}\n`, view), true);
  assert.equal(isLongerThan("", view), false);
});

test("a pager that is not there, and one that closes before it has read all, are no trouble", async () => {
  const { signal } = new AbortController();
  const text = "line\n".repeat(1_000_000);
  const show = (pager: string) => showInPager(text, pager, { PATH: process.env.PATH }, signal);
  assert.equal(await show("tidemark-no-such-pager"), "missing");
  assert.equal(await show("'tidemark no such pager' 2>/dev/null"), "missing");
  assert.equal(await show("true"), "closed");
  assert.equal(await show("sh -c 'exit 3'"), "closed");
  assert.equal(await show("kill -INT $$"), "interrupted");
});

test("a pager ends when the program is told to", { timeout: 10_000 }, async () => {
  const stop = new AbortController();
  const end = showInPager("text", "sleep 60", { PATH: process.env.PATH }, stop.signal);
  stop.abort();
  assert.equal(await end, "interrupted");
});
