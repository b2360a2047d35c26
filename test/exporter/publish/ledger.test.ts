import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Ledger } from "../../../src/exporter/publish/ledger.ts";
import { ledgerFileName, readLedger, writeLedger } from "../../../src/exporter/publish/ledger.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const name = { from: 0, to: 100, group: "base", id: "0123456789abcdef" };
const ledger: Ledger = {
  site: "https://example.org/",
  epoch: "epoch-of-a-test",
  publication: 100,
  pages: 1,
  base: { publication: 100, list: { name, changes: 1, sizeBytes: 50 }, archives: 1, announced: ["a"] },
  intervals: [],
  changesSinceBase: 0,
  retired: [{ name: "b", publications: 1, since: 5 }],
  pageFiles: [{ name: "pages-100-1.blocks", records: 1 }],
};

test("a ledger that is cut off, turned over or foreign is corrupt", async () => {
  using folder = makeTempFolder();
  const path = join(folder.path, ledgerFileName);
  await writeLedger(folder.path, ledger);
  const whole = readFileSync(path);
  for (let length = 0; length < whole.length; length++) {
    writeFileSync(path, whole.subarray(0, length));
    await assert.rejects(readLedger(folder.path), { code: "state-corrupt" }, `cut at ${length}`);
  }
  for (let bit = 0; bit < whole.length * 8; bit++) {
    const flipped = Buffer.from(whole);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    writeFileSync(path, flipped);
    const read = await readLedger(folder.path).catch((error: { code?: unknown }) => error.code);
    if (read !== "state-corrupt") assert.deepEqual(read, ledger, `bit ${bit}`);
  }
  for (const document of [null, 7, [], {}, { version: 1 }, { version: 0, ledger }, { version: 1, ledger: null }]) {
    writeFileSync(path, gzipSync(JSON.stringify(document)));
    await assert.rejects(readLedger(folder.path), { code: "state-corrupt" }, JSON.stringify(document));
  }
  for (const field of Object.keys(ledger)) {
    writeFileSync(path, gzipSync(JSON.stringify({ version: 1, ledger: { ...ledger, [field]: null } })));
    await assert.rejects(readLedger(folder.path), { code: "state-corrupt" }, field);
  }
});
