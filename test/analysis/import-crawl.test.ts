import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readGraph } from "../../src/analysis/graph-folder.ts";
import { importCrawl } from "../../src/analysis/import-crawl.ts";
import { linksOf } from "../graph/slow-graph.ts";
import { fc } from "../property.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { readText, writeText } from "./graph-files.ts";

/** A line of kept links: second, page, links. */
type Line = readonly [number, string, ...string[]];

function writeParts(folder: string, parts: readonly (readonly Line[])[]): void {
  mkdirSync(join(folder, "links"));
  for (const [at, lines] of parts.entries()) {
    const text = lines.map((line) => `${line.join("\t")}\n`).join("");
    writeText(join(folder, "links"), `20261125-00000${at + 1}.tsv.gz`, text);
  }
}

/** Nodes' names, and links as names. */
async function readNamed(folder: string): Promise<{ readonly names: string[]; readonly links: string[] }> {
  const lines = readText(join(folder, "names.txt.gz")).split("\n").slice(0, -1);
  const names = lines.map((line, node) => {
    assert.equal(line.split("\t")[0], String(node));
    return line.slice(line.indexOf("\t") + 1);
  });
  return { names, links: linksOf(await readGraph(folder)).map(([from, to]) => `${names[from]} ${names[to]}`) };
}

const [a, b, c] = ["http://www.example.org/", "https://example.org:8443/x?y", "http://a.example.com/"];

test("a crawl's links become a graph of URLs in the order of hosts written backwards, and a list of visits", async () => {
  using temp = makeTempFolder();
  writeParts(temp.path, [
    [
      [10, a, b, c],
      [11, c],
    ],
    [
      [12, b, "http://[::1]/", "http://user:word@example.net/"],
      [13, a, a, c],
    ],
  ]);
  const into = join(temp.path, "graph");
  const summary = await importCrawl({ into, crawl: temp.path });
  assert.deepEqual(summary, { nodes: 5, links: 4, visited: 3, revisited: 1, tooLong: 0, texts: 0 });
  const others = ["http://[::1]/", "http://user:word@example.net/"];
  assert.deepEqual(await readNamed(into), {
    names: [c, b, a, ...others],
    links: [...others.map((other) => `${b} ${other}`), `${a} ${c}`, `${a} ${a}`],
  });
  assert.equal(readText(join(into, "visits.tsv")), "0\t11\n1\t12\n2\t13\t10\n");
  assert.deepEqual(readdirSync(into).sort(), ["links.csr", "names.txt.gz", "previous", "visits.tsv"]);
  assert.deepEqual(linksOf(await readGraph(join(into, "previous"))), [
    [2, 0],
    [2, 1],
  ]);
});

test("texts of links are those of the last answers, each once, by the node that they lead to", async () => {
  using temp = makeTempFolder();
  writeParts(temp.path, [
    [
      [10, a, `${b} of the visit before`],
      [12, c, `${b} x`, `${b} \u00e9 y`],
    ],
    [
      [13, a, `${b} x`, `${b} x`, c, `${"http://\u00e9/"} no`],
      [14, a, `${b} last`, `${c} x`, `${b} last`],
    ],
  ]);
  const into = join(temp.path, "graph");
  const { links, texts } = await importCrawl({ into, crawl: temp.path });
  const { names } = await readNamed(into);
  assert.deepEqual([links, texts, names], [3, 4, [c, b, a]]);
  assert.equal(readText(join(into, "anchors.tsv.gz")), "0\t2\tx\n1\t0\tx\n1\t0\t\u00e9 y\n1\t2\tlast\n");
});

test("the golden lines of kept links become the golden lines of texts", async () => {
  using temp = makeTempFolder();
  const golden = join(repositoryFolder(), "fixtures/graph/v1");
  mkdirSync(join(temp.path, "links"));
  writeText(join(temp.path, "links"), "20261125-000001.tsv.gz", readText(join(golden, "kept-links.tsv")));
  const into = join(temp.path, "graph");
  await importCrawl({ into, crawl: temp.path });
  assert.equal(readText(join(into, "anchors.tsv.gz")), readText(join(golden, "anchors.tsv")));
});

test("a URL that no list of names can hold is left out and counted", async () => {
  using temp = makeTempFolder();
  const [longest, longer] = [8170, 8171].map((length) => `${a}${"x".repeat(length - a.length)}`) as [string, string];
  writeParts(temp.path, [
    [
      [1, a, longest, longer, `${a}\u00e9`],
      [2, longer, b],
    ],
  ]);
  const into = join(temp.path, "graph");
  assert.deepEqual(await importCrawl({ into, crawl: temp.path }), {
    ...{ nodes: 2, links: 1, visited: 1, revisited: 0, tooLong: 3, texts: 0 },
  });
  assert.deepEqual((await readNamed(into)).names, [a, longest]);
});

test("the last line of the latest time counts, and that before it for the graph before, whatever the order; unchanged pages have the links before", async () => {
  const urls = ["", "p", "q", "r"].flatMap((path) => [a, b, c].map((url) => `${url}${path}`));
  const links = fc.oneof(fc.subarray(urls), fc.constant(["="]));
  const line = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom(...urls), links);
  using temp = makeTempFolder();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(line, { maxLength: 8 }), { minLength: 1, maxLength: 3 }), async (parts) => {
      const folder = mkdtempSync(join(temp.path, "crawl-"));
      writeParts(
        folder,
        parts.map((lines) => lines.map(([at, url, links]): Line => [at, url, ...links])),
      );
      const visits = new Map<string, (typeof parts)[number]>();
      for (const visit of parts.flat().toSorted(([one], [other]) => one - other))
        visits.set(visit[1], [...(visits.get(visit[1]) ?? []), visit]);
      const linksAt = (place: number): string[] =>
        [...visits]
          .flatMap(([url, lines]) => {
            const told = lines.slice(0, lines.length + 1 + place).findLast(([, , [link]]) => link !== "=");
            return (told?.[2] ?? []).map((link) => `${url} ${link}`);
          })
          .sort();
      const into = join(folder, "graph");
      const summary = await importCrawl({ into, crawl: folder });
      const named = await readNamed(into);
      assert.deepEqual(named.links.sort(), linksAt(-1));
      const revisited = [...visits.values()].filter((lines) => lines.length > 1).length;
      const counted = [summary.links, summary.visited, summary.revisited];
      assert.deepEqual(counted, [linksAt(-1).length, visits.size, revisited]);
      const before = join(into, "previous");
      const linksBefore = revisited === 0 ? [] : linksOf(await readGraph(before));
      const namedBefore = linksBefore.map(([from, to]) => `${named.names[from]} ${named.names[to]}`);
      assert.deepEqual([existsSync(before), namedBefore.sort()], [revisited > 0, linksAt(-2)]);
      const known = new Set(parts.flat().flatMap(([, url, links]) => [url, ...links.filter((link) => link !== "=")]));
      assert.deepEqual(named.names.toSorted(), [...known].sort());
    }),
    { numRuns: 60 },
  );
});

test("what is no crawl, or a damaged one, is refused with its file and line", async () => {
  using temp = makeTempFolder();
  const options = (name: string) => ({ into: join(temp.path, `${name}-graph`), crawl: join(temp.path, name) });
  await assert.rejects(importCrawl(options("none")), { code: "not-found" });
  const damaged: [string, string | Uint8Array, string, RegExp][] = [
    ["cut", "1\thttp://a.example/\n2\thttp://b.ex", "1.tsv.gz", /cut.links.1\.tsv\.gz: line 2 is no line of links/],
    ["wordy", "now\thttp://a.example/\n", "1.tsv.gz", /line 1 is no line of links/],
    ["unnamed", "1\t\n", "1.tsv.gz", /line 1 is no line of links/],
  ];
  for (const [name, text, file, message] of damaged) {
    mkdirSync(join(temp.path, name, "links"), { recursive: true });
    writeText(join(temp.path, name, "links"), file, text);
    await assert.rejects(importCrawl(options(name)), { code: "state-corrupt", message });
  }
  mkdirSync(join(temp.path, "plain", "links"), { recursive: true });
  writeFileSync(join(temp.path, "plain", "links", "1.tsv.gz"), "1\thttp://a.example/\n");
  await assert.rejects(importCrawl(options("plain")), { code: "state-corrupt", message: /is no gzip file/ });
  const whole = options("wordy");
  writeText(join(whole.crawl, "links"), "1.tsv.gz", "1\thttp://a.example/\n");
  await importCrawl(whole);
  await assert.rejects(importCrawl(whole), { code: "bad-option", message: /There is a graph already/ });
});

test("while links of a crawl are read, signals have their turn", async () => {
  using temp = makeTempFolder("turns");
  const pages = Array.from({ length: 102_400 }, (_, at): Line => [7, `http://${at}.example/`]);
  writeParts(temp.path, [[...pages, [-1, "damaged"]]]);
  let [turns, isReading] = [0, true];
  const turn = (): void => {
    turns++;
    if (isReading) setImmediate(turn);
  };
  turn();
  await assert.rejects(importCrawl({ into: join(temp.path, "graph"), crawl: temp.path }), { code: "state-corrupt" });
  isReading = false;
  assert.ok(turns >= 100, `${turns} turns`);
});
