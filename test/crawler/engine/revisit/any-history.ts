import type { ChangeHistory } from "../../../../src/crawler/engine/revisit/change-rate.ts";
import { fc } from "../../../property.ts";

/** A number as it may be kept, by whoever: one that no visit gives, too. */
export const anyKeptNumber: fc.Arbitrary<number> = fc.oneof(
  fc.double(),
  fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e308, 5e-324, 2 ** 53),
  fc.double({ min: 0, max: 1e8, noNaN: true }),
);

/** What may be kept of a page, by whoever. */
export const anyKeptHistory: fc.Arbitrary<ChangeHistory> = fc.record({
  visits: anyKeptNumber,
  changes: anyKeptNumber,
  changedSeconds: anyKeptNumber,
  changedSquares: anyKeptNumber,
  datedChanges: anyKeptNumber,
  quietSeconds: anyKeptNumber,
  falseDates: anyKeptNumber,
});
