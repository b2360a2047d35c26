import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyMutant, findMutants } from "./mutants.ts";

const changed = (source: string): string[] => findMutants(source).map((mutant) => applyMutant(source, mutant));

describe("findMutants", () => {
  const rows: ReadonlyArray<readonly [source: string, mutants: readonly string[]]> = [
    ["if (a) b;", ["if (true) b;", "if (false) b;"]],
    ["while (a) b;", ["while (false) b;"]],
    ["x = a ? b : c;", [";", "x = true ? b : c;", "x = false ? b : c;"]],
    ["let x = a < b;", ["let x = a <= b;", "let x = a >= b;"]],
    ["let x = a !== b;", ["let x = a === b;"]],
    ["let x = a && b;", ["let x = a || b;"]],
    ["let x = a ?? b;", ["let x = a;"]],
    ["let x = a ?? '';", []],
    ["let x = a - b;", ["let x = a + b;"]],
    ['let x = a + "b" + c;', []],
    ["let x = !a;", ["let x = a;"]],
    ["let x = 7;", ["let x = (7 + 1);"]],
    ["let x = true;", ["let x = false;"]],
    ["let x = Math.min(a, b);", ["let x = Math.max(a, b);"]],
    ["let x = a.some(f);", ["let x = a.every(f);"]],
    ["for (;;) at++;", ["for (;;) at--;"]],
    ["f(a);", [";"]],
    ["a += b;", [";", "a -= b;"]],
    ["throw new Error(a < 5 ? b : c);", []],
    ['"use strict"; import a from "b"; export const c = "text";', []],
  ];
  for (const [source, mutants] of rows)
    it(`makes of ${source} ${mutants.length} mutants`, () => assert.deepEqual(changed(source), mutants));

  it("says where each lies", () => {
    const [first] = findMutants("const a = 1;\n  if (b) c();");
    assert.deepEqual([first?.kind, first?.line, first?.column], ["number", 1, 10]);
    assert.deepEqual(findMutants("a;\n  if (b) c;").map(({ line, column }) => [line, column])[0], [2, 6]);
  });
});
