import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { crawlWeb } from "../../../src/crawler/web/crawl-web.ts";
import { Priorities, readRanks } from "../../../src/crawler/web/priorities.ts";
import type { CrawlWebOptions } from "../../../src/crawler/web/web-options.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { openLoopbackWeb } from "./loopback-web.ts";
import { optionsFor } from "./web-crawling.ts";

/** The order in which pages of one site are requested, one a turn; in two runs, if the first one ends after some pages. */
async function orderOf(
  pages: Readonly<Record<string, string>>,
  more: (originOf: (host: string) => string, folder: string) => Partial<CrawlWebOptions>,
  firstRun?: number,
): Promise<string[]> {
  await using web = await openLoopbackWeb({
    addressOf: () => ["127.0.0.1"],
    answer: ({ path }, response) => {
      if (path === "/robots.txt") return void response.writeHead(404).end();
      const links = (pages[path] ?? "").split(" ").filter((link) => link !== "");
      response.setHeader("content-type", "text/html").end(links.map((link) => `<a href="${link}">x</a>`).join(""));
    },
  });
  using temp = makeTempFolder();
  const seeds = [`${web.originOf("s0.example")}/`];
  const options = { ...optionsFor(web, join(temp.path, "web")), seeds, pagesBeforeRest: 1, connections: 1 };
  const all = { ...options, ...more(web.originOf, temp.path) };
  if (firstRun !== undefined) await crawlWeb({ ...all, maxTotal: firstRun });
  const summary = await crawlWeb(all);
  assert.deepEqual([summary.waiting, summary.done], [0, Object.keys(pages).length]);
  return web.pages().map((page) => page.replace(/^[^/]*/, ""));
}

describe("orders of a crawl of the Web", () => {
  const pages = { "/": "/a /b /c", "/a": "/d", "/b": "/e", "/c": "/e", "/d": "/f", "/e": "", "/f": "" };

  it("depth takes the fewest links from the seed first", async () => {
    assert.deepEqual(await orderOf(pages, () => ({ order: "depth" })), ["/", "/a", "/b", "/c", "/d", "/e", "/f"]);
  });

  it("partial takes first what more and higher pages link to, and each page once", async () => {
    const rest = Array.from({ length: 30 }, (_, at) => `/${at}`);
    const own: Record<string, string> = { "/": "/a /b /c", "/z": "" };
    for (const [at, page] of ["/a", "/b", "/c"].entries())
      own[page] = `${rest.slice(at * 10, at * 10 + 10).join(" ")} /z`;
    for (const page of rest) own[page] = "";
    const order = await orderOf(own, () => ({ order: "partial" }));
    assert.deepEqual(order.slice(0, 5), ["/", "/a", "/b", "/c", "/z"]);
    assert.deepEqual([...order].sort(), Object.keys(own).sort());
  });

  it("partial keeps the shortest way to a page whose rank rises: within a depth it loses no page, also in a later run", async () => {
    const fillers = Array.from({ length: 40 }, (_, at) => `/f${at}`);
    const own: Record<string, string> = { "/": `${fillers.join(" ")} /x`, "/x": "/y", "/y": "" };
    for (const [at, page] of fillers.entries()) own[page] = at < 3 ? "/x" : "";
    const whole = await orderOf(own, () => ({ order: "partial", maxDepth: 2 }));
    assert.deepEqual([...whole].sort(), Object.keys(own).sort());
    assert.ok(whole.indexOf("/x") < whole.indexOf("/f20"), "it rose all the same");
    const resumed = await orderOf(own, () => ({ order: "partial", maxDepth: 2 }), 1);
    assert.deepEqual([...resumed].sort(), Object.keys(own).sort());
  });

  it("optimal takes the highest of the given ranks first, and pages without one last", async () => {
    const ranks = { "/": 0.5, "/c": 0.2, "/e": 0.1, "/a": 0.01, "/d": 0.04 };
    const order = await orderOf(pages, (originOf, folder) => {
      const ranksFile = join(folder, "ranks.tsv.gz");
      const rows = Object.entries(ranks).map(([path, rank], at) => `${at}\t${originOf("s0.example")}${path}\t${rank}`);
      writeFileSync(ranksFile, gzipSync(["node\tname\tpagerank", ...rows].join("\n")));
      return { order: "optimal", ranksFile };
    });
    assert.deepEqual(order, ["/", "/c", "/e", "/a", "/d", "/b", "/f"]);
  });

  it("random and length take each page once", async () => {
    for (const order of ["random", "length"] as const)
      assert.deepEqual((await orderOf(pages, () => ({ order }))).sort(), Object.keys(pages).sort());
  });

  it("gives no page of no rank a place before others, and no place beyond the last", () => {
    const priorities = new Priorities("partial", () => 0.5, undefined);
    const found = { depth: 0, inSite: 0, hops: 0 };
    assert.equal(priorities.of("http://a/", found), 255);
    for (let page = 0; page < 2000; page++) priorities.raise(["http://a/"], `http://b/${page}`);
    const first = priorities.of("http://a/", found);
    assert.ok(first > 0 && first < 128, String(first));
    assert.deepEqual(priorities.raise(["http://c/"], "http://b/"), [], "it is queued for the first time");
  });

  it("reads a table of ranks, and says what is none", async () => {
    using temp = makeTempFolder();
    const read = async (text: string): Promise<unknown> => {
      const file = join(temp.path, "ranks.tsv");
      writeFileSync(file, text);
      return await readRanks(file);
    };
    const rows = Array.from({ length: 5000 }, (_, at) => `${at}\thttp://a/${at}\t${at / 5000}`).join("\n");
    const ranks = (await read(`node\tname\tpagerank\n${rows}\n`)) as Awaited<ReturnType<typeof readRanks>>;
    assert.ok(Math.abs(ranks.shareOf("http://a/2500") - 2500 / 4999) < 1e-6);
    assert.deepEqual([ranks.shareOf("http://a/4999"), ranks.shareOf("http://b/")], [1, 0]);
    const weight = ranks.weightOf("http://a/4999");
    assert.ok(Math.abs(weight - 2) < 1e-3, `${weight}: the highest is twice the mean`);
    assert.deepEqual([ranks.weightOf("http://a/0"), ranks.weightOf("http://b/")], [0.01, 1]);
    for (const bad of ["", "node\tname\n", "name\tpagerank\nhttp://a/\n"])
      await assert.rejects(read(bad), { code: "bad-option" });
    for (const rank of ["x", "-1", "Infinity", "1e300"])
      await assert.rejects(read(`name\tpagerank\nhttp://a/\t${rank}\n`), { code: "bad-option" });
    const cut = join(temp.path, "cut.tsv.GZ");
    writeFileSync(cut, gzipSync("name\tpagerank\nhttp://a/\t1\n").subarray(0, -9));
    await assert.rejects(readRanks(cut), { code: "bad-option", message: /no gzip file, or a damaged one/ });
    await assert.rejects(readRanks(join(temp.path, "none")), { code: "not-found" });
    await assert.rejects(crawlWeb({ into: temp.path, seeds: [], order: "optimal" }), { code: "bad-option" });
  });
});
