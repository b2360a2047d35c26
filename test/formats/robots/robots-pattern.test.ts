import assert from "node:assert/strict";
import { it } from "node:test";
import { matchesRobotsPattern, parseRobotsPattern } from "../../../src/formats/robots/robots-rules.ts";
import { fc } from "../../property.ts";

/** Pieces so long that they are found by a table, and so alike that the table matters: `aaa…b` and such. */
const longPiece = fc
  .tuple(
    fc.constantFrom("a", "ab", "aab", "abab"),
    fc.integer({ min: 100, max: 180 }),
    fc.constantFrom("", "a", "b", "ba"),
  )
  .map(([unit, times, end]) => unit.repeat(times) + end)
  .map((text) => text.slice(0, 300));
const piece = fc.oneof(longPiece, fc.constantFrom("", "a", "b", "/", "ab"));

it("a long piece is found wherever a regular expression finds it", () => {
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 3 }),
      fc.array(fc.oneof(longPiece, fc.constantFrom("a", "b", "/")), { maxLength: 4 }),
      fc.boolean(),
      (pieces, parts, isAnchored) => {
        const pattern = parseRobotsPattern(`/*${pieces.join("*")}${isAnchored ? "$" : ""}`);
        assert.ok(pattern !== undefined);
        const text = `/${parts.join("")}`;
        const expected = new RegExp(`^/.*${pieces.join(".*")}${isAnchored ? "$" : ""}`).test(text);
        assert.equal(matchesRobotsPattern(pattern, { text }), expected, `${pieces.map((one) => one.length)}`);
      },
    ),
    { numRuns: 300 },
  );
});

it("a piece of 257 characters is found after one that is nearly it", () => {
  const long = `${"ab".repeat(140)}c`;
  const pattern = parseRobotsPattern(`/*${long}*z$`);
  assert.ok(pattern !== undefined && pattern.borders[1] !== undefined);
  assert.ok(matchesRobotsPattern(pattern, { text: `/abab${long}/z` }));
  assert.ok(!matchesRobotsPattern(pattern, { text: `/abab${long.slice(0, -1)}/z` }));
});
