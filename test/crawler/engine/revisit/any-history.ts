import type { ChangeHistory } from "../../../../src/crawler/engine/revisit/change-rate.ts";
import { fc } from "../../../property.ts";

const anyNumber = fc.oneof(fc.double({ min: 0, max: 1e12 }), fc.constantFrom(0, Number.NaN, Number.POSITIVE_INFINITY));

/** What may be kept of a page, by whoever: numbers that no visits give, too. */
export const anyKeptHistory: fc.Arbitrary<ChangeHistory> = fc.record({
  visits: anyNumber,
  changes: anyNumber,
  changedSeconds: anyNumber,
  changedSquares: anyNumber,
  datedChanges: anyNumber,
  quietSeconds: anyNumber,
  falseDates: anyNumber,
});
