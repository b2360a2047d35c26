import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readSitesFile } from "../../../src/cli/crawl/sites-file.ts";
import { TidemarkError } from "../../../src/core/error.ts";
import type { CrawlSettings } from "../../../src/crawler/crawl-settings.ts";
import { makeTempFolder } from "../../temp-folder.ts";

async function readLines(lines: string, given: Partial<CrawlSettings> = {}): Promise<CrawlSettings[]> {
  using folder = makeTempFolder();
  const file = join(folder.path, "sites");
  writeFileSync(file, lines);
  return await readSitesFile(file, given);
}

/** The mistakes that are told of lines. */
async function mistakesOf(lines: string, given: Partial<CrawlSettings> = {}): Promise<unknown> {
  const error = await readLines(lines, given).then(
    () => assert.fail("no mistake is told"),
    (error: unknown) => error,
  );
  assert.ok(error instanceof TidemarkError && error.code === "bad-option");
  return error.details.mistakes;
}

describe("readSitesFile", () => {
  for (const [name, lines] of [
    ["an empty file", ""],
    ["a file of comments alone", "# none\n\n  # at all\n"],
  ] as const)
    it(`refuses ${name}`, async () => assert.deepEqual(await mistakesOf(lines), ["the list has no site"]));

  it("takes what begins with # for a comment, also after a URL and its settings", async () => {
    const lines = "# all\n\t# of them\nhttps://a.example/ # the first\nhttps://b.example/#top priority=3\t#x=y # z\n";
    assert.deepEqual(await readLines(lines), [
      { url: "https://a.example/" },
      { url: "https://b.example/#top", priority: 3 },
    ]);
  });

  it("refuses a least time between visits beyond the most, also of one that is given beside the file", async () => {
    const line = "https://a.example/ min-interval=2d";
    assert.deepEqual(await mistakesOf(`${line} max-interval=1m\n`), [
      "line 1: min-interval is longer than max-interval",
    ]);
    assert.equal(((await mistakesOf(line, { maxIntervalMs: 60_000 })) as string[]).length, 1);
    assert.equal((await readLines(`${line} max-interval=2d\n${line.replace("a", "b")}`)).length, 2);
  });

  it("refuses in a line what holds for all sites together", async () => {
    for (const setting of ["share-into=docroot", "exchange=5m", "listen=9464"])
      assert.match(String(await mistakesOf(`https://a.example/ ${setting}\n`)), /^line 1: .* is not a setting/);
  });

  it("understands names of earlier versions", async () => {
    assert.deepEqual(await readLines("https://a.example/ look-least=1m look-most=1h"), [
      { url: "https://a.example/", minIntervalMs: 60_000, maxIntervalMs: 3_600_000 },
    ]);
    assert.deepEqual(await mistakesOf("https://a.example/ look-most=1h max-interval=1h"), [
      "line 1: --max-interval is given more than once.",
    ]);
  });

  it("refuses an address without a host", async () => {
    assert.deepEqual(await mistakesOf("http:///x\n"), ['line 1: the address "http:///x": not an http or https URL.']);
  });
});
