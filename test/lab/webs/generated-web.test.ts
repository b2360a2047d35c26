import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { generateWeb } from "../../../lab/webs/generated-web.ts";
import { webOfGraph } from "../../../lab/webs/read-web.ts";
import { findSiteExponent } from "../../../lab/webs/site-sizes.ts";
import type { Web } from "../../../lab/webs/web.ts";
import { defaultWebShape, type WebShape } from "../../../lab/webs/web-shape.ts";
import { inDegrees, targetsOf } from "../../../src/graph/graph.ts";
import { GraphBuilder } from "../../../src/graph/graph-builder.ts";
import { computePageRank } from "../../../src/graph/page-rank.ts";
import { fc } from "../../property.ts";
import { numbersFrom } from "../numbers.ts";

/** How many pages each site has. */
function countSitePages(web: Pick<Web, "sites" | "siteOf">): Uint32Array {
  const counts = new Uint32Array(web.sites);
  for (const site of web.siteOf) counts[site] = (counts[site] ?? 0) + 1;
  return counts;
}

const small: Partial<WebShape> = { pages: 20_000, sites: 400, siteCap: 2500 };
const mean = (values: Float32Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function digestOf(web: Web): string {
  const hash = createHash("sha256");
  for (const array of [
    web.graph.offsets,
    web.graph.targets,
    web.siteOf,
    web.homes,
    web.sizeBytes,
    web.changesPerDay,
    web.latencySeconds,
    web.bytesPerSecond,
  ])
    hash.update(array);
  return hash.digest("hex");
}

test("a web is the same for the same numbers, and another for others", () => {
  const digest = digestOf(generateWeb(small, numbersFrom(1)));
  assert.equal(digestOf(generateWeb(small, numbersFrom(1))), digest);
  assert.notEqual(digestOf(generateWeb(small, numbersFrom(2))), digest);
});

test("whatever is asked for, pages go into sites, and every page is reached from its home page", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 600 }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 200 }),
      fc.nat(1000),
      (pages, wanted, cap, seed) => {
        const sites = Math.max(Math.ceil(pages / cap), Math.min(pages, wanted));
        const web = generateWeb({ pages, sites, siteCap: cap }, numbersFrom(seed));
        const counts = countSitePages(web);
        assert.deepEqual([web.pages, web.sites, counts.length, web.homes.length], [pages, sites, sites, sites]);
        assert.ok(counts.every((count) => count >= 1 && count <= cap));
        assert.equal(web.graph.nodes, pages);
        assert.ok(web.graph.targets.every((target) => target < pages));
        for (const [site, home] of web.homes.entries()) {
          const reached = new Set([home]);
          for (const page of reached)
            for (const target of targetsOf(web.graph, page)) if (web.siteOf[target] === site) reached.add(target);
          assert.equal(reached.size, counts[site]);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test("sites follow a power law with a cap, of the exponent that pages and sites ask for", () => {
  const web = generateWeb({ pages: 350_000, sites: 5000, linksPerPage: 0 }, numbersFrom(3));
  const counts = countSitePages(web).sort();
  const exponent = findSiteExponent(350_000, 5000, 25_000);
  assert.ok(exponent > 1.6 && exponent < 1.8, `${exponent}`);
  for (const s of [2, 5, 20, 100, 1000, 5000, 25_000]) {
    const ours = counts.filter((count) => count >= s).length / 5000;
    const theirs = s ** (1 - exponent);
    assert.ok(Math.abs(ours - theirs) < 0.02 * theirs + 0.0004, `${s}: ${ours} is not ${theirs}`);
  }
  assert.equal(counts.at(-1), 25_000);
});

/** The exponent with which links from other sites grow with a site's pages, by least squares on logarithms of sums. */
function popularityOf(web: Web): number {
  const counts = countSitePages(web);
  const links = new Float64Array(web.sites);
  for (let page = 0; page < web.pages; page++)
    for (const target of targetsOf(web.graph, page)) {
      const [from = 0, to = 0] = [web.siteOf[page], web.siteOf[target]];
      if (from !== to) links[to] = (links[to] ?? 0) + 1;
    }
  const sum = (low: number, high: number) => {
    let [pages, sites, all] = [0, 0, 0];
    for (const [site, count] of counts.entries()) {
      if (count < low || count >= high) continue;
      pages += count;
      sites++;
      all += links[site] ?? 0;
    }
    return { size: pages / sites, links: all / sites };
  };
  const [lesser, larger] = [sum(8, 12), sum(800, 1200)];
  return Math.log(larger.links / lesser.links) / Math.log(larger.size / lesser.size);
}

test("links from other sites grow with a site's pages as the shape says", () => {
  for (const exponent of [1, 1.6]) {
    const shape = { pages: 200_000, sites: 10_000, siteCap: 2500, popularityExponent: exponent, outwardShare: 0.5 };
    const ours = popularityOf(generateWeb(shape, numbersFrom(4)));
    assert.ok(Math.abs(ours - exponent) < 0.15, `${ours} is not ${exponent}`);
  }
});

test("home pages get their share of links, and with it rank", () => {
  const measure = (homeShare: number) => {
    const web = generateWeb({ ...small, homeShare, depthSkew: 1 }, numbersFrom(5));
    const links = inDegrees(web.graph);
    const { ranks } = computePageRank(web.graph);
    let [led, rank] = [0, 0];
    for (const home of web.homes) {
      led += links[home] ?? 0;
      rank += ranks[home] ?? 0;
    }
    return { share: led / web.graph.targets.length, rank: (rank / web.sites) * web.pages };
  };
  const [low, high] = [measure(0), measure(0.3)];
  assert.ok(low.share < 0.02 && high.share > 0.17 && high.share < 0.25, `${low.share} ${high.share}`);
  assert.ok(low.rank < 1 && high.rank > 5, `${low.rank} ${high.rank}`);
});

test("sizes, rates of change and servers have the means that the shape says", () => {
  const web = generateWeb({ pages: 200_000, sites: 20_000, linksPerPage: 0 }, numbersFrom(6));
  const isNear = (actual: number, expected: number, tolerance: number): void =>
    assert.ok(Math.abs(actual - expected) <= tolerance * expected, `${actual} is not ${expected}`);
  isNear(mean(web.sizeBytes), 24_000, 0.03);
  isNear(mean(web.latencySeconds), defaultWebShape.latencySeconds, 0.03);
  isNear(mean(web.bytesPerSecond), defaultWebShape.siteBytesPerSecond, 0.03);
  for (const [share, days] of defaultWebShape.changeBars)
    isNear(web.changesPerDay.filter((rate) => rate === Math.fround(1 / days)).length / web.pages, share, 0.03);
});

test("a page has as many links as the shape says, beside those below it", () => {
  const web = generateWeb({ ...small, linksPerPage: 5 }, numbersFrom(7));
  const links = web.graph.targets.length / web.pages;
  assert.ok(Math.abs(links - 6) < 0.15, `${links}`);
});

test("a shape that is none is refused", () => {
  for (const shape of [
    { pages: 0 },
    { pages: 10, sites: 11 },
    { pages: 100, sites: 3, siteCap: 33 },
    { pages: 1.5 },
    { homeShare: 1.1 },
    { outwardShare: -0.1 },
    { linksPerPage: -1 },
    { meanSizeBytes: 0 },
    { popularityExponent: Number.NaN },
    { branching: [0, 3] as const },
    { changeBars: [[0.5, 1] as const] },
  ])
    assert.throws(() => generateWeb(shape, numbersFrom(8)), RangeError, JSON.stringify(shape));
});

test("a graph that was read becomes a web, with the pages that most links lead to as homes", () => {
  const builder = new GraphBuilder(5);
  for (const [from, to] of [
    [0, 1],
    [2, 1],
    [3, 4],
    [1, 4],
    [1, 3],
  ] as const)
    builder.addLink(from, to);
  const web = webOfGraph({ graph: builder.build(), siteOf: Uint32Array.of(0, 0, 1, 1, 1) }, {}, numbersFrom(9));
  assert.deepEqual([web.pages, web.sites, [...web.homes]], [5, 2, [1, 4]]);
  assert.deepEqual([web.sizeBytes.length, web.latencySeconds.length], [5, 2]);
  const graph = builder.build();
  const siteOf = Uint32Array.of(0, 0, 1, 1, 1);
  const known = webOfGraph({ graph, siteOf, homes: new Map([[1, 2]]) }, {}, numbersFrom(9));
  assert.deepEqual([...known.homes], [1, 2], "a home page that is known goes before links");
  for (const groups of [
    [0, 0, 0],
    [0, 0, 2, 2, 2],
    [0, 0, 0, 0, 9],
  ])
    assert.throws(() => webOfGraph({ graph, siteOf: Uint32Array.from(groups) }, {}, numbersFrom(9)), RangeError);
});
