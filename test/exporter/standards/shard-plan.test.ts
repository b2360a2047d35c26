import assert from "node:assert/strict";
import { test } from "node:test";
import { type ShardPlan, SitemapShardPlanner, shardFileName } from "../../../src/exporter/standards/shard-plan.ts";
import type { PublishedShard } from "../../../src/exporter/standards/standards-state.ts";
import { maxSitemapBytes } from "../../../src/formats/sitemap/index.ts";
import { fc } from "../../property.ts";

// A site as its pages' last-modified; and what was published of it.
type Pages = ReadonlyMap<string, number>;

function plan(
  published: readonly PublishedShard[],
  before: Pages,
  after: Pages,
  targetPages?: number,
): readonly ShardPlan[] {
  const planner = new SitemapShardPlanner(published, targetPages);
  for (const path of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const lastModified = after.get(path);
    if (lastModified === undefined) planner.remove(path);
    else planner.add(path, lastModified, 150, before.get(path) !== lastModified);
  }
  return planner.finish();
}

const publish = (shards: readonly ShardPlan[]): PublishedShard[] =>
  shards.map(({ from, pages, lastModified, unchanged }) => ({
    from,
    pages,
    lastModified,
    digest: unchanged?.digest ?? "written",
    at: 1,
  }));

/** The pages of each shard, as its boundaries say. */
function contents(shards: readonly { readonly from: string }[], pages: Pages): ReadonlyMap<string, string> {
  const texts = new Map<string, string>(shards.map((shard) => [shard.from, ""]));
  let at = 0;
  for (const path of [...pages.keys()].sort()) {
    while (path >= (shards[at + 1]?.from ?? "\uffff")) at++;
    const from = shards[at]?.from ?? "";
    texts.set(from, `${texts.get(from)}${path} ${pages.get(path)}\n`);
  }
  return texts;
}

const number = (at: number): string => `/${String(at).padStart(8, "0")}`;
const numbered = (count: number, step = 1): Map<string, number> =>
  new Map(Array.from({ length: count }, (_, at) => [number(at * step), 1000]));
const none: Pages = new Map();

test("a first publication is cut into shards of about 5000, and none has no pages", () => {
  assert.deepEqual(plan([], none, none), []);
  assert.deepEqual(plan([], none, numbered(1)), [
    { from: "/00000000", pages: 1, lastModified: 1000, unchanged: undefined },
  ]);
  for (const [pages, shards] of [
    [10_000, 1],
    [10_001, 2],
    [50_000, 10],
    [50_001, 10],
    [200_000, 40],
  ] as const) {
    const planned = plan([], none, numbered(pages));
    assert.equal(planned.length, shards, `${pages}`);
    assert.equal(
      planned.reduce((sum, shard) => sum + shard.pages, 0),
      pages,
    );
    if (shards > 1) for (const shard of planned) assert.ok(Math.abs(shard.pages - 5000) <= 625, `${shard.pages}`);
  }
});

test("a shard that becomes too small is merged with the smaller neighbour; one that becomes empty touches none", () => {
  const before = numbered(20_000);
  const published = publish(plan([], none, before));
  assert.equal(published.length, 4);
  const emptied = new Map(
    [...before].filter(([path]) => path < (published[1]?.from ?? "") || path >= (published[2]?.from ?? "")),
  );
  const without = plan(published, before, emptied);
  assert.deepEqual(
    without.map((shard) => shard.unchanged),
    [published[0], published[2], published[3]],
  );
  const few = new Map([...emptied, ["/00005500", 1000], ["/00014999", 1000]].slice(0, -1) as [string, number][]);
  few.delete("/00010500");
  const merged = plan(published, before, few);
  assert.equal(merged.length, 3);
  assert.deepEqual(
    merged.map((shard) => shard.unchanged !== undefined),
    [true, false, true],
  );
  assert.equal(merged[1]?.from, published[1]?.from);
});

test("many small shards are merged until they are large enough", () => {
  const pages = numbered(1000);
  const published = publish(plan([], none, pages, 10));
  assert.equal(published.length, 100);
  const merged = plan(published, pages, pages, 1000);
  assert.ok(merged.length <= 4, `${merged.length}`);
});

test("a shard's document stays within its bytes, also where large entries stand together", () => {
  const planner = new SitemapShardPlanner([], 1000);
  const sizeOf = (at: number): number => Math.floor(maxSitemapBytes / (at < 500 ? 1000 : 33));
  for (let at = 0; at < 1000; at++) planner.add(number(at), 1, sizeOf(at), true);
  let at = 0;
  const planned = planner.finish();
  for (const shard of planned) {
    let bytes = 0;
    for (const end = at + shard.pages; at < end; at++) bytes += sizeOf(at);
    assert.ok(bytes <= maxSitemapBytes, `${bytes}`);
  }
  assert.equal(at, 1000);
  assert.ok(planned.length < 40, `${planned.length}`);
});

test("of two neighbours the smaller takes in a shard that is too small; the one before if they are equal", () => {
  const rows = [
    { sizes: [60, 5, 40], boundaries: [0, 60] },
    { sizes: [40, 5, 60], boundaries: [0, 45] },
    { sizes: [40, 5, 40], boundaries: [0, 45] },
    { sizes: [76, 5, 40], boundaries: [0, 76] },
    { sizes: [40, 5, 76], boundaries: [0, 45] },
    { sizes: [76, 5, 78], boundaries: [0, 76, 81] },
  ] as const;
  for (const { sizes, boundaries } of rows) {
    const pages = numbered(sizes[0] + sizes[1] + sizes[2]);
    const starts = [0, sizes[0], sizes[0] + sizes[1]];
    const published = starts.map((start, at) => ({
      from: number(start),
      pages: sizes[at] ?? 0,
      lastModified: 1000,
      digest: "",
      at: 1,
    }));
    const planned = plan(published, pages, pages, 40);
    assert.deepEqual(
      planned.map((shard) => shard.from),
      boundaries.map(number),
      `${sizes}`,
    );
  }
});

test("memory that disagrees with the pages is not believed", () => {
  for (const [pages, lastModified, isRight] of [
    [1, 5, true],
    [2, 5, false],
    [1, 4, false],
  ] as const) {
    const planner = new SitemapShardPlanner([{ from: "/a", pages, lastModified, digest: "", at: 1 }]);
    planner.add("/a", 5, 100, false);
    assert.equal(planner.finish()[0]?.unchanged !== undefined, isRight);
  }
});

test("memory or pages out of order throw", () => {
  const shard = { from: "/b", pages: 1, lastModified: 1, digest: "", at: 1 };
  assert.throws(() => new SitemapShardPlanner([shard, shard]), RangeError);
  for (const targetPages of [0, 0.5, 25_001]) assert.throws(() => new SitemapShardPlanner([], targetPages), RangeError);
  const planner = new SitemapShardPlanner([]);
  planner.add("/b", 1, 100, true);
  assert.throws(() => planner.add("/b", 1, 100, true), RangeError);
  assert.throws(() => planner.remove("/a"), RangeError);
});

test("a shard's file is named by its boundary", () => {
  assert.equal(shardFileName("/"), "sitemap-8a5edab282632443.xml");
  assert.notEqual(shardFileName("/a"), shardFileName("/b"));
});

const path = fc.integer({ min: 0, max: 400 }).map(number);
const day = fc.array(fc.tuple(path, fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })), { maxLength: 60 });
const target = fc.integer({ min: 1, max: 40 });

test("for any history: shards tile the site, what is not rewritten is right, and no boundary moves elsewhere", () => {
  fc.assert(
    fc.property(fc.array(day, { minLength: 1, maxLength: 8 }), target, (days, targetPages) => {
      let before: Pages = none;
      let published: readonly PublishedShard[] = [];
      for (const changes of days) {
        const after = new Map(before);
        for (const [changed, lastModified] of changes) {
          if (lastModified === undefined) after.delete(changed);
          else after.set(changed, lastModified);
        }
        const planned = plan(published, before, after, targetPages);
        assert.deepEqual(plan(published, before, after, targetPages), planned);
        const old = contents(published, before);
        const now = contents(planned, after);
        const hard = 2 * targetPages;
        for (const [at, shard] of planned.entries()) {
          const text = now.get(shard.from) ?? "";
          const lines = text.split("\n").slice(0, -1);
          assert.equal(lines.length, shard.pages);
          assert.ok(shard.pages >= 1 && shard.pages <= hard, `${shard.pages} of ${hard}`);
          assert.equal(Math.max(...lines.map((line) => Number(line.split(" ")[1]))), shard.lastModified);
          if (shard.unchanged !== undefined) {
            assert.equal(text, old.get(shard.from));
            assert.equal(shard.unchanged.from, shard.from);
          }
          const next = planned[at + 1];
          if (next !== undefined) assert.ok(shard.from < next.from);
        }
        // Where nothing changed, no boundary moves and nothing is rewritten, unless a neighbour became too small.
        for (const shard of published) {
          const isTouched = changes.some(
            ([changed]) => before.get(changed) !== after.get(changed) && ownerOf(published, changed) === shard.from,
          );
          if (isTouched || shard.pages > hard || shard.pages * 4 < targetPages) continue;
          const kept = planned.find((candidate) => candidate.from === shard.from);
          if (kept === undefined || kept.pages !== shard.pages)
            assert.ok(hasSmallNeighbour(published, after, shard.from, targetPages), shard.from);
          else assert.equal(kept.unchanged, shard);
        }
        before = after;
        published = publish(planned);
      }
    }),
    { numRuns: 300 },
  );
});

function ownerOf(shards: readonly PublishedShard[], of: string): string | undefined {
  return (shards.findLast((shard) => shard.from <= of) ?? shards[0])?.from;
}

// Whether the pages that are left of a neighbour are too few for a shard; empty ones between count for nothing.
function hasSmallNeighbour(published: readonly PublishedShard[], after: Pages, from: string, target: number): boolean {
  const counts = new Map<string, number>();
  for (const page of after.keys()) {
    const owner = ownerOf(published, page) ?? "";
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  const live = published.filter((shard) => counts.has(shard.from));
  const at = live.findIndex((shard) => shard.from === from);
  return [at - 1, at + 1].some((near) => {
    const pages = counts.get(live[near]?.from ?? "\uffff");
    return pages !== undefined && pages * 4 < target;
  });
}
