import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { KnownWays } from "../../../src/crawler/web/known-ways.ts";

const way = (inSite: number, hops: number): { depth: number; inSite: number; hops: number } => ({
  depth: 9,
  inSite,
  hops,
});

describe("KnownWays", () => {
  it("gives the fewest links within the site and the fewest hops of all ways", () => {
    const ways = new KnownWays(7);
    ways.note("http://a/", way(3, 1));
    assert.deepEqual(ways.shorten("http://a/", way(5, 0)), way(3, 0));
    ways.note("http://a/", way(2, 4));
    assert.deepEqual(ways.shorten("http://a/", way(100_000, 100_000)), { ...way(2, 0) });
  });

  it("knows no way to a page that was not noted, also where another one has its place", () => {
    const ways = new KnownWays(7);
    assert.equal(ways.shorten("http://a/", way(1, 1)), undefined);
    const count = 100_000;
    for (let page = 0; page < count; page++) ways.note(`http://b/${page}`, way(1, 1));
    for (let page = 0; page < count; page++) ways.note(`http://c/${page}`, way(5, 5));
    const found = Array.from({ length: count }, (_, page) => ways.shorten(`http://c/${page}`, way(9, 9)));
    const known = found.filter((one) => one !== undefined);
    assert.ok(known.length > 0.9 * count && known.length < count, String(known.length));
    // By chance one in 2^16 of those that share a place is taken for another.
    assert.ok(known.filter(({ inSite }) => inSite !== 5).length <= 2);
  });
});
