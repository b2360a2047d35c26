import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { combineUsage, findDisallowedUse, formatUsage, noUsage, type UsagePreferences } from "../../src/core/usage.ts";
import { parseContentUsage } from "../../src/formats/usage/content-usage.ts";
import { fc } from "../property.ts";

const value = fc.constantFrom<"y" | "n">("y", "n");
const preferences: fc.Arbitrary<UsagePreferences> = fc.oneof(
  fc.constant(noUsage),
  fc.record({ "train-ai": value, "ai-use": value, search: value }, { requiredKeys: [] }),
);
const same = (a: UsagePreferences, b: UsagePreferences): void => assert.equal(formatUsage(a), formatUsage(b));

describe("combining preferences", () => {
  it("is commutative, associative and idempotent, and no preference changes nothing", () => {
    fc.assert(
      fc.property(preferences, preferences, preferences, (a, b, c) => {
        same(combineUsage(a, b), combineUsage(b, a));
        same(combineUsage(a, combineUsage(b, c)), combineUsage(combineUsage(a, b), c));
        same(combineUsage(a, b, c), combineUsage(combineUsage(a, b), c));
        same(combineUsage(a, a), a);
        same(combineUsage(a, noUsage), a);
      }),
    );
  });

  it("disallows what any statement disallows (draft-ietf-aipref-vocab-08 section 5.1)", () => {
    fc.assert(
      fc.property(fc.array(preferences), (all) => {
        const combined = combineUsage(...all);
        for (const use of ["train-ai", "ai-use", "search"] as const) {
          const values = all.map((one) => one[use]);
          const expected = values.includes("n") ? "n" : values.includes("y") ? "y" : undefined;
          assert.equal(combined[use], expected);
          assert.equal(findDisallowedUse(combined, [use]), expected === "n" ? use : undefined);
        }
      }),
    );
  });

  it("is written as it is read", () => {
    fc.assert(fc.property(preferences, (one) => same(parseContentUsage(formatUsage(one)), one)));
  });
});
