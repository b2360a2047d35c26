import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planChain, requestCostBytes } from "../../../src/formats/archive/archive-chain.ts";
import type { ArchiveEntry } from "../../../src/formats/archive/archive-index.ts";
import { fc } from "../../property.ts";

function entry(from: number, to: number, sizeBytes = 1000, group = "text-html"): ArchiveEntry {
  return { name: { from, to, group, id: `${from}-${to}-${group}` }, changes: 1, sizeBytes };
}

function intervalsOf(chain: ArchiveEntry[][] | undefined): string[] | undefined {
  return chain?.map((archives) => archives.map(({ name }) => `${name.from}-${name.to}`).join("+"));
}

/** The cost of the cheapest chain that begins exactly there, found by trying all. */
function cheapestByTrying(archives: readonly ArchiveEntry[], from: number, to: number): number | undefined {
  if (from === to) return 0;
  const costs = new Map<number, number>();
  for (const { name, sizeBytes } of archives)
    if (name.from === from && name.to <= to)
      costs.set(name.to, (costs.get(name.to) ?? 0) + sizeBytes + requestCostBytes);
  const ways = [...costs].flatMap(([next, cost]) => {
    const rest = cheapestByTrying(archives, next, to);
    return rest === undefined ? [] : [cost + rest];
  });
  return ways.length === 0 ? undefined : Math.min(...ways);
}

const intervals = fc.array(
  fc.record({
    from: fc.integer({ min: 0, max: 7 }),
    length: fc.integer({ min: 1, max: 4 }),
    size: fc.integer({ min: 0, max: 900 }),
  }),
  { maxLength: 14 },
);

describe("planChain", () => {
  it("takes the merged interval where it is cheaper, and the single ones where they are", () => {
    const single = [entry(1, 2, 100), entry(2, 3, 100), entry(3, 4, 100)];
    assert.deepEqual(intervalsOf(planChain([...single, entry(1, 3, 450)], { from: 1, to: 4 })), ["1-3", "3-4"]);
    assert.deepEqual(intervalsOf(planChain([...single, entry(1, 3, 550)], { from: 1, to: 4 })), ["1-2", "2-3", "3-4"]);
  });

  it("takes fewer intervals of equally cheap chains", () => {
    const archives = [entry(1, 2, 100), entry(2, 3, 100), entry(1, 3, 200 + requestCostBytes)];
    assert.deepEqual(intervalsOf(planChain(archives, { from: 1, to: 3 })), ["1-3"]);
    const longFirst = [entry(1, 3, 100), entry(3, 4, 100), entry(4, 6, 100)];
    const shortFirst = [entry(1, 2, 300), entry(2, 6, 300)];
    assert.deepEqual(intervalsOf(planChain([...longFirst, ...shortFirst], { from: 1, to: 6 })), ["1-2", "2-6"]);
  });

  it("takes of equally cheap chains of as many intervals the one that begins latest, then the longest steps first", () => {
    const cases: ReadonlyArray<readonly [ArchiveEntry[], string[]]> = [
      [[entry(0, 6, 100), entry(1, 6, 100), entry(2, 6, 100)], ["2-6"]],
      [
        [entry(2, 3, 100), entry(3, 6, 100), entry(2, 5, 100), entry(5, 6, 100)],
        ["2-5", "5-6"],
      ],
    ];
    for (const [archives, expected] of cases)
      for (const listed of [archives, archives.toReversed()])
        assert.deepEqual(intervalsOf(planChain(listed, { from: 2, to: 6 })), expected);
  });

  it("counts only the archives that are wanted, and keeps an interval of which none is", () => {
    const archives = [entry(1, 2, 10, "text-html"), entry(1, 2, 9000, "image-png"), entry(2, 3, 10, "image-png")];
    const wanted = ({ name }: ArchiveEntry): boolean => name.group === "text-html";
    assert.deepEqual(intervalsOf(planChain(archives, { from: 1, to: 3, wanted })), ["1-2", ""]);
  });

  it("begins at the boundary before a time on which no interval begins", () => {
    const archives = [entry(0, 1), entry(1, 3), entry(3, 5), entry(0, 5, 9000)];
    assert.deepEqual(intervalsOf(planChain(archives, { from: 2, to: 5 })), ["1-3", "3-5"]);
    assert.deepEqual(intervalsOf(planChain(archives, { from: 4, to: 5 })), ["3-5"]);
    assert.deepEqual(intervalsOf(planChain([entry(0, 5, 10), ...archives.slice(0, 3)], { from: 2, to: 5 })), ["0-5"]);
  });

  it("is empty from now, and undefined from before all, from the future, and across a gap", () => {
    const archives = [entry(1, 3), entry(3, 5), entry(6, 7)];
    assert.deepEqual(planChain(archives, { from: 5, to: 5 }), []);
    for (const [from, to] of [
      [0, 5],
      [8, 7],
      [1, 7],
      [4, 7],
    ] as const)
      assert.equal(planChain(archives, { from, to }), undefined);
  });

  it("goes around an interval that was found broken", () => {
    const archives = [entry(1, 2, 900), entry(2, 3, 900), entry(1, 3, 10)];
    const chain = planChain(archives, { from: 1, to: 3, avoid: new Set(["1_3"]) });
    assert.deepEqual(intervalsOf(chain), ["1-2", "2-3"]);
  });

  it("covers the time without a gap and is the cheapest of all chains, in whatever order the archives are listed", () => {
    fc.assert(
      fc.property(intervals, fc.nat(7), fc.nat(11), (made, from, to) => {
        const archives = made.map((interval, at) =>
          entry(interval.from, interval.from + interval.length, interval.size, `text-g${at}`),
        );
        const chain = planChain(archives, { from, to });
        const begins = Array.from({ length: from + 1 }, (_, at) => cheapestByTrying(archives, at, to));
        const costs = from > to ? [] : begins.filter((cost) => cost !== undefined);
        const cheapest = costs.length === 0 ? undefined : Math.min(...costs);
        assert.deepEqual(
          planChain([...archives].reverse(), { from, to })?.map((part) => part.length),
          chain?.map((part) => part.length),
        );
        if (chain === undefined) {
          assert.equal(cheapest, undefined);
          return;
        }
        let at = chain[0]?.[0]?.name.from ?? from;
        assert.ok(at <= from);
        for (const part of chain) {
          assert.equal(part[0]?.name.from, at);
          at = part[0]?.name.to ?? Number.NaN;
          for (const { name } of part) assert.equal(name.to, at);
        }
        assert.equal(at, to);
        const cost = chain.flat().reduce((sum, { sizeBytes }) => sum + sizeBytes + requestCostBytes, 0);
        assert.equal(cost, cheapest);
      }),
      { numRuns: 500 },
    );
  });

  it("plans a list of a hundred thousand intervals in one pass", () => {
    const archives = Array.from({ length: 100_000 }, (_, at) => entry(at, at + 1));
    assert.equal(planChain(archives, { from: 0, to: 100_000 })?.length, 100_000);
  });
});
