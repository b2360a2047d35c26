import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { appendCall, type CallRecord, maxLogBytes, readCalls } from "../../src/announce/call-log.ts";
import { makeTempFolder } from "../temp-folder.ts";

const record = (urls: number): CallRecord => ({
  time: "2026-11-21T10:00:00.000Z",
  result: "told",
  endpoint: "https://api.indexnow.org/indexnow",
  status: 200,
  urls,
  publication: 1_700_000_000,
  after: { epoch: "epoch-000001", publication: 1_600_000_000 },
});

test("what was recorded is read back, and a folder without a record gives none", async () => {
  using folder = makeTempFolder();
  assert.deepEqual(await readCalls(join(folder.path, "nowhere")), []);
  const records: CallRecord[] = [
    record(1),
    { ...record(2), result: "refused", status: 422, firstUrl: "https://example.org/" },
    { ...record(3), result: "again", status: "timeout" },
  ];
  for (const each of records) await appendCall(folder.path, each);
  assert.deepEqual(await readCalls(folder.path), records);
});

test("the record is bounded, and the newest calls stay", async () => {
  using folder = makeTempFolder();
  writeFileSync(join(folder.path, "calls.jsonl"), `${JSON.stringify(record(0))}\n`.repeat(1500).slice(0, maxLogBytes));
  for (let urls = 1; urls <= 2000; urls += 400) await appendCall(folder.path, record(urls));
  for (let round = 0; round < 3; round++) {
    appendFileSync(join(folder.path, "calls.jsonl"), "x".repeat(maxLogBytes));
    await appendCall(folder.path, record(5000 + round));
  }
  const sizes = readdirSync(folder.path).map((name) => statSync(join(folder.path, name)).size);
  assert.ok(sizes.length === 2 && Math.min(...sizes) <= maxLogBytes);
  assert.deepEqual((await readCalls(folder.path)).at(-1), record(5002));
});

test("a torn or foreign line costs itself alone", async () => {
  using folder = makeTempFolder();
  await appendCall(folder.path, record(1));
  const file = join(folder.path, "calls.jsonl");
  appendFileSync(file, '{"time":"2026-11-21T10:0');
  await appendCall(folder.path, record(2));
  appendFileSync(file, 'null\n[]\n"x"\n{}\n\0\0\0\n{"time":1}\n');
  await appendCall(folder.path, record(3));
  assert.deepEqual(
    (await readCalls(folder.path)).map(({ urls }) => urls),
    [1, 2, 3],
  );
});

test("of a monstrous file only the beginning is read; what is no file is an error", async () => {
  using folder = makeTempFolder();
  const file = join(folder.path, "calls-older.jsonl");
  writeFileSync(file, `${JSON.stringify(record(1))}\n${"x".repeat(3 * maxLogBytes)}\n${JSON.stringify(record(2))}\n`);
  assert.deepEqual(await readCalls(folder.path), [record(1)]);
  mkdirSync(join(folder.path, "calls.jsonl"));
  await assert.rejects(readCalls(folder.path), { code: "io" });
});
