import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { deflateRawSync } from "node:zlib";
import type { PackageRead } from "../../../src/core/ports.ts";
import { openZip, type ZipLimits } from "../../../src/storage/packages/zip-entries.ts";
import { longer } from "../../long-run.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type MadeEntry, makeZip } from "./zip-bytes.ts";

const MiB = 1024 * 1024;

/** Opens a ZIP file of these bytes and reads an entry. @returns its content, or the problem's code */
async function readFrom(
  bytes: Buffer,
  name: string,
  options: Partial<PackageRead> = {},
  limits: ZipLimits = {},
): Promise<string> {
  using temp = makeTempFolder();
  const file = join(temp.path, "package.zip");
  writeFileSync(file, bytes);
  const zip = await openZip(file, limits);
  if (!zip.ok) return `zip: ${zip.error.code}`;
  using entries = zip.value;
  const pieces: Buffer[] = [];
  const read = await entries.read(name, { maxBytes: 100 * MiB, hashes: [], ...options }, (piece) =>
    pieces.push(Buffer.from(piece)),
  );
  assert.deepEqual(readdirSync(temp.path), ["package.zip"]);
  return read.ok ? Buffer.concat(pieces).toString("latin1") : read.error.code;
}

const zeros = Buffer.alloc(8 * MiB);
const text = "the same words again and again, ".repeat(1000);
const hash = (algorithm: string): string => createHash(algorithm).update(text).digest("hex");

describe("an entry of a ZIP file", () => {
  const page = { name: "resources/1", content: text };

  it("is read as it was written, deflated or stored, with zip64 or without", async () => {
    for (const method of [0, 8])
      for (const isZip64 of [false, true])
        for (const zip64 of [undefined, {}]) {
          const others = [{ name: "manifest.xml", content: "<x/>" }, { name: "empty" }];
          const bytes = makeZip([...others, { ...page, method, isZip64 }], zip64 === undefined ? {} : { zip64 });
          assert.equal(await readFrom(bytes, page.name), text);
          assert.equal(await readFrom(bytes, "empty"), "");
        }
  });

  it("of many pieces is read", async () => {
    const content = randomBytes(3 * MiB).toString("latin1");
    for (const method of [0, 8]) {
      const bytes = makeZip([{ name: "a", content: Buffer.from(content, "latin1"), method }]);
      assert.ok((await readFrom(bytes, "a")) === content);
    }
  });

  it("that is a ZIP file itself is bytes", async () => {
    const inner = makeZip([page]);
    assert.equal(await readFrom(makeZip([{ name: "a.zip", content: inner }]), "a.zip"), inner.toString("latin1"));
  });

  it("must have its hashes, all of them", async () => {
    const bytes = makeZip([page]);
    const right = (["md5", "sha1", "sha256"] as const).map((algorithm) => ({ algorithm, hex: hash(algorithm) }));
    assert.equal(await readFrom(bytes, page.name, { hashes: right }), text);
    for (const { algorithm } of right) {
      const hashes = right.map((one) => (one.algorithm === algorithm ? { algorithm, hex: "00" } : one));
      assert.equal(await readFrom(bytes, page.name, { hashes }), "bad-entry");
    }
  });

  // What is wrong, and what is said of it.
  const bad: ReadonlyArray<readonly [string, Partial<MadeEntry>, string]> = [
    ["another CRC-32 than its content's", { crc: 1 }, "bad-entry"],
    ["less than it says", { sizeBytes: text.length + 1 }, "bad-entry"],
    ["more than it says", { sizeBytes: text.length - 1 }, "bad-entry"],
    ["far more than it says", { content: zeros, sizeBytes: 10 }, "bad-entry"],
    ["a broken stream", { packed: randomBytes(500) }, "bad-entry"],
    ["a stream that is cut off", { packed: deflateRawSync(text).subarray(0, 20) }, "bad-entry"],
    ["a place beyond the file", { offset: 1_000_000 }, "zip: overlap"],
    ["a size beyond the file", { packedBytes: 1_000_000 }, "zip: overlap"],
    ["sizes beyond what a number can be", { isZip64: true, packedBytes: 2 ** 60, sizeBytes: 2 ** 60 }, "zip: overlap"],
    ["a password", { flags: 1 }, "encrypted"],
    ["strong encryption", { flags: 0x41 }, "zip: bad-zip"],
    ["a method that nobody asked for", { method: 12, packed: Buffer.from("BZh9") }, "unknown-method"],
    ["a ratio that no page has", { content: zeros }, "bomb"],
    ["two sizes, stored", { method: 0, sizeBytes: 1 }, "zip: bad-zip"],
  ];
  for (const [what, entry, problem] of bad)
    it(`with ${what} is ${problem}`, async () => {
      assert.equal(await readFrom(makeZip([{ ...page, ...entry }]), page.name), problem);
    });

  it("at a place where no entry begins is bad-entry", async () => {
    const bytes = makeZip([page]);
    bytes.writeUInt32LE(0, 0);
    assert.equal(await readFrom(bytes, page.name), "bad-entry");
  });

  it("with more than may come out of it is not read", async () => {
    assert.equal(await readFrom(makeZip([page]), page.name, { maxBytes: text.length - 1, hashes: [] }), "too-large");
    assert.equal(await readFrom(makeZip([page]), page.name, { maxBytes: text.length, hashes: [] }), text);
    assert.equal(await readFrom(makeZip([page]), page.name, {}, { maxContentBytes: text.length - 1 }), "too-large");
  });

  it("whose name stands twice is none", async () => {
    assert.equal(await readFrom(makeZip([page, { ...page, content: "other" }]), page.name), "no-entry");
    assert.equal(await readFrom(makeZip([page]), "resources/2"), "no-entry");
  });

  it("may be called anything: no name is ever a file's", async () => {
    const names = ["../../escaped", "/tmp/escaped", "C:\\escaped", "..\\escaped", "a\0b", "con", "", "x".repeat(2000)];
    for (const name of names) assert.equal(await readFrom(makeZip([{ ...page, name }]), name), text);
    assert.equal(await readFrom(makeZip([{ ...page, name: "x".repeat(3000) }, page]), "x".repeat(3000)), "no-entry");
    assert.equal(await readFrom(makeZip([{ ...page, name: Buffer.from([0xff, 0xfe]) }, page]), page.name), text);
  });

  it("that unpacks to far more than it says does not do so in memory", async () => {
    const content = Buffer.alloc(60 * MiB);
    const bytes = makeZip([{ name: "a", content, sizeBytes: 10 }]);
    assert.ok(bytes.length < 64 * 1024);
    const before = process.resourceUsage().maxRSS;
    assert.equal(await readFrom(bytes, "a"), "bad-entry");
    assert.ok(process.resourceUsage().maxRSS - before < 16 * 1024, `${before}`);
  });

  it("throws what its taker throws", async () => {
    using temp = makeTempFolder();
    const file = join(temp.path, "package.zip");
    writeFileSync(file, makeZip([page]));
    const zip = await openZip(file);
    assert.ok(zip.ok);
    using entries = zip.value;
    const full = (): never => {
      throw new Error("disk full");
    };
    await assert.rejects(entries.read(page.name, { maxBytes: MiB, hashes: [] }, full), /disk full/);
    assert.ok((await entries.read(page.name, { maxBytes: MiB, hashes: [] }, () => undefined)).ok);
  });
});

describe("a ZIP file", () => {
  const small = (name: string): MadeEntry => ({ name, content: name });

  it("that is cut off anywhere is none", async () => {
    const bytes = makeZip(["a", "b", "c"].map(small));
    for (let length = 0; length < bytes.length; length += 7)
      assert.equal(await readFrom(bytes.subarray(0, length), "a"), "zip: bad-zip");
  });

  it("with too many entries is not read, nor is a directory that is too large", async () => {
    const bytes = makeZip(Array.from({ length: 50 }, (_, at) => small(`${at}`)));
    assert.equal(await readFrom(bytes, "7", {}, { maxEntries: 49 }), "zip: too-many");
    assert.equal(await readFrom(bytes, "7", {}, { maxEntries: 50 }), "7");
    assert.equal(await readFrom(bytes, "7", {}, { maxDirectoryBytes: 2000 }), "zip: too-large");
    assert.equal(await readFrom(makeZip([small("a")], { count: 2 ** 50, zip64: {} }), "a"), "zip: too-many");
    assert.equal(await readFrom(makeZip([small("a")], { count: 3 }), "a"), "zip: bad-zip");
  });

  it("whose places lie beyond every file is none, and ends no process", async () => {
    for (const at of [2n ** 64n - 1n, 2n ** 63n, 2n ** 53n, 1_000_000n])
      assert.equal(await readFrom(makeZip([small("a")], { zip64: { at } }), "a"), "zip: bad-zip");
    for (const start of [1_000_000, 2 ** 60])
      assert.equal(await readFrom(makeZip([small("a")], { start, zip64: {} }), "a"), "zip: bad-zip");
    const far = { ...small("a"), isZip64: true, offset: 2 ** 60 };
    assert.equal(await readFrom(makeZip([far]), "a"), "zip: overlap");
  });

  // David Fifield, "A better zip bomb" (WOOT 2019), section 3: all entries share one kernel.
  it("whose entries overlap in one kernel is a bomb", async () => {
    const kernel = { name: "kernel", content: Buffer.alloc(MiB) };
    const packed = deflateRawSync(kernel.content);
    const first = makeZip([kernel]).indexOf(packed) - 30 - kernel.name.length;
    const others = Array.from({ length: 200 }, (_, at) => ({
      ...kernel,
      name: `copy-${at}`,
      packed: Buffer.alloc(0),
      packedBytes: packed.length,
      offset: first,
    }));
    assert.equal(await readFrom(makeZip([kernel, ...others]), "kernel"), "zip: overlap");
  });

  // The same, section 5: each local header quotes those after it in its extra field, and the kernel comes last.
  it("whose extra fields quote the entries that follow is a bomb", async () => {
    const packed = deflateRawSync(Buffer.alloc(MiB));
    const local = (left: number): Buffer => {
      const header = Buffer.alloc(31);
      header.writeUInt32LE(0x04034b50, 0);
      header.writeUInt16LE(8, 8);
      header.writeUInt16LE(1, 26);
      header.writeUInt16LE(left * 31, 28);
      return header;
    };
    const headers = Buffer.concat(Array.from({ length: 9 }, (_, at) => local(9 - at)));
    const kernel = { name: "k", content: Buffer.alloc(MiB) };
    const quoting = Array.from({ length: 9 }, (_, at) => ({
      ...kernel,
      name: `${at}`,
      packed: Buffer.alloc(0),
      packedBytes: packed.length,
      offset: at * 31,
    }));
    const bytes = makeZip([{ ...kernel, name: "", packed: Buffer.concat([headers, packed]) }, ...quoting]);
    assert.equal(await readFrom(bytes.subarray(30), "k"), "zip: bad-zip");
    assert.equal(await readFrom(bytes, "0"), "zip: overlap");
  });

  it("whose local header reaches into the next entry gives that entry not at all", async () => {
    const bytes = makeZip([{ ...small("a"), method: 0 }, small("b")]);
    // Length of the extra field of the first local header: its data would begin within the second entry.
    bytes.writeUInt16LE(20, 28);
    assert.equal(await readFrom(bytes, "a"), "overlap");
    assert.equal(await readFrom(bytes, "b"), "b");
  });

  it("of any bytes gives a problem or content, within its bounds", async () => {
    const bytes = makeZip([small("a"), { ...small("b"), isZip64: true }, { ...small("c"), method: 0 }], { zip64: {} });
    const flips = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(flips, async (places) => {
        const broken = Buffer.from(bytes);
        for (const [at, value] of places) broken[at] = value;
        for (const name of ["a", "b", "c"]) {
          const read = await readFrom(broken, name, { maxBytes: 1000, hashes: [] });
          assert.ok(read.length < 1000);
        }
      }),
      { numRuns: longer(80, 300) },
    );
  });

  it("that unpacks to very much is read in little memory", async () => {
    // At a ratio that is still allowed: noise between zeros.
    const block = Buffer.concat([randomBytes(4000), Buffer.alloc(MiB - 4000)]);
    const content = Buffer.concat(Array.from({ length: 256 }, () => block));
    using temp = makeTempFolder();
    mkdirSync(join(temp.path, "x"));
    const file = join(temp.path, "package.zip");
    writeFileSync(file, makeZip([{ name: "a", content }]));
    const zip = await openZip(file);
    assert.ok(zip.ok);
    using entries = zip.value;
    const before = process.memoryUsage();
    let most = 0;
    let sizeBytes = 0;
    const read = await entries.read("a", { maxBytes: 512 * MiB, hashes: [] }, (piece) => {
      sizeBytes += piece.length;
      const { external, arrayBuffers } = process.memoryUsage();
      most = Math.max(most, external + arrayBuffers);
    });
    assert.deepEqual([read.ok, sizeBytes], [true, content.length]);
    assert.ok(most - before.external - before.arrayBuffers < 64 * MiB, `${most}`);
  });
});
