import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { CrawlPrinter } from "../../src/cli/crawl-printer.ts";
import { Output } from "../../src/cli/output.ts";

test("a wait is shown with its length and its reason", async () => {
  const stream = new PassThrough();
  let text = "";
  stream.on("data", (chunk) => {
    text += String(chunk);
  });
  const err = new Output(Object.assign(stream, { isTTY: true, columns: 200 }), () => undefined);
  const printer = new CrawlPrinter(err, false, () => 1_000_000);
  const site = "https://example.org";
  printer.show({ event: "progress", site, phase: "pages", done: 3, total: 10 }, false);
  printer.show({ event: "waiting", site, untilMs: 1_013_500, why: "retry-after" }, false);
  printer.show({ event: "waiting", site, untilMs: 1_001_000, why: "shared-address" }, false);
  await err.flush();
  assert.match(text, /waiting 14 s: the site asked for it \(Retry-After\)/);
  assert.match(text, /waiting 1 s: another site at its address has a rest/);
});
