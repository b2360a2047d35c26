import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { CrawlPrinter } from "../../../src/cli/crawl/crawl-printer.ts";
import { Output } from "../../../src/cli/terminal/output.ts";

const site = "https://example.org";

async function printed(isTerminal: boolean, act: (printer: CrawlPrinter) => void): Promise<string> {
  const stream = new PassThrough();
  let text = "";
  stream.on("data", (chunk) => {
    text += String(chunk);
  });
  const err = new Output(Object.assign(stream, { isTTY: isTerminal, columns: 200 }), () => undefined);
  act(new CrawlPrinter(err, false, () => 1_000_000));
  await err.flush();
  return text;
}

test("a wait is shown with its length and its reason", async () => {
  const text = await printed(true, (printer) => {
    printer.show({ event: "progress", site, phase: "pages", done: 3, total: 10 }, false);
    printer.show({ event: "waiting", site, untilMs: 1_013_500, why: "retry-after" }, false);
    printer.show({ event: "waiting", site, untilMs: 1_001_000, why: "shared-address" }, false);
  });
  assert.match(text, /waiting 14 s: the site asked for it \(Retry-After\)/);
  assert.match(text, /waiting 1 s: another site at its address has a rest/);
});

test("the first ten pages that fail are named with what happened, each once", async () => {
  const failed =
    (at: number, silent = false) =>
    (printer: CrawlPrinter) =>
      printer.show({ event: "page", site, path: `/${at}`, outcome: "failed", message: "500" }, silent);
  const text = await printed(false, (printer) => {
    printer.show({ event: "page", site, path: "/fine", outcome: "created" }, false);
    printer.show({ event: "item-error", site, code: "mirror-collision", message: "no place", path: "/0" }, false);
    for (let at = 0; at < 15; at++) failed(at)(printer);
    failed(99, true)(printer);
  });
  const lines = text.trimEnd().split("\n");
  assert.deepEqual(lines, [
    `failed: ${site}/0: no place`,
    ...Array.from({ length: 10 }, (_, at) => `failed: ${site}/${at + 1}: 500`),
    "more pages failed; --json names each",
  ]);
});
