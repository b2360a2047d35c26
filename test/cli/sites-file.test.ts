import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readSitesFile } from "../../src/cli/sites-file.ts";
import type { CrawlSettings } from "../../src/crawl-settings.ts";
import { TidemarkError } from "../../src/model/index.ts";
import { makeTempFolder } from "../temp-folder.ts";

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
    it(`refuses ${name}`, async () => assert.deepEqual(await mistakesOf(lines), ["no site is listed"]));
});
