import assert from "node:assert/strict";
import { it } from "node:test";
import { formatScores, formatSurvivors, type Tried, wilson } from "./score.ts";

const tried = (module: string, fate: Tried["fate"]): Tried => ({
  module,
  fate,
  mutant: { kind: "number", start: 0, end: 1, text: "2", line: 1, column: 0 },
  place: `${module}:1`,
  change: "1 -> 2",
});

it("wilson gives the interval of a share, also at its ends", () => {
  // E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927.
  assert.deepEqual(
    wilson(8, 10).map((bound) => bound.toFixed(3)),
    ["0.490", "0.943"],
  );
  assert.deepEqual(
    wilson(0, 10).map((bound) => bound.toFixed(3)),
    ["0.000", "0.278"],
  );
  assert.deepEqual(
    wilson(10, 10).map((bound) => bound.toFixed(3)),
    ["0.722", "1.000"],
  );
});

it("formatScores counts what was noticed by folder, and formatSurvivors lists what was not", () => {
  const all = [tried("src/a/x.js", "killed"), tried("src/a/y.js", "survived"), tried("src/b/z.js", "timed out")];
  const lines = formatScores(
    all,
    new Map([
      ["src/a", 9],
      ["src/b", 5],
    ]),
  ).split("\n");
  assert.deepEqual(lines.slice(2, 5), [
    "| `src/a` | 9 | 2 | 1 | 50 % | 9 to 91 % |",
    "| `src/b` | 5 | 1 | 1 | 100 % | 21 to 100 % |",
    "| all | 14 | 3 | 2 | 67 % | 21 to 94 % |",
  ]);
  assert.equal(formatSurvivors(all), "src/a/y.js:1 number: 1 -> 2\n");
});
