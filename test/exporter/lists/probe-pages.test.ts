import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import type { ListedPage } from "../../../src/exporter/lists/listed-page.ts";
import { PageProbes, type ProbeOptions } from "../../../src/exporter/lists/probe-pages.ts";
import { ProbedPages } from "../../../src/exporter/lists/probed-pages.ts";
import { listenSite, type SiteServer, virtualTiming } from "../../site-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { codesOf, drainPages, givenPages, keepEvents, listed } from "./listing.ts";

const start = Date.UTC(2026, 10, 20, 12);
const modified = "Fri, 20 Nov 2026 10:00:00 GMT";
const modifiedSeconds = Date.UTC(2026, 10, 20, 10) / 1000;

function digestOf(body: string): string {
  return createHash("sha256").update(body).digest().subarray(0, 8).toString("base64url");
}

type Page = (request: IncomingMessage, response: ServerResponse) => void;

function answerBy(pages: Readonly<Record<string, Page>>): SiteServer["answer"] {
  return (request, response) => {
    const page = pages[request.url ?? ""];
    if (page !== undefined) page(request, response);
    else status(404)(request, response);
  };
}

function status(code: number, fields: Readonly<Record<string, string>> = {}): Page {
  return (_request, response) => response.writeHead(code, fields).end();
}

function body(text: string, fields: Readonly<Record<string, string>> = {}): Page {
  return (request, response) => {
    const { etag = "none" } = fields;
    if (request.headers["if-none-match"] === etag) response.writeHead(304, fields).end();
    else response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...fields }).end(text);
  };
}

interface Run {
  readonly pages: ListedPage[];
  readonly counts: ProbedPages["counts"];
  readonly codes: string[];
  readonly requests: string[];
  readonly delays: readonly number[];
}

async function run(
  site: SiteServer,
  folder: string,
  list: readonly ListedPage[],
  options: Partial<ProbeOptions> & { readonly isComplete?: boolean; readonly readOnly?: boolean } = {},
): Promise<Run> {
  const { events, onEvent } = keepEvents();
  const timing = virtualTiming(start);
  site.requests.length = 0;
  await using requests = new PageProbes({ origin: site.origin, timing, onEvent, ...options });
  await using probed = new ProbedPages({
    source: givenPages(list, 3, options.isComplete ?? true),
    requests,
    file: join(folder, "probes.gz"),
    readOnly: options.readOnly ?? false,
    clock: timing.now,
    onEvent,
  });
  const pages = await drainPages(probed);
  return {
    pages,
    counts: probed.counts,
    codes: codesOf(events),
    requests: site.requests.filter((request) => request !== "GET /robots.txt"),
    delays: timing.delays,
  };
}

test("what the server says of a page is taken, kept, and asked for with its validators, byte for byte", async () => {
  using temp = makeTempFolder();
  const etag = 'W/"é, \t%41"';
  const raw = Buffer.from(etag, "latin1").toString("latin1");
  const conditions: unknown[] = [];
  await using site = await listenSite(
    answerBy({
      "/a": (request, response) => {
        conditions.push([request.headers["if-none-match"], request.headers["if-modified-since"]]);
        if (request.headers["if-none-match"] === raw) response.writeHead(304).end();
        else
          response.writeHead(200, { etag: raw, "last-modified": modified, "content-type": "Text/HTML" }).end("hello");
      },
    }),
  );
  const list = [listed("/a")];
  const facts = { sizeBytes: 5, digest: digestOf("hello"), mediaType: "text/html" };
  const known = listed("/a", { ...facts, lastModified: modifiedSeconds });
  const first = await run(site, temp.path, list);
  assert.deepEqual(first.pages, [known]);
  assert.equal(first.counts.fetched, 1);
  const second = await run(site, temp.path, list);
  assert.deepEqual(second.pages, [known]);
  assert.equal(second.counts.same, 1);
  assert.deepEqual(conditions, [
    [undefined, undefined],
    [raw, modified],
  ]);
});

test("a page with a last-modified, and a file that shadows none, costs no request", async () => {
  using temp = makeTempFolder();
  await using site = await listenSite(answerBy({}));
  const list = [listed("/a", { lastModified: 5 })];
  const { pages, requests } = await run(site, temp.path, list);
  assert.deepEqual(pages, list);
  assert.deepEqual(requests, []);
});

test("without a last-modified, a change is dated when it is seen, and equal bytes keep their date", async () => {
  using temp = makeTempFolder();
  await using site = await listenSite(answerBy({ "/a": body("one") }));
  const timed = async () => (await run(site, temp.path, [listed("/a")])).pages[0];
  const first = await timed();
  assert.equal(first?.lastModified, start / 1000);
  // The same bytes under a new date of the server's are no change.
  site.answer = answerBy({ "/a": body("one", { "last-modified": modified }) });
  assert.deepEqual(await timed(), first);
  site.answer = answerBy({ "/a": body("two", { "last-modified": modified }) });
  assert.deepEqual(await timed(), { ...first, digest: digestOf("two"), lastModified: modifiedSeconds });
  // A date in the future is none.
  site.answer = answerBy({ "/a": body("three", { "last-modified": "Fri, 20 Nov 2099 10:00:00 GMT" }) });
  assert.equal((await timed())?.lastModified, start / 1000);
});

test("404 and 410 make a page absent until it is there again; errors keep what was known", async () => {
  using temp = makeTempFolder();
  const list = ["/a", "/b", "/c", "/d", "/e"].map((path) => listed(path));
  const well = answerBy(Object.fromEntries(list.map(({ path }) => [path, body(path)])));
  await using site = await listenSite(well);
  const before = await run(site, temp.path, list);
  assert.equal(before.pages.length, 5);
  site.answer = answerBy({
    "/a": status(404),
    "/b": status(410),
    "/c": status(500),
    "/d": status(403),
    "/e": (_request, response) => response.destroy(),
  });
  const ill = await run(site, temp.path, list);
  assert.deepEqual(ill.pages, before.pages.slice(2));
  assert.deepEqual(ill.counts, { asked: 5, same: 0, fetched: 0, gone: 2, troubled: 3, deferred: 0 });
  assert.deepEqual(ill.codes, ["probe-failed", "probe-failed", "probe-failed"]);
  site.answer = well;
  assert.deepEqual((await run(site, temp.path, list)).pages, before.pages);
});

test("429 and 503 are waited for as long as the server asks; one that stays so is left alone", async () => {
  using temp = makeTempFolder();
  let answers = [429, 503, 200];
  await using site = await listenSite((request, response) => {
    if (request.url === "/robots.txt") response.writeHead(404).end();
    else response.writeHead(answers.shift() ?? 503, { "retry-after": "7" }).end("x");
  });
  const list = [listed("/a"), listed("/b"), listed("/c")];
  const patient = await run(site, temp.path, list.slice(0, 1), { delayMs: 0 });
  assert.equal(patient.counts.fetched, 1);
  assert.deepEqual(patient.delays, [7000, 7000]);
  answers = [200];
  const stopped = await run(site, temp.path, list, { delayMs: 0 });
  assert.deepEqual(stopped.requests, ["GET /a", "GET /b", "GET /b", "GET /b", "GET /b"]);
  assert.deepEqual(stopped.codes, ["probe-stopped"]);
  assert.equal(stopped.pages.length, 3);
  assert.equal(stopped.counts.deferred, 2);
});

test("a page that is always overloaded does not keep the others from their turn", async () => {
  using temp = makeTempFolder();
  const pages = { "/a": status(503), "/b": status(503), "/c": body("c"), "/d": status(429), "/e": body("e") };
  await using site = await listenSite(answerBy(pages));
  const { counts, codes } = await run(
    site,
    temp.path,
    Object.keys(pages).map((path) => listed(path)),
    { delayMs: 0 },
  );
  assert.deepEqual([counts.fetched, counts.troubled, counts.deferred], [2, 3, 0]);
  assert.deepEqual(codes, ["probe-failed", "probe-failed", "probe-failed"]);
});

const missing = status(404);
const endings: ReadonlyArray<readonly [string, SiteServer["answer"], Partial<ProbeOptions>, number]> = [
  ["asks for an hour's wait", answerBy({ "/00": status(503, { "retry-after": "3600" }) }), { delayMs: 0 }, 1],
  [
    "has too much to do for three pages in a row",
    (request, response) => (request.url === "/robots.txt" ? missing : status(503))(request, response),
    { delayMs: 0 },
    12,
  ],
  ["does not give robots.txt", status(500), {}, 0],
  [
    "fails ten times in a row",
    (request, response) => (request.url === "/robots.txt" ? missing : status(500))(request, response),
    {},
    10,
  ],
  [
    "is asked for as long as a run may",
    answerBy({ "/00": body("a"), "/01": body("b") }),
    { delayMs: 60_000, timeLimitMs: 100_000 },
    2,
  ],
];
for (const [what, answer, options, asked] of endings) {
  test(`a server that ${what} is left alone for the rest of the run, and every page stays`, async () => {
    using temp = makeTempFolder();
    await using site = await listenSite(answer);
    const list = Array.from({ length: 30 }, (_, at) => listed(`/${String(at).padStart(2, "0")}`));
    const { requests, codes, pages, delays } = await run(site, temp.path, list, options);
    assert.deepEqual([requests.length, codes.at(-1), pages.length], [asked, "probe-stopped", 30]);
    assert.ok(delays.every((delayMs) => delayMs <= 60_000));
  });
}

test("robots.txt is obeyed: what it disallows, and the delay that it asks for", async () => {
  using temp = makeTempFolder();
  const robots = "User-agent: tidemark\nDisallow: /b\nCrawl-delay: 3\n";
  await using site = await listenSite(
    answerBy({ "/robots.txt": body(robots), "/a": body("a"), "/b": body("b"), "/c": body("c") }),
  );
  const { requests, delays, pages } = await run(site, temp.path, [listed("/a"), listed("/b"), listed("/c")]);
  assert.deepEqual(requests, ["GET /a", "GET /c"]);
  assert.deepEqual(delays, [250, 3000]);
  assert.equal(pages.length, 3);
});

test("the budget goes round: pages that nobody asked for first, then on from where it ended", async () => {
  using temp = makeTempFolder();
  const list = ["/a", "/b", "/c", "/d", "/e"].map((path) => listed(path));
  await using site = await listenSite(answerBy(Object.fromEntries(list.map(({ path }) => [path, body(path)]))));
  const rounds: string[] = [];
  for (let round = 0; round < 5; round++) {
    const { requests, pages } = await run(site, temp.path, list, { budget: 2 });
    rounds.push(requests.map((request) => request.slice(5)).join(""));
    assert.equal(pages.length, 5);
  }
  assert.deepEqual(rounds, ["ab", "cd", "ae", "bc", "de"]);
});

test("several at once are asked when that is wanted, each once", async () => {
  using temp = makeTempFolder();
  const list = Array.from({ length: 20 }, (_, at) => listed(`/${String(at).padStart(2, "0")}`));
  await using site = await listenSite(answerBy(Object.fromEntries(list.map(({ path }) => [path, body(path)]))));
  const { requests, pages } = await run(site, temp.path, list, { concurrency: 3 });
  assert.equal(new Set(requests).size, 20);
  assert.equal(requests.length, 20);
  assert.deepEqual(
    pages.map(({ digest }) => digest),
    list.map(({ path }) => digestOf(path)),
  );
});

test("what the list says comes first, and where it says other than the server said, the server is asked anew", async () => {
  using temp = makeTempFolder();
  const seen: unknown[] = [];
  await using site = await listenSite(
    answerBy({
      "/a": (request, response) => {
        seen.push(request.headers["if-none-match"]);
        body("a", { etag: '"1"' })(request, response);
      },
    }),
  );
  await run(site, temp.path, [listed("/a")]);
  const { pages } = await run(site, temp.path, [listed("/a", { digest: digestOf("b"), mediaType: "text/css" })]);
  assert.deepEqual(seen, [undefined, undefined]);
  assert.equal(pages[0]?.digest, digestOf("b"));
  assert.equal(pages[0]?.mediaType, "text/css");
});

test("a body in a coding that was not asked for has no size and no digest; one that is too large keeps what was known", async () => {
  using temp = makeTempFolder();
  await using site = await listenSite(
    answerBy({
      "/a": (_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("a")),
      "/b": body("b".repeat(500)),
    }),
  );
  const { pages, counts } = await run(site, temp.path, [listed("/a"), listed("/b")], { maxBytes: 100 });
  assert.deepEqual(pages, [listed("/a", { lastModified: start / 1000 }), listed("/b")]);
  assert.equal(counts.troubled, 1);
});

test("a page that is not listed any more is forgotten, but not because of a list that is not complete", async () => {
  using temp = makeTempFolder();
  await using site = await listenSite(answerBy({ "/a": body("a", { etag: '"1"' }), "/b": body("b") }));
  const both = [listed("/a"), listed("/b")];
  await run(site, temp.path, both);
  await run(site, temp.path, [listed("/b")], { isComplete: false });
  assert.equal((await run(site, temp.path, both)).counts.same, 1);
  await run(site, temp.path, [listed("/b")]);
  assert.equal((await run(site, temp.path, both)).counts.same, 0);
});

test("where nothing is to be written, nothing is", async () => {
  using temp = makeTempFolder();
  await using site = await listenSite(answerBy({ "/a": body("a", { etag: '"1"' }) }));
  await run(site, temp.path, [listed("/a")], { readOnly: true });
  assert.equal((await run(site, temp.path, [listed("/a")])).counts.fetched, 1);
});

test("a file of probes that is damaged or of another version costs requests only", async () => {
  using temp = makeTempFolder();
  await using site = await listenSite(answerBy({ "/a": body("a", { etag: '"1"' }) }));
  await run(site, temp.path, [listed("/a")]);
  const path = join(temp.path, "probes.gz");
  const [, ...lines] = gunzipSync(readFileSync(path)).toString("latin1").split("\n");
  const [end, records] = [lines.slice(-2), lines.slice(0, -2)];
  const ofVersion = (version: number): Buffer => {
    const head = [`tidemark-probes ${version}`, ...records, ""].join("\n");
    return Buffer.concat([gzipSync(head), gzipSync(end.join("\n"), { level: 0 })]);
  };
  for (const content of ["not what it was", ofVersion(0), ofVersion(2)]) {
    writeFileSync(path, content);
    const { counts, codes } = await run(site, temp.path, [listed("/a")]);
    assert.deepEqual([counts.fetched, codes], [1, ["probes-corrupt"]]);
    assert.equal((await run(site, temp.path, [listed("/a")])).counts.same, 1);
  }
});
