import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type ChangingPages,
  drawPhases,
  refreshByMetadata,
  refreshByTurns,
} from "../../../lab/brandman/refreshed-repository.ts";
import { createRandom } from "../../../src/core/random.ts";
import { fc } from "../../property.ts";

/** Both crawlers of section 6, day by day and page by page as the paper's numbered steps have them. */
function crawlNaively(web: ChangingPages, days: number, limit: number, metadata: number | undefined): number {
  const pages = [...web.intervalDays.keys()];
  const isChangedOn = (page: number, day: number): boolean => {
    const interval = web.intervalDays[page] ?? 0;
    for (let time = web.phaseDays[page] ?? 0; time <= day; time += interval) if (time > day - 1) return true;
    return false;
  };
  const isFresh = pages.map(() => true);
  let next = 0;
  for (let day = 1; day <= days; day++) {
    for (const page of pages) if (isChangedOn(page, day)) isFresh[page] = false;
    if (metadata === undefined) {
      for (let count = 0; count < Math.min(limit, pages.length); count++) {
        isFresh[next] = true;
        next = (next + 1) % pages.length;
      }
      continue;
    }
    const order = [...pages.slice(next), ...pages.slice(0, next)];
    const found = order.filter((page) => isFresh[page] === false).slice(0, Math.max(0, limit - metadata));
    for (const page of found) isFresh[page] = true;
    const last = found.at(-1);
    if (last !== undefined && found.length === Math.max(0, limit - metadata)) next = (last + 1) % pages.length;
  }
  return isFresh.filter((fresh) => fresh).length / pages.length;
}

// Halves and quarters are added without rounding.
const anyWeb = fc
  .array(fc.tuple(fc.integer({ min: 4, max: 60 }), fc.integer({ min: 1, max: 60 })), { minLength: 1, maxLength: 30 })
  .map(
    (pairs): ChangingPages => ({
      intervalDays: Float64Array.from(pairs, ([interval]) => interval / 4),
      phaseDays: Float64Array.from(pairs, ([interval, phase]) => (1 + (phase % interval)) / 4),
    }),
  );

describe("the crawlers of Figure 6", () => {
  it("come to what steps taken one by one come to", () => {
    fc.assert(
      fc.property(anyWeb, fc.integer({ min: 1, max: 20 }), fc.nat(35), fc.nat(5), (web, days, limit, metadata) => {
        assert.equal(refreshByTurns(web, days, limit), crawlNaively(web, days, limit, undefined));
        assert.equal(refreshByMetadata(web, days, limit, metadata), crawlNaively(web, days, limit, metadata));
      }),
      { numRuns: 400 },
    );
  });

  it("keep everything fresh with bandwidth for all pages, and nothing that changes with none", () => {
    const web = drawPhases(
      Float64Array.from({ length: 50 }, (_, at) => 1 + (at % 9)),
      createRandom(1),
    );
    assert.equal(refreshByTurns(web, 30, 50), 1);
    assert.equal(refreshByMetadata(web, 30, 50, 0), 1);
    assert.equal(refreshByTurns(web, 30, 0), 0);
    assert.equal(refreshByMetadata(web, 30, 8, 8), 0);
  });
});
