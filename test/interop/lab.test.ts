import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { LabRow } from "../../src/core/lab-result.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type JsonEvent, labProgram, runTidemark, summaryOf } from "./command.ts";
import { findDocs, skipWithoutDocs } from "./docs-site.ts";

const histories = join(repositoryFolder(), "fixtures", "histories");

async function runLab(...args: readonly string[]): Promise<{ rows: LabRow[]; verdicts: readonly JsonEvent[] }> {
  const result = await runTidemark(["run", ...args, "--json"], labProgram);
  const { published, goals } = summaryOf<Record<"published" | "goals", { readonly missed: number }>>(result);
  assert.equal(published.missed + goals.missed, 0);
  return {
    rows: result.events.filter(({ event }) => event === "row").map(({ row }) => row as LabRow),
    verdicts: result.events.filter(({ event }) => event === "published"),
  };
}

describe("experiments on real sites", () => {
  it("measures the meta-data of Debian's documentation, and writes nothing into it", {
    skip: skipWithoutDocs(),
  }, async () => {
    const root = findDocs() ?? "";
    const { rows } = await runLab("metadata", "--param", `root=${root}`);
    const row = rows.find(({ form }) => form === "tidemark");
    assert.ok(Number(row?.pages) > 20_000);
    // A line is smaller than the paper's 22 bytes, and all lines than 0.16 % of the pages.
    assert.ok(Number(row?.packed) > 12 && Number(row?.packed) < 22, String(row?.packed));
    assert.ok(Number(row?.share) < 0.0016, String(row?.share));
    assert.ok(!existsSync(join(root, ".well-known")) && !existsSync(join(root, "robots.txt")));
  });

  for (const name of readdirSync(histories)) {
    it(`replays ${name}: by archives a crawler is as fresh as polling, for fewer bytes`, async () => {
      using temp = makeTempFolder("lab");
      const { rows } = await runLab("replay", "--param", `history=${join(histories, name)}`, "--out", temp.path);
      const atMost = (crawler: string): LabRow | undefined =>
        rows.find((row) => row.crawler === crawler && row.bandwidth === 1);
      const [archives, conditional, ideal] = [atMost("archives"), atMost("conditional"), atMost("ideal")];
      assert.equal(archives?.freshness, 1);
      assert.ok(Number(archives?.used) < Number(conditional?.used));
      // News that cost nothing would save a few hundredths at most.
      assert.ok(Number(archives?.used) < 1.05 * Number(ideal?.used));
      const page = readFileSync(join(temp.path, "index.html"), "utf8");
      assert.ok(page.includes(name));
    });
  }
});
