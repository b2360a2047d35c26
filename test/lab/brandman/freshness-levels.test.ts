import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inputOf } from "../../../lab/brandman/change-intervals.ts";
import { bandwidthFor, measureFreshness } from "../../../lab/brandman/freshness-levels.ts";

describe("bandwidthFor", () => {
  const levels = [
    { bandwidth: 0, conventional: 0.2, metadata: 0.2 },
    { bandwidth: 0.5, conventional: 0.4, metadata: 1 },
    { bandwidth: 1, conventional: 0.9, metadata: 1 },
  ];

  it("goes from level to level in straight lines", () => {
    assert.ok(Math.abs((bandwidthFor(levels, "conventional", 0.3) ?? 0) - 0.25) < 1e-12);
    assert.equal(bandwidthFor(levels, "conventional", 0.4), 0.5);
    assert.equal(bandwidthFor(levels, "metadata", 1), 0.5);
  });

  it("is 0 where nothing need be done, and undefined where nothing suffices", () => {
    assert.equal(bandwidthFor(levels, "metadata", 0.1), 0);
    assert.equal(bandwidthFor(levels, "conventional", 0.95), undefined);
  });
});

describe("measureFreshness", () => {
  const model = { pages: 500, days: 40, levels: 20, metadata: 5, slowest: 365 };

  it("measures from no bandwidth to all pages a day, with meta-data never less fresh than its cost explains", () => {
    const shares: number[] = [];
    const levels = measureFreshness(inputOf("cho"), model, 1, (share) => shares.push(share));
    assert.equal(levels.length, 21);
    assert.deepEqual([levels[0]?.bandwidth, levels.at(-1)?.bandwidth], [0, 1]);
    assert.equal(levels[0]?.conventional, levels[0]?.metadata);
    assert.deepEqual([levels.at(-1)?.conventional, levels.at(-1)?.metadata], [1, 1]);
    for (const level of levels.slice(2)) assert.ok(level.metadata >= level.conventional, JSON.stringify(level));
    assert.deepEqual(shares, shares.toSorted());
  });

  it("finds perfect freshness where bandwidth pays for all changes and the meta-data", () => {
    const perfect = measureFreshness(inputOf("cho"), { ...model, levels: 100 }, 1, () => undefined).find(
      ({ metadata }) => metadata === 1,
    );
    // 0.259 changes a page and day, and 5 of 500 pages; the days differ a little.
    assert.ok(
      perfect !== undefined && perfect.bandwidth >= 0.26 && perfect.bandwidth <= 0.3,
      String(perfect?.bandwidth),
    );
  });
});
