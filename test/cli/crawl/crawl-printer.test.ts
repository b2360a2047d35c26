import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { addCrawlSummaries, CrawlPrinter, formatCrawlResult } from "../../../src/cli/crawl/crawl-printer.ts";
import type { RunContext } from "../../../src/cli/terminal/command.ts";
import { Output } from "../../../src/cli/terminal/output.ts";

const site = "https://example.org";

async function printed(isTerminal: boolean, json: boolean, act: (printer: CrawlPrinter) => void): Promise<string> {
  const stream = new PassThrough();
  let text = "";
  stream.on("data", (chunk) => {
    text += String(chunk);
  });
  const err = new Output(Object.assign(stream, { isTTY: isTerminal, columns: 200 }), () => undefined);
  const out = new Output(new PassThrough(), () => undefined);
  act(new CrawlPrinter({ out, err, json, quiet: false } as RunContext, () => 1_000_000));
  await err.flush();
  return text;
}

test("a wait is shown with its length and its reason", async () => {
  const text = await printed(true, false, (printer) => {
    printer.take({ event: "progress", site, phase: "pages", done: 3, total: 10 });
    printer.take({ event: "waiting", site, untilMs: 1_013_500, why: "retry-after" });
    printer.take({ event: "waiting", site, untilMs: 1_001_000, why: "shared-address" });
  });
  assert.match(text, /waiting 14 s: the site asked for it \(Retry-After\)/);
  assert.match(text, /waiting 1 s: another site at the same address is being crawled/);
});

test("progress says how fast it goes on, and how long the rest takes", async (t) => {
  let now = 1_000_000;
  t.mock.method(performance, "now", () => now);
  const stream = new PassThrough();
  const err = new Output(Object.assign(stream, { isTTY: true, columns: 200 }), () => undefined);
  const printer = new CrawlPrinter({ out: err, err, json: false, quiet: false } as RunContext, () => now);
  printer.take({ event: "progress", site, phase: "pages", done: 0, total: 1000 });
  now += 100_000;
  printer.take({ event: "progress", site, phase: "pages", done: 100, total: 1000 });
  await err.flush();
  assert.match(String(stream.read()), /fetching pages: 100 of 1,000, 1\.0\/s, 15 min left/);
});

test("a page that never was there is named, and one that is gone is not", async () => {
  const text = await printed(false, false, (printer) => {
    printer.take({ event: "page", site, path: "/none", outcome: "gone", message: "404 Not Found" });
    printer.take({ event: "page", site, path: "/held", outcome: "gone" });
  });
  assert.equal(text, `not there: ${site}/none: 404 Not Found\n`);
});

test("the first ten pages that fail are named with what happened, each once", async () => {
  const act = (printer: CrawlPrinter): void => {
    printer.take({ event: "page", site, path: "/fine", outcome: "created" });
    printer.take({ event: "item-error", site, code: "mirror-collision", message: "no place", path: "/0" });
    for (let at = 0; at < 15; at++)
      printer.take({ event: "page", site, path: `/${at}`, outcome: "failed", message: "500" });
  };
  assert.equal(await printed(false, true, act), "");
  const lines = (await printed(false, false, act)).trimEnd().split("\n");
  assert.deepEqual(lines, [
    `failed: ${site}/0: no place`,
    ...Array.from({ length: 10 }, (_, at) => `failed: ${site}/${at + 1}: 500`),
    "more pages failed; --json names each",
  ]);
});

test("visits are added up, and a single one stays as it is", () => {
  const none = addCrawlSummaries([]);
  const a = { ...none, site: "https://a.example", requests: 3, pending: 1, cursor: { epoch: "e", publication: 1 } };
  const b = { ...none, site: "https://b.example", source: "archives" as const, requests: 4 };
  assert.equal(addCrawlSummaries([a]), a);
  assert.deepEqual(addCrawlSummaries([a, b]), {
    ...none,
    site: "https://a.example https://b.example",
    source: "archives",
    requests: 7,
    pending: 1,
  });
});

test("a visit without a source says that the site could not be crawled, whatever robots.txt was answered with, or what earlier ones left", () => {
  const visit = { ...addCrawlSummaries([]), site, source: "none" as const, requests: 1, notModified: 1 };
  assert.equal(formatCrawlResult(visit), `${site}: could not be crawled\n`);
  const rest = formatCrawlResult({ ...visit, requests: 2, pageRequests: 1, created: 1 });
  assert.match(rest, /: 1 created, .*\n2 requests .*\nleft from earlier visits\n$/);
});
