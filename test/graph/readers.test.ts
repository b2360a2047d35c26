import assert from "node:assert/strict";
import { test } from "node:test";
import { type LineProblem, readArcs, readVertices } from "../../src/graph/graph-reader.ts";
import { fc } from "../property.ts";
import { graphOf, links, linksOf } from "./slow-graph.ts";

const encoder = new TextEncoder();

/** The bytes of a text, in pieces of a size. */
async function* pieces(text: string | Uint8Array, size = 65_536): AsyncGenerator<Uint8Array, void, void> {
  const bytes = typeof text === "string" ? encoder.encode(text) : text;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, options: Parameters<typeof readArcs>[1] = {}) {
  const problems: LineProblem[] = [];
  const result = await readArcs(pieces(text), { onProblem: (problem) => problems.push(problem), ...options });
  assert.ok(result.ok);
  return { ...result.value, problems };
}

// Common Crawl's edges are TAB-separated; WebGraph's ArcListASCIIGraph takes any blanks, and comments.
const readable: ReadonlyArray<readonly [string, string, ReadonlyArray<readonly [number, number]>]> = [
  [
    "Common Crawl",
    "0\t1\n0\t2\n2\t0\n",
    [
      [0, 1],
      [0, 2],
      [2, 0],
    ],
  ],
  [
    "WebGraph",
    "# nodes 3\n0 1\n  2   0 \n\n",
    [
      [0, 1],
      [2, 0],
    ],
  ],
  [
    "lines that end with CR LF, and a last one without an end",
    "0 1\r\n1 0",
    [
      [0, 1],
      [1, 0],
    ],
  ],
  ["a link that is given twice", "0 1\n0 1\n", [[0, 1]]],
  ["a node that links to itself", "3 3\n", [[3, 3]]],
  ["zeros before a number", "000 0001\n", [[0, 1]]],
  ["nothing", "", []],
];

for (const [name, text, expected] of readable) {
  test(`arcs are read: ${name}`, async () => {
    const { graph, badLines } = await read(text);
    assert.deepEqual(linksOf(graph), expected);
    assert.equal(badLines, 0);
  });
}

const hostile: ReadonlyArray<readonly [string, LineProblem["code"]]> = [
  ["0", "not-numbers"],
  ["0 ", "not-numbers"],
  ["0\t1\t2", "not-numbers"],
  ["-1 2", "not-numbers"],
  ["1.5 2", "not-numbers"],
  ["1 2 # two", "not-numbers"],
  ["one two", "not-numbers"],
  ["\u0000", "not-numbers"],
  ["0 1000", "number-too-large"],
  [`${"9".repeat(400)} 1`, "number-too-large"],
  ["1".repeat(200_000), "number-too-large"],
];

for (const [line, code] of hostile) {
  test(`a hostile line is passed over: ${JSON.stringify(line.slice(0, 20))}`, async () => {
    const { graph, badLines, problems } = await read(`0 1\n${line}\n1 0\n`, { maxNodes: 1000 });
    assert.deepEqual(linksOf(graph), [
      [0, 1],
      [1, 0],
    ]);
    assert.equal(badLines, 1);
    assert.deepEqual(problems, [{ line: 2, code }]);
  });
}

test("however the bytes are cut, the graph is the same", async () => {
  await fc.assert(
    fc.asyncProperty(links, fc.integer({ min: 1, max: 9 }), async (given, size) => {
      const text = given.map(([from, to], at) => `${from}${at % 2 === 0 ? "\t" : "  "}${to}\n`).join("");
      const result = await readArcs(pieces(`#\n${text}`, size), { nodes: 12 });
      assert.ok(result.ok);
      assert.deepEqual(result.value, { graph: graphOf(given, 12), links: given.length, badLines: 0 });
    }),
  );
});

test("any bytes give a graph", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      const result = await readArcs(pieces(bytes, 7), { maxNodes: 100 });
      assert.ok(result.ok && result.value.graph.nodes <= 100);
      const names = await readVertices(pieces(bytes, 7), { maxNodes: 100 });
      assert.ok(names.ok && names.value.nodes <= 100);
    }),
  );
});

test("hostile lines are reported a hundred times and counted all", async () => {
  const { badLines, problems } = await read("x\n".repeat(1000));
  assert.deepEqual([badLines, problems.length, problems.at(-1)?.line], [1000, 100, 100]);
});

test("beyond its bound of links nothing is read", async () => {
  let given = 0;
  async function* endless(): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      given++;
      yield encoder.encode("1 2\n3 4\n");
    }
  }
  const result = await readArcs(endless(), { maxLinks: 99 });
  assert.equal(!result.ok && result.error.code, "too-many-links");
  assert.equal(given, 50);
});

test("nodes are grouped by their names, which are not kept", async () => {
  const text = "0\tcom.example\n1\tcom.example.www\n2\torg.example\t17\n4\tcom.example.shop\r\n";
  const result = await readVertices(pieces(text, 5), { groupOf: (name) => name.split(".").slice(0, 2).join(".") });
  assert.ok(result.ok);
  const { groupOf, ...rest } = result.value;
  assert.deepEqual([...groupOf], [0, 0, 1, 2, 0]);
  assert.deepEqual(rest, { nodes: 5, groups: 3, unnamed: 1, badLines: 0 });
});

const hostileNames: ReadonlyArray<readonly [string, LineProblem["code"]]> = [
  ["x\tname", "not-numbers"],
  ["name", "not-numbers"],
  ["\tname", "not-numbers"],
  ["1 name", "not-numbers"],
  ["0\tagain", "given-twice"],
  ["1\t", "no-name"],
  ["1\t\t3", "no-name"],
  ["1000\tname", "number-too-large"],
  ["9999999999999999999\tname", "not-numbers"],
  [`1\t${"a".repeat(8192)}`, "line-too-long"],
];

for (const [line, code] of hostileNames) {
  test(`a hostile name is passed over: ${JSON.stringify(line.slice(0, 20))}`, async () => {
    const problems: LineProblem[] = [];
    const onProblem = (problem: LineProblem): unknown => problems.push(problem);
    const result = await readVertices(pieces(`0\ta\n${line}\n1\tb\n`, 1000), { maxNodes: 1000, onProblem });
    assert.ok(result.ok);
    assert.deepEqual([...result.value.groupOf], [0, 1]);
    assert.equal(result.value.badLines, 1);
    assert.deepEqual(problems, [{ line: 2, code }]);
  });
}

test("beyond its bound of groups nothing is read", async () => {
  const text = Array.from({ length: 20 }, (_, at) => `${at}\tname-${at}\n`).join("");
  const result = await readVertices(pieces(text), { maxGroups: 19 });
  assert.equal(!result.ok && result.error.code, "too-many-groups");
  assert.ok((await readVertices(pieces(text), { maxGroups: 20 })).ok);
});
