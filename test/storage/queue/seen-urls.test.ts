import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { HashRun } from "../../../src/storage/queue/hash-run.ts";
import { hashUrl, SeenUrls } from "../../../src/storage/queue/seen-urls.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const hashesOf = (numbers: readonly number[]): Float64Array =>
  Float64Array.from(numbers, (number) => hashUrl(`https://a.example/${number}`, "salt"));

test("a URL is new once, whether what was seen is in memory, on disk, or merged there", () => {
  const batch = fc.array(fc.nat(300), { maxLength: 40 });
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 3, arbitrary: batch }, fc.constant(undefined)), { maxLength: 30 }),
      (steps) => {
        using temp = makeTempFolder();
        let seen = new SeenUrls(temp.path, 64 * 8, []);
        const model = new Set<number>();
        for (const numbers of steps) {
          if (numbers === undefined || seen.room < numbers.length) {
            seen.spill();
            // As after a restart.
            const { runs } = seen;
            seen.close();
            for (const [at, { count }] of runs.entries()) assert.ok(count > 2 * (runs[at + 1]?.count ?? 0), "few runs");
            seen = new SeenUrls(temp.path, 64 * 8, runs);
          }
          const isNew = [...seen.admit(hashesOf(numbers ?? []))];
          const expected = (numbers ?? []).map((number) => {
            const wasNew = !model.has(number);
            model.add(number);
            return wasNew ? 1 : 0;
          });
          assert.deepEqual(isNew, expected);
          assert.equal(seen.size, model.size);
        }
        seen.close();
      },
    ),
    { numRuns: 60 },
  );
});

test("URLs that were asked for lately do not make each other new", () => {
  using temp = makeTempFolder();
  const seen = new SeenUrls(temp.path, 1024 * 1024, []);
  const all = hashesOf(Array.from({ length: 20_000 }, (_, at) => at));
  seen.admit(all);
  seen.spill();
  // Half of them again, and then with the others: many would take each other's places.
  for (const some of [all.filter((_, at) => at % 2 === 0), all])
    assert.equal(
      seen.admit(some).reduce((sum, isNew) => sum + isNew, 0),
      0,
    );
  seen.close();
});

test("a run finds what it has and nothing else, at the borders of its blocks too", () => {
  using temp = makeTempFolder();
  const path = join(temp.path, "run");
  for (const count of [1, 511, 512, 513, 70_000]) {
    const all = hashesOf(Array.from({ length: count * 2 }, (_, at) => at)).sort();
    const even = all.filter((_, at) => at % 2 === 0);
    assert.equal(HashRun.write(path, [even.subarray(0, 300), even.subarray(300)]), count);
    using run = new HashRun(path, count);
    const isFound = new Uint8Array(all.length);
    run.find(all, isFound);
    assert.deepEqual(
      [...isFound],
      Array.from(all, (_, at) => (at % 2 === 0 ? 1 : 0)),
    );
    assert.deepEqual(
      [...run.pieces()].flatMap((piece) => [...piece]),
      [...even],
    );
  }
});

test("a run that is damaged says so, and so does one that is too short", () => {
  using temp = makeTempFolder();
  const path = join(temp.path, "run");
  const hashes = hashesOf(Array.from({ length: 2000 }, (_, at) => at)).sort();
  HashRun.write(path, [hashes]);
  const bytes = readFileSync(path);
  bytes[5000] = (bytes[5000] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  using run = new HashRun(path, 2000);
  assert.throws(() => run.find(hashes, new Uint8Array(2000)), { code: "state-corrupt" });
  writeFileSync(path, bytes.subarray(0, 3000));
  assert.throws(() => new HashRun(path, 2000), { code: "state-corrupt" });
});

test("numbers of URLs are finite, not below 0, in the order of their bits, and others with another salt", () => {
  const hashes = hashesOf(Array.from({ length: 20_000 }, (_, at) => at));
  assert.ok(hashes.every((hashed) => Number.isFinite(hashed) && hashed > 0));
  const byNumber = hashes.toSorted();
  const byBits = new BigUint64Array(hashes.slice().buffer).sort();
  assert.deepEqual([...new BigUint64Array(byNumber.buffer)], [...byBits]);
  assert.equal(new Set(hashes).size, 20_000);
  assert.notEqual(hashUrl("https://a.example/1", "other"), hashes[1]);
});

test("memory takes three quarters of its places, and no more", () => {
  using temp = makeTempFolder();
  const seen = new SeenUrls(temp.path, 100 * 8, []);
  const hashes = hashesOf(Array.from({ length: 49 }, (_, at) => at));
  seen.admit(hashes.subarray(0, 48));
  assert.equal(seen.room, 0);
  assert.throws(() => seen.restore(hashes[48] as number), RangeError);
  seen.close();
});

test("spilling leaves the files of replaced runs until somebody removes what is left over", () => {
  using temp = makeTempFolder();
  const seen = new SeenUrls(temp.path, 64 * 8, []);
  for (const from of [0, 40]) {
    seen.admit(hashesOf(Array.from({ length: 40 }, (_, at) => from + at)));
    seen.spill();
  }
  const names = readdirSync(temp.path).sort();
  assert.deepEqual(names, ["seen-0", "seen-1"]);
  assert.deepEqual(
    names.map((name) => seen.isLeftOver(name)),
    [true, false],
  );
  assert.equal(seen.isLeftOver("other"), false);
  seen.close();
});
