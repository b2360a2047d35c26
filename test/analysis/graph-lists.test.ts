import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { exportGraph } from "../../src/analysis/export-graph.ts";
import { LinksFile, linksFileOf, readGraph } from "../../src/analysis/graph-folder.ts";
import { importGraph } from "../../src/analysis/import-graph.ts";
import { rankGraph } from "../../src/analysis/rank-graph.ts";
import { temporaryName } from "../../src/fs/durable-file.ts";
import { graphOf, links, linksOf } from "../graph/slow-graph.ts";
import { fc } from "../property.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { formatLinks, importText, readText, writeText } from "./graph-files.ts";

const golden = join(repositoryFolder(), "fixtures/graph/v1");

test("lists become the golden bytes of a graph's folder, in whatever order they are, and these the lists again", async () => {
  using temp = makeTempFolder();
  const links = readText(join(golden, "links.txt"));
  const names = readText(join(golden, "names.txt"));
  const backwards = (text: string) => text.trimEnd().split("\n").reverse().join("\r\n");
  const into = join(temp.path, "graph");
  const summary = await importGraph({
    into,
    links: writeText(temp.path, "edges.gz", `# arcs\n${backwards(links).replaceAll("\t", "  ")}\n0 1\n`),
    names: writeText(temp.path, "vertices.gz", backwards(names)),
  });
  assert.deepEqual(summary, { nodes: 4, links: 5, lines: 6, named: 4 });
  if (process.env.TIDEMARK_WRITE_FIXTURES === "1") copyFileSync(join(into, "links.csr"), join(golden, "links.csr"));
  assert.deepEqual(readFileSync(join(into, "links.csr")), readFileSync(join(golden, "links.csr")));
  assert.equal(readText(join(into, "names.txt.gz")), names);
  assert.deepEqual(readdirSync(into).sort(), ["links.csr", "names.txt.gz"]);
  for (const ending of ["", ".gz"]) {
    const out = { links: join(temp.path, `out-links${ending}`), names: join(temp.path, `out-names${ending}`) };
    assert.deepEqual(await exportGraph({ folder: into, ...out }), { nodes: 4, links: 5 });
    assert.equal(readText(out.links), links);
    assert.equal(readText(out.names), names);
  }
});

test("a graph that is exported and imported is the same", async () => {
  using temp = makeTempFolder();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(links, async (given) => {
      const folder = join(temp.path, `${++count}`);
      mkdirSync(folder);
      const graph = graphOf(given);
      const into = await importText(folder, formatLinks(graph));
      const { nodes, offsets, targets } = await readGraph(into);
      assert.deepEqual(
        { nodes, offsets: [...offsets], targets: [...targets] },
        {
          nodes: graph.nodes,
          offsets: [...graph.offsets],
          targets: [...graph.targets],
        },
      );
      const out = join(folder, "out");
      await exportGraph({ folder: into, links: out });
      assert.equal(readText(out), formatLinks(graph));
    }),
    { numRuns: 40 },
  );
});

test("rows that are longer than a block of the file, and more rows than a block has", async () => {
  using temp = makeTempFolder();
  const wide = 300_000;
  const text = Array.from({ length: wide }, (_, at) => `1 ${at}\n${at} 3\n`).join("");
  const into = await importText(temp.path, text);
  const graph = await readGraph(into);
  assert.equal(graph.nodes, wide);
  assert.equal(graph.targets.length, 2 * wide - 1);
  using file = new LinksFile(into);
  let at = 0;
  for (const { node, targets } of file.rows()) {
    assert.deepEqual(targets.length, node === 1 ? wide : 1, `node ${node}`);
    for (const target of targets) if (graph.targets[at++] !== target) assert.fail(`node ${node}`);
  }
});

const hostileLinks: ReadonlyArray<readonly [string, RegExp]> = [
  ["0 1\n0\n", /links\.txt: line 2 is not made of whole numbers\./],
  ["0 1\n\n1 x\n", /line 3 is not made of whole numbers/],
  ["0 1 2\n", /line 1 is not made of whole numbers/],
  ["-1 0\n", /line 1 is not made of whole numbers/],
  ["0 1\n0 4\n", /line 2 has a node that is too large: of those with a name the last is 3\./],
  [`${"9".repeat(400)} 0`, /line 1 has a node that is too large/],
  ["0 1\n\u0000\u0001", /line 2 is not made of whole numbers/],
];

for (const [text, message] of hostileLinks) {
  test(`a list of links is refused by file and line: ${JSON.stringify(text.slice(0, 20))}`, async () => {
    using temp = makeTempFolder();
    const names = readText(join(golden, "names.txt"));
    await assert.rejects(importText(temp.path, text, names), { code: "bad-option", message });
    assert.equal(existsSync(join(temp.path, "graph", "links.csr")), false);
  });
}

test("a list without names says which the largest node is", async () => {
  using temp = makeTempFolder();
  const message = /line 1 has a node that is too large: the largest is 2147483647\./;
  await assert.rejects(importText(temp.path, "0 4294967295\n"), { code: "bad-option", message });
});

const hostileNames: ReadonlyArray<readonly [string, RegExp]> = [
  ["0\ta\nx\tb\n", /names\.txt: line 2 is not made of whole numbers\./],
  ["0\ta\n\n1\t\n", /line 3 has no name/],
  ["0\ta\n1\tb\n0\tc\n", /line 3 names a node that has a name/],
  ["0\ta\u001b[31m\n", /line 1 has a control character/],
  ["0\ta\tmany\n", /line 1 is not made of whole numbers/],
  [`0\t${"a".repeat(9000)}\n`, /line 1 is too long/],
  ["9999999999\ta\n", /line 1 has a node that is too large/],
];

for (const [text, message] of hostileNames) {
  test(`a list of names is refused by file and line: ${JSON.stringify(text.slice(0, 20))}`, async () => {
    using temp = makeTempFolder();
    await assert.rejects(importText(temp.path, "0 1\n", text), { code: "bad-option", message });
  });
}

test("a name that is longer once it is UTF-8 is refused, for no reader would take its line", async () => {
  using temp = makeTempFolder();
  const names = Buffer.concat([Buffer.from("0\t"), Buffer.alloc(3000, 0xff), Buffer.from("\n")]);
  const options = { into: join(temp.path, "graph"), links: writeText(temp.path, "links", "0 0\n") };
  const refused = importGraph({ ...options, names: writeText(temp.path, "names", names) });
  await assert.rejects(refused, { code: "bad-option", message: /line 1 is too long/ });
});

test("any bytes give a graph or an error of the file", async () => {
  using temp = makeTempFolder();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (bytes) => {
      const into = join(temp.path, `${++count}`);
      const file = writeText(temp.path, "any", bytes);
      await importGraph({ into, links: file, maxNodes: 1000 }).catch((error) => assert.equal(error.code, "bad-option"));
    }),
    { numRuns: 50 },
  );
});

test("a folder that has a graph is left alone, and damaged packing and missing files are told", async () => {
  using temp = makeTempFolder();
  const into = await importText(temp.path, "0 1\n");
  await assert.rejects(importText(temp.path, "0 2\n"), { code: "bad-option", message: /There is a graph already/ });
  assert.deepEqual(linksOf(await readGraph(into)), [[0, 1]]);
  const other = join(temp.path, "other");
  const damaged = join(temp.path, "damaged.gz");
  writeFileSync(damaged, "0 1\n");
  await assert.rejects(importGraph({ into: other, links: damaged }), { code: "bad-option", message: /no gzip file/ });
  await assert.rejects(importGraph({ into: other, links: join(temp.path, "none") }), { code: "not-found" });
  await assert.rejects(exportGraph({ folder: other, links: damaged }), { code: "not-found", message: /no graph in/ });
  const names = join(temp.path, "names-out");
  await assert.rejects(exportGraph({ folder: into, names }), { code: "bad-option", message: /have no names/ });
  await assert.rejects(exportGraph({ folder: into, links: join(temp.path, "no", "folder") }), { code: "not-found" });
  const own = { code: "bad-option", message: /links\.csr is a file of the graph itself/ };
  await assert.rejects(exportGraph({ folder: into, links: join(into, "links.csr") }), own);
  await assert.rejects(rankGraph({ folder: into, into: join(into, "..", "graph", "links.csr") }), own);
  assert.deepEqual(linksOf(await readGraph(into)), [[0, 1]]);
});

test("an import that is stopped leaves no graph", async () => {
  using temp = makeTempFolder();
  const into = join(temp.path, "graph");
  const links = writeText(temp.path, "links", "0 1\n");
  const stopped = importGraph({ into, links, signal: AbortSignal.abort() });
  await assert.rejects(stopped, { code: "aborted" });
  assert.deepEqual(readdirSync(into), []);
});

test("an import into a folder in which another one makes a graph is refused, and leaves that one alone", async () => {
  using temp = makeTempFolder();
  const into = join(temp.path, "graph");
  const links = writeText(temp.path, "links", "0 1\n");
  const [first, other] = await Promise.allSettled([importGraph({ into, links }), importGraph({ into, links })]);
  assert.deepEqual([first.status, other.status], ["fulfilled", "rejected"]);
  const { reason } = other as PromiseRejectedResult;
  assert.equal(reason.code, "locked");
  assert.match(reason.message, /^Another import into .*graph is running/);
  assert.deepEqual(readdirSync(into), ["links.csr"]);
});

test("an import begins anew in the folder of one that was killed", async () => {
  using temp = makeTempFolder();
  const into = join(temp.path, "graph");
  mkdirSync(into);
  writeFileSync(temporaryName(linksFileOf(into)), "half");
  await importText(temp.path, "0 1\n", "1\tb\n");
  assert.deepEqual(readdirSync(into).sort(), ["links.csr", "names.txt.gz"]);
});

/** The golden file of links with a number changed; the checksum is made anew, so that what is behind it is reached. */
function forge(folder: string, index: number, value: number): string {
  const bytes = readFileSync(join(golden, "links.csr"));
  bytes.writeUInt32LE(value, 4 * index);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 16), crc32(bytes.subarray(16, -4))), bytes.length - 4);
  writeFileSync(join(folder, "links.csr"), bytes);
  return folder;
}

// Four nodes and five links: magic, nodes, links; offsets 0 2 3 3 5; targets 1 2 0 0 2; checksum.
const forged: ReadonlyArray<readonly [string, number, number, RegExp]> = [
  ["another magic", 0, 0, /no file of links/],
  ["more nodes than it has room for", 2, 5, /bytes instead of/],
  ["more links", 3, 6, /bytes instead of/],
  ["a first row that begins later", 4, 1, /rows do not hold its links/],
  ["a last row that ends earlier", 8, 4, /rows do not hold its links/],
  ["a row that ends before it begins", 6, 1, /row of node 1 ends before it begins/],
  ["a row that ends behind the links", 7, 2 ** 32 - 1, /row of node 2 ends before it begins/],
  ["a node that is not there", 10, 4, /row of node 0 has 4 after 1/],
  ["a row that does not ascend", 10, 1, /row of node 0 has 1 after 1/],
];

for (const [what, index, value, message] of forged) {
  test(`a file of links is refused that has ${what}`, async () => {
    using temp = makeTempFolder();
    const folder = forge(temp.path, index, value);
    await assert.rejects(readGraph(folder), { code: "state-corrupt", message });
    const readBlocks = async (): Promise<void> => {
      using file = new LinksFile(folder);
      for await (const _ of file.checkedBlocks(undefined));
    };
    await assert.rejects(readBlocks, { code: "state-corrupt", message });
  });
}

test("a file of links is refused whose bytes changed, or are cut off", async () => {
  using temp = makeTempFolder();
  const file = join(temp.path, "links.csr");
  const bytes = readFileSync(join(golden, "links.csr"));
  for (let at = 16; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    writeFileSync(file, changed);
    await assert.rejects(readGraph(temp.path), { code: "state-corrupt", message: /checksum/ }, `byte ${at}`);
  }
  for (const length of [0, 15, 16, bytes.length - 1]) {
    writeFileSync(file, bytes.subarray(0, length));
    await assert.rejects(readGraph(temp.path), { code: "state-corrupt" }, `${length} bytes`);
  }
  writeFileSync(file, bytes);
  assert.equal((await readGraph(temp.path)).nodes, 4);
});

test("an export refuses rows that lead outside the file, which it reads by blocks", () => {
  using temp = makeTempFolder();
  using file = new LinksFile(forge(temp.path, 7, 2 ** 32 - 1));
  assert.throws(() => [...file.rows()], { code: "state-corrupt", message: /row of node 2/ });
});
