import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { readLinkedPages, siteOfName } from "../../../lab/program/lab-graph.ts";
import { type ErrorCode, TidemarkError } from "../../../src/core/error.ts";
import { crawlSite } from "../../../src/crawler/crawl-site.ts";
import { targetsOf } from "../../../src/graph/graph.ts";
import { listenSite } from "../../site-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";

test("the site of a name is a URL's host, or the domain of a host that is written backwards", () => {
  const names = ["https://www.example.org:8080/a?b", "com.example.www", "com.example", "com", "http://["];
  assert.deepEqual(names.map(siteOfName), ["www.example.org:8080", "com.example", "com.example", "com", "http://["]);
});

test("a crawl without a page is no graph", async () => {
  await using folder = await makeTempFolder();
  await using server = await listenSite((_, response) => {
    response.statusCode = 404;
    response.end();
  });
  await crawlSite({ url: `${server.origin}/`, into: folder.path, sources: ["links"], allowPrivate: true });
  await assert.rejects(readLinkedPages(folder.path, ""), { code: "bad-option", message: /holds no page/ });
});

test("edges and vertices of Common Crawl are read, packed or not; without names each node is a site", async () => {
  await using folder = await makeTempFolder();
  const file = (name: string, content: string | Uint8Array): string => {
    const path = join(folder.path, name);
    writeFileSync(path, content);
    return path;
  };
  const edges = "0\t1\n1\t2\n2\t0\n2\t3\n";
  const names = file("vertices.txt.gz", gzipSync("0\tcom.example\n1\tcom.example.www\n2\torg.example\n"));
  for (const arcs of [file("edges.txt", edges), file("edges.txt.gz", gzipSync(edges))]) {
    const { graph, siteOf } = await readLinkedPages(arcs, names);
    assert.deepEqual([...targetsOf(graph, 2)], [0, 3]);
    assert.deepEqual([...siteOf], [0, 0, 1, 2]);
  }
  assert.deepEqual([...(await readLinkedPages(file("arcs", "# WebGraph\n0 1\n"), "")).siteOf], [0, 1]);
  const refuses = (code: ErrorCode) => (error: unknown) => error instanceof TidemarkError && error.code === code;
  await assert.rejects(readLinkedPages(join(folder.path, "none"), ""), refuses("not-found"));
  await assert.rejects(readLinkedPages(file("text", "no graph\n"), ""), refuses("bad-option"));
  const says = (message: RegExp) => (error: unknown) => refuses("bad-option")(error) && message.test(String(error));
  const garbage = Array.from({ length: 1000 }, (_, at) => `garbage line ${at}\n`).join("");
  await assert.rejects(
    readLinkedPages(file("garbage", `${edges}${garbage}`), ""),
    says(/garbage: 1000 of 1004 lines are no links, the first of them line 5\./),
  );
  await assert.rejects(
    readLinkedPages(file("large", `${edges}${"x\n".repeat(200)}${edges.repeat(99)}0\t67108864\n`), ""),
    says(/large: line 601 has a node from 67108864 on/),
  );
  await assert.rejects(
    readLinkedPages(file("few", edges), file("unnamed", "0\tcom.example\none\ntwo\n")),
    says(/unnamed: 2 of 3 lines are no names, the first of them line 2\./),
  );
  assert.equal((await readLinkedPages(file("one-bad", `from\tto\n${edges}`), "")).graph.nodes, 4);
  await assert.rejects(readLinkedPages(file("plain.gz", edges), ""), refuses("bad-option"));
  await assert.rejects(readLinkedPages(file("cut.gz", gzipSync(edges).subarray(0, 20)), ""), refuses("bad-option"));
  await assert.rejects(readLinkedPages(folder.path, ""), refuses("not-found"));
  await assert.rejects(readLinkedPages(folder.path, names), refuses("bad-option"));
});
