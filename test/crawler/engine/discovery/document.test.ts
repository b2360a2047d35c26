import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FetchOutcome, Validators } from "../../../../src/core/index.ts";
import { type DocumentAnswer, readDocument, readEntries } from "../../../../src/crawler/engine/discovery/document.ts";
import type { ReadingVisit } from "../../../../src/crawler/engine/visit/reading-visit.ts";
import { Tally } from "../../../../src/crawler/engine/visit/tally.ts";
import { VisitBounds } from "../../../../src/crawler/engine/visit/visit-bounds.ts";
import { PageListReader, type SitemapEntry } from "../../../../src/formats/sitemap/index.ts";
import { nodeCodec, realTiming } from "../../../../src/http/index.ts";

/** A visit to a site whose server answers each request so. */
function visitOf(outcome: FetchOutcome): ReadingVisit {
  const requests = { get: () => Promise.resolve(outcome) };
  return {
    origin: "http://site.example",
    agent: ["tidemark"],
    ports: { requests, codec: nodeCodec, timing: realTiming(), rateLimiter: undefined },
    tally: new Tally(),
    report: () => undefined,
    concurrency: 1,
    timeoutMs: 1000,
    bounds: new VisitBounds(),
    signal: undefined,
  };
}

/** The answer to a request for a document, where the server answers each request so. */
function ask(outcome: FetchOutcome, validators?: Validators): Promise<DocumentAnswer> {
  return readDocument(visitOf(outcome), { path: "/list.xml", maxBytes: 1000, validators });
}

const answered = { receivedBytes: 0, requests: 1 };

describe("a document", () => {
  const rows: ReadonlyArray<readonly [DocumentAnswer["kind"], FetchOutcome]> = [
    ["gone", { kind: "gone", status: 404, ...answered }],
    ["unusable", { kind: "refused", status: 403, ...answered }],
    ["unusable", { kind: "failed", reason: "too-large", message: "", ...answered }],
    ["unusable", { kind: "failed", reason: "redirect-disallowed", message: "", ...answered }],
    ["trouble", { kind: "unavailable", status: 503, retryAt: undefined, ...answered }],
    ["trouble", { kind: "failed", reason: "timeout", message: "", ...answered }],
  ];
  for (const [kind, outcome] of rows)
    it(`is ${kind} after ${outcome.kind === "failed" ? outcome.reason : outcome.kind}`, async () => {
      assert.equal((await ask(outcome)).kind, kind);
    });

  it("is unchanged only if validators were sent: a 304 to another request says nothing", async () => {
    const outcome = {
      kind: "not-modified",
      status: 304,
      validators: {},
      cacheControl: undefined,
      ...answered,
    } as const;
    assert.equal((await ask(outcome, { etag: '"1"' })).kind, "not-modified");
    assert.equal((await ask(outcome)).kind, "trouble");
  });

  it("of many elements that say nothing lets others have their turn while it is read", async () => {
    let turns = 0;
    let isRead = false;
    const countTurns = (): void => {
      turns++;
      if (!isRead) setImmediate(countTurns);
    };
    setImmediate(countTurns);
    const visit = visitOf({ kind: "gone", status: 404, ...answered });
    const body = Buffer.from(`<urlset><url><loc>/a</loc></url>${"<a/>".repeat(2 ** 19)}</urlset>`);
    const found: SitemapEntry[] = [];
    const read = await readEntries<SitemapEntry>(visit, body, new PageListReader(), (some) => found.push(...some));
    isRead = true;
    assert.ok(read.ok);
    assert.deepEqual(
      found.map(({ location }) => location),
      ["/a"],
    );
    assert.ok(turns >= 4, `${turns} turns`);
  });
});
