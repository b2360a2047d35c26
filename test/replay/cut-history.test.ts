import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cutHistory, formatHistory } from "./cut-history.ts";

const event = (time: number, path: string, sizeBytes?: number) => ({ time, path, sizeBytes });

describe("cutHistory", () => {
  const events = [event(1, "a", 1), event(2, "b", 2), event(3, "b"), event(4, "a", 3), event(6, "c", 4), event(9, "a")];

  it("adds what was there before at the part's beginning, and ends before its end", () => {
    const cut = cutHistory(events, { from: 5, until: 9, onePathIn: 1 });
    assert.deepEqual(cut, [event(5, "a", 3), event(6, "c", 4)]);
  });

  it("keeps all events of a path or none, of about one path in so many", () => {
    const many = Array.from({ length: 8000 }, (_, at) => event(at, `page-${at % 4000}.html`, at));
    const cut = cutHistory(many, { from: 0, until: 8000, onePathIn: 4 });
    const paths = new Set(cut.map(({ path }) => path));
    assert.equal(cut.length, 2 * paths.size);
    assert.ok(paths.size > 900 && paths.size < 1100, `${paths.size}`);
  });
});

it("formatHistory writes what happened to a path as what it was to one that knows only the lines", () => {
  const lines = formatHistory([event(1, "a", 1), event(2, "a", 2), event(3, "a"), event(4, "a", 3)]).split("\n");
  assert.deepEqual(lines.slice(1), ["1\tA\t1\ta", "2\tM\t2\ta", "3\tD\t0\ta", "4\tA\t3\ta", ""]);
});
