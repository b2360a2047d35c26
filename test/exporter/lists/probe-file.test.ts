import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { ProbeReader, ProbeWriter } from "../../../src/exporter/lists/probe-file.ts";
import { formatProbeRecord, type ProbeRecord, parseProbeRecord } from "../../../src/exporter/lists/probe-record.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const seconds = fc.integer({ min: 0, max: 253_402_300_799 });
const fieldValue = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("latin1"));
const records: fc.Arbitrary<ProbeRecord> = fc.record(
  {
    path: fc.stringMatching(/^\/[a-z]{1,8}(?:\?[a-z=&%]{1,8})?$/),
    state: fc.constantFrom("present" as const, "absent" as const, "unknown" as const),
    askedAt: seconds,
    sizeBytes: fc.option(fc.integer({ min: 0, max: 999_999_999_999_999 }), { nil: undefined }),
    lastModified: fc.option(seconds, { nil: undefined }),
    mediaType: fc.option(fc.constantFrom("text/html", "application/x-y"), { nil: undefined }),
    digest: fc.option(fc.constant("AAAAAAAAAAA"), { nil: undefined }),
    validators: fc.record({ etag: fieldValue, lastModified: fieldValue }, { requiredKeys: [], noNullPrototype: true }),
  },
  { noNullPrototype: true },
);

async function readAll(path: string) {
  const problems: string[] = [];
  const given: ProbeRecord[] = [];
  await using reader = new ProbeReader(path, (message) => problems.push(message));
  for (let batch = await reader.next(); batch !== undefined; batch = await reader.next()) given.push(...batch);
  return { given, problems, rotation: reader.rotation };
}

async function writeAll(path: string, given: readonly ProbeRecord[], cursor = "/c"): Promise<void> {
  await using writer = new ProbeWriter(path);
  for (const record of given) if (writer.add(record)) await writer.drain();
  await writer.commit({ cursor, after: 7, unasked: 9 });
}

const sample: ProbeRecord = {
  path: "/a",
  state: "present",
  askedAt: 5,
  sizeBytes: 6,
  lastModified: 7,
  mediaType: "text/html",
  digest: "AAAAAAAAAAA",
  validators: { etag: 'W/"a b\t%"', lastModified: "Sun, 06 Nov 1994 08:49:37 GMT" },
};

test("a record is read as it was written, validators byte for byte", () => {
  fc.assert(fc.property(records, (record) => assert.deepEqual(parseProbeRecord(formatProbeRecord(record)), record)));
  assert.equal(
    formatProbeRecord(sample),
    '/a\tP\t5\t6\t7\ttext/html\tAAAAAAAAAAA\tW/"a%20b%09%25"\tSun,%2006%20Nov%201994%2008:49:37%20GMT',
  );
});

test("any line is a record or none", () => {
  const parts = fc.constantFrom("/a", "P", "X", "5", "-", "text/html", "AAAAAAAAAAA", "%2D", "\t", "-1", "1e9");
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(parts, { maxLength: 20 }).map((all) => all.join("\t")),
      ),
      (line) => {
        const record = parseProbeRecord(line);
        if (record !== undefined) assert.deepEqual(parseProbeRecord(formatProbeRecord(record)), record);
      },
    ),
  );
});

test("a file of records is gzip, is read as it was written, and leaves nothing else", async () => {
  using temp = makeTempFolder();
  const path = join(temp.path, "probes.gz");
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(records, { selector: ({ path }) => path, maxLength: 30 }), async (unsorted) => {
      const given = unsorted.toSorted((a, b) => (a.path < b.path ? -1 : 1));
      await writeAll(path, given);
      assert.deepEqual(await readAll(path), {
        given,
        problems: [],
        rotation: { cursor: "/c", after: 7, known: given.length, unasked: 9 },
      });
      assert.ok(gunzipSync(readFileSync(path)).toString().endsWith(`end\t${given.length}\t/c\t7\t9\n`));
    }),
    { numRuns: 50 },
  );
  assert.deepEqual(readdirSync(temp.path), ["probes.gz"]);
});

test("many records take many pieces", async () => {
  using temp = makeTempFolder();
  const path = join(temp.path, "probes.gz");
  const given = Array.from({ length: 30_000 }, (_, at) => ({ ...sample, path: `/${String(at).padStart(6, "0")}` }));
  await writeAll(path, given);
  const read = await readAll(path);
  assert.equal(read.given.length, given.length);
  assert.deepEqual(read.given.at(-1), given.at(-1));
});

test("no file is no records; one that is damaged anywhere gives what stands before, or nothing, and says so", async () => {
  using temp = makeTempFolder();
  const path = join(temp.path, "probes.gz");
  assert.deepEqual(await readAll(path), {
    given: [],
    problems: [],
    rotation: { cursor: "", after: 0, known: 0, unasked: 0 },
  });
  const given = Array.from({ length: 50 }, (_, at) => ({ ...sample, path: `/${String(at).padStart(3, "0")}` }));
  await writeAll(path, given);
  const whole = readFileSync(path);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(whole.length - 1),
      fc.integer({ min: 1, max: 255 }),
      fc.boolean(),
      async (at, change, isCut) => {
        const damaged = Buffer.from(isCut ? whole.subarray(0, at) : whole);
        if (!isCut) damaged[at] = (damaged[at] ?? 0) ^ change;
        writeFileSync(path, damaged);
        const read = await readAll(path);
        assert.deepEqual(read.given, given.slice(0, read.given.length));
        assert.ok(read.problems.length === 1 || read.given.length === given.length);
      },
    ),
    { numRuns: 300 },
  );
});

test("a file whose parts do not belong together says so", async () => {
  using temp = makeTempFolder();
  const path = join(temp.path, "probes.gz");
  const start = gzipSync(`tidemark-probes 1\n${formatProbeRecord(sample)}\n`);
  const end = (count: number): Buffer => gzipSync(`end\t${count}\t-\t0\t0\n`, { level: 0 });
  writeFileSync(path, Buffer.concat([start, end(1)]));
  assert.deepEqual((await readAll(path)).problems, []);
  const twice = gzipSync(`tidemark-probes 1\n${`${formatProbeRecord(sample)}\n`.repeat(2)}`);
  const bomb = gzipSync("x".repeat(100_000));
  for (const parts of [
    [start, end(2)],
    [start, Buffer.from("rubbish"), end(1)],
    [start, Buffer.alloc(8), end(1)],
    [twice, end(2)],
    [start, end(1), end(1)],
    [start, bomb, end(1)],
    [gzipSync("tidemark-probes 2\n"), end(0)],
  ]) {
    writeFileSync(path, Buffer.concat(parts));
    assert.equal((await readAll(path)).problems.length, 1);
  }
});

test("what is not committed leaves the file as it was", async () => {
  using temp = makeTempFolder();
  const path = join(temp.path, "probes.gz");
  await writeAll(path, [sample]);
  {
    await using writer = new ProbeWriter(path);
    writer.add({ ...sample, path: "/b" });
    await writer.drain();
  }
  assert.deepEqual((await readAll(path)).given, [sample]);
  assert.deepEqual(readdirSync(temp.path), ["probes.gz"]);
});

test("a folder that may not be written to says so", { skip: process.getuid?.() === 0 }, () => {
  using temp = makeTempFolder();
  chmodSync(temp.path, 0o500);
  assert.throws(() => new ProbeWriter(join(temp.path, "probes.gz")), { code: "no-permission" });
  chmodSync(temp.path, 0o700);
});

test("killed at any instant, a writer leaves the old records or the new ones", async () => {
  using temp = makeTempFolder();
  const path = join(temp.path, "probes.gz");
  const program = new URL("./probe-writer-process.js", import.meta.url);
  let killed = 0;
  for (let round = 0; round < 12; round++) {
    const child = fork(program, [path], { stdio: "ignore" });
    // It says each time that it begins to write; what it is in the middle of then is chance.
    await once(child, "message");
    for (let more = 0; more < round % 4; more++) await once(child, "message");
    for (let spin = 0; spin < round; spin++) await new Promise(setImmediate);
    child.kill("SIGKILL");
    await once(child, "exit");
    killed += 1;
    if (!existsSync(path)) continue;
    const { given, problems, rotation } = await readAll(path);
    assert.deepEqual(problems, []);
    assert.equal(given.length, 3000);
    assert.ok(given.every(({ askedAt }) => askedAt === given[0]?.askedAt));
    assert.equal(rotation.cursor, `/${given[0]?.askedAt}`);
  }
  assert.equal(killed, 12);
  for (const name of readdirSync(temp.path)) assert.match(name, /^(?:probes\.gz|\.tidemark-[0-9]+-[0-9]+\.tmp)$/);
});
