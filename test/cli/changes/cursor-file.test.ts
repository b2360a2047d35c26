import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { readCursorFile, writeCursorFile } from "../../../src/cli/changes/cursor-file.ts";
import { TidemarkError } from "../../../src/core/error.ts";

const kept = { site: "https://a.example", types: "", cursor: { epoch: "abcdefgh", publication: 1_700_000_000 } };

describe("the cursor's file", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "tidemark-test-"));
  });
  after(() => rm(folder, { recursive: true }));

  it("reads back what was written, and leaves nothing beside it", async () => {
    const own = await mkdtemp(join(folder, "own-"));
    const file = join(own, "cursor");
    await writeCursorFile(file, kept);
    await writeCursorFile(file, { ...kept, types: "text/html" });
    assert.deepEqual(await readCursorFile(file), { ...kept, types: "text/html" });
    assert.deepEqual(await readdir(own), ["cursor"]);
  });

  it("is not there before the first run", async () => {
    assert.equal(await readCursorFile(join(folder, "none")), undefined);
  });

  for (const text of [
    "",
    "{",
    "[]",
    "null",
    '{"site":1}',
    '{"site":"https://a.example","types":"","epoch":"abcdefgh","publication":-1}',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, async () => {
      const file = join(folder, "bad");
      await writeFile(file, text);
      await assert.rejects(readCursorFile(file), (error) => {
        return error instanceof TidemarkError && error.code === "state-corrupt" && error.hint !== undefined;
      });
    });
  }

  it("says which folder is missing", async () => {
    const file = join(folder, "missing", "cursor");
    await assert.rejects(writeCursorFile(file, kept), (error) => {
      return error instanceof TidemarkError && error.code === "not-found" && error.message.includes(file);
    });
  });
});
