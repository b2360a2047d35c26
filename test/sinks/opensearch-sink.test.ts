import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { OpenSearchSink } from "../../src/sinks/opensearch-sink.ts";
import { makeDocuments } from "../../src/sinks/search-document.ts";

/** A server that answers as OpenSearch does where it is busy, or where somebody else writes at the same time. */
async function startServer(answer: (path: string, body: string) => object | string, properties: object = {}) {
  const calls: string[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const path = (request.url ?? "").replace(/^\/pages|\?.*/g, "");
    const body = await text(request);
    if (request.method !== "GET") calls.push(path);
    const own = request.method === "GET" ? { pages: { mappings: { properties } } } : answer(path, body);
    response.end(typeof own === "string" ? own : JSON.stringify(own));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = () => server.close().closeAllConnections();
  const sink = await OpenSearchSink.open(new URL(`http://127.0.0.1:${port}/pages`)).catch((error) => {
    stop();
    throw error;
  });
  return { sink, calls, [Symbol.dispose]: stop };
}

const facts = { site: "https://example.org", title: "", text: "", language: "", mediaType: "text/html" };
const pageOf = (url: string) => ({
  url,
  documents: makeDocuments({ ...facts, url, lastModified: 1, sizeBytes: 1, usage: "" }, false),
});
const position = { epoch: "abc", number: 1, inPieces: false };

test("documents that the server has no room for come again, and others do not", async () => {
  const sent: number[] = [];
  const statuses = [[200, 429, 200], [429], [201]];
  using server = await startServer((path, body) => {
    if (path !== "/_bulk") return {};
    const items = (statuses[sent.length] ?? []).map((status) => ({ update: { status } }));
    sent.push(body.split("\n").length - 1);
    return { items };
  });
  await server.sink.write(["/a", "/b", "/c"].map(pageOf), position);
  assert.deepEqual(sent, [6, 2, 2]);
  assert.equal(server.calls.at(-1), "/_mapping");
});

test("a document that cannot be written ends the feed before its position", async () => {
  const error = { reason: "immense term" };
  using server = await startServer((path) =>
    path === "/_bulk" ? { items: [{ update: { status: 400, error } }, { update: { status: 429 } }] } : {},
  );
  await assert.rejects(server.sink.write(["/a", "/b"].map(pageOf), position), /answered 400: immense term/);
  assert.deepEqual(server.calls, ["/_mapping", "/_bulk"]);
});

test("an answer that does not speak of each document, or is of another server, ends the feed", async () => {
  for (const answer of [{}, { items: [{ update: { status: 200 } }] }, "<!doctype html><title>Log in</title>"]) {
    using server = await startServer((path) => (path === "/_bulk" ? answer : {}));
    await assert.rejects(server.sink.write(["/a", "/b"].map(pageOf), position), { code: "site-unavailable" });
    assert.equal(server.calls.at(-1), "/_bulk");
  }
});

test("what somebody else changes while it is deleted is deleted all the same", async () => {
  const answers: object[] = [
    { deleted: 0, version_conflicts: 1, failures: [] },
    { deleted: 0, version_conflicts: 0, failures: [{ status: 429, cause: { reason: "rejected" } }] },
    // As many as one request deletes.
    { deleted: 50_000, version_conflicts: 0, failures: [] },
  ];
  using server = await startServer((path) => (path === "/_delete_by_query" ? (answers.shift() ?? {}) : {}));
  await server.sink.write([{ url: "https://example.org/gone", documents: [] }], position);
  assert.equal(server.calls.filter((path) => path === "/_delete_by_query").length, 4);
  assert.equal(server.calls.at(-1), "/_mapping");
});

test("an index that somebody made gets the fields that it lacks, and keeps its own when all is written anew", async () => {
  const mappings: { readonly properties?: object; readonly _meta?: object }[] = [];
  using server = await startServer(
    (path, body) => {
      if (path === "/_mapping") mappings.push(JSON.parse(body));
      return {};
    },
    { title: { type: "text", analyzer: "english" }, embedding: { type: "knn_vector" } },
  );
  const fields = ["url", "site", "text", "language", "mediaType", "lastModified", "sizeBytes", "piece", "usage"];
  assert.deepEqual(Object.keys(mappings[0]?.properties ?? {}), fields);
  await server.sink.clear();
  assert.deepEqual(server.calls, ["/_mapping", "/_refresh", "/_delete_by_query", "/_mapping"]);
  assert.deepEqual(mappings.slice(1), [{ _meta: {} }]);
});

test("an index in which pages are not found by their URLs is refused", async () => {
  const open = async (): Promise<void> => {
    using _server = await startServer(() => ({}), { url: { type: "text" } });
  };
  await assert.rejects(open, { code: "bad-option" });
});
