import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { formatWarcHead, warcRecordEnd } from "../../../src/formats/warc/warc-record.ts";
import { RecordSort } from "../../../src/fs/record-sort.ts";
import { readGzipMembers } from "../../../src/storage/warc/gzip-members.ts";
import { SpooledBody } from "../../../src/storage/warc/warc-file.ts";
import { hasOpenWarc, WarcFiles } from "../../../src/storage/warc/warc-files.ts";
import { addLine, drainLines, readWarcFile } from "../../../src/storage/warc/warc-index.ts";
import { longer } from "../../long-run.ts";
import { fc } from "../../property.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";
import { readCaptures, readRecords } from "../state/recorded-site.ts";

const head = Buffer.from("HTTP/1.1 200 OK\r\n\r\n");

class Folder implements Disposable {
  readonly #temp: TempFolder = makeTempFolder();
  readonly folder: string = join(this.#temp.path, "warcs");
  readonly temporary: string = join(this.#temp.path, "tmp");

  constructor() {
    mkdirSync(this.temporary);
  }

  files(maxBytes?: number): WarcFiles {
    rmSync(this.temporary, { recursive: true });
    mkdirSync(this.temporary);
    const { folder, temporary } = this;
    const options = {
      folder,
      temporary,
      prefix: "example.org",
      info: { software: "test" },
      clock: () => 1_800_000_000_000,
    };
    return new WarcFiles({ ...options, ...(maxBytes === undefined ? {} : { maxBytes }) });
  }

  names(): string[] {
    return readdirSync(this.folder).sort();
  }

  [Symbol.dispose](): void {
    this.#temp[Symbol.dispose]();
  }
}

async function add(files: WarcFiles, url: string, content: Uint8Array): Promise<void> {
  const body = new SpooledBody(head, () => files.newTemporary());
  for (let at = 0; at < content.length; at += 100_000) body.write(content.subarray(at, at + 100_000));
  body.end();
  const shared = { date: 1_800_000_000, targetUri: url, contentType: "application/http;msgtype=response" };
  await files.append([{ head: { ...shared, type: "response", recordId: `urn:x:${url}` }, start: head, body }]);
  body.discard();
}

const urlsOf = (folder: string): (string | undefined)[] => readCaptures(folder).map((record) => record.head.targetUri);

describe("WARC files", () => {
  it("get their name and an index when they are full or closed", async () => {
    using place = new Folder();
    const files = place.files(3000);
    for (let page = 0; page < 7; page++) await add(files, `http://a/${page}`, randomBytes(1000));
    assert.deepEqual(place.names().filter((name) => name.endsWith(".open")).length, 1);
    await files.close();
    const times = "example.org-20270115080000";
    const names = [0, 1, 2].flatMap((serial) => [`${times}-0000${serial}.cdxj`, `${times}-0000${serial}.warc.gz`]);
    assert.deepEqual(place.names(), names);
    assert.equal(urlsOf(place.folder).length, 7);
    // The next run takes no name again, even within the same second.
    const more = place.files();
    await add(more, "http://a/more", randomBytes(10));
    await more.close();
    assert.ok(place.names().includes(`${times}-00003.warc.gz`));
  });

  it("are gone on with after a pause, but not where a killed run added something since", async () => {
    using place = new Folder();
    const first = place.files();
    await add(first, "http://a/0", randomBytes(100));
    const paused = await first.pause();
    assert.ok(paused !== undefined && hasOpenWarc(place.folder));
    const second = place.files();
    second.resume(paused);
    await second.recover();
    await add(second, "http://a/1", randomBytes(100));
    await second.flush();
    // Killed here: what was noted of the file is older than the file.
    const third = place.files();
    third.resume(paused);
    await third.recover();
    assert.deepEqual([third.finished, hasOpenWarc(place.folder)], [1, false]);
    await add(third, "http://a/2", randomBytes(100));
    await third.close();
    assert.deepEqual(urlsOf(place.folder), ["http://a/0", "http://a/1", "http://a/2"]);
    assert.equal(place.names().filter((name) => name.endsWith(".warc.gz")).length, 2);
    third.resume(paused);
    assert.equal(await third.pause(), undefined, "it is finished");
  });

  it("are not made where nothing is recorded", async () => {
    using place = new Folder();
    const files = place.files();
    await files.flush();
    await files.close();
    assert.deepEqual(place.names(), []);
  });

  it("hold a large body in bounded memory, byte for byte", async () => {
    using place = new Folder();
    const files = place.files();
    const content = randomBytes(20_000_000);
    await add(files, "http://a/large", content);
    await add(files, "http://a/small", Buffer.from("small"));
    await files.close();
    const [large, small] = readCaptures(place.folder);
    assert.ok(Buffer.from((large?.block ?? "").slice(head.length), "latin1").equals(content));
    assert.equal(small?.head.targetUri, "http://a/small");
  });

  it("are cut off after their last whole record, wherever a killed run left them", async () => {
    using place = new Folder();
    const files = place.files();
    const ends: number[] = [];
    for (let page = 0; page < 12; page++) {
      // Some are larger than what is read at a time, some unpack to more than that.
      const size = page % 4 === 0 ? 400_000 : 50;
      await add(files, `http://a/${page}`, page === 4 ? Buffer.alloc(6_000_000) : randomBytes(size));
      await files.flush();
      const open = place.names().find((name) => name.endsWith(".open"));
      ends.push(statSync(join(place.folder, open ?? "")).size);
    }
    const name = place.names()[0] ?? "";
    const whole = readFileSync(join(place.folder, name));
    const last = ends.at(-1) ?? 0;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.integer({ min: 0, max: last }),
          fc.constantFrom(...ends),
          fc.constantFrom(...ends.map((end) => end - 1)),
        ),
        fc.constantFrom("cut", "ones", "garbage"),
        async (cut, tail) => {
          rmSync(place.folder, { recursive: true });
          mkdirSync(place.folder);
          const rest = tail === "cut" ? Buffer.alloc(0) : tail === "ones" ? Buffer.alloc(5000, 255) : randomBytes(5000);
          // The last byte of a member's trailer is zero here: garbage must not complete it.
          if (rest.length > 0) rest[0] = 255;
          writeFileSync(join(place.folder, name), Buffer.concat([whole.subarray(0, cut), rest]));
          // An index that the killed run had made already.
          writeFileSync(join(place.folder, name.replace(".warc.gz.open", ".cdxj")), "old\n");
          await place.files().recover();
          const kept = ends.filter((end) => end <= cut).length;
          const expected = Array.from({ length: kept }, (_, page) => `http://a/${page}`);
          if (kept === 0) return assert.deepEqual(place.names(), []);
          assert.deepEqual(urlsOf(place.folder), expected);
          assert.deepEqual(place.names(), [name.replace(".warc.gz.open", ".cdxj"), name.replace(".open", "")]);
          assert.equal(statSync(join(place.folder, name.replace(".open", ""))).size, ends[kept - 1]);
          const index = readFileSync(join(place.folder, name.replace(".warc.gz.open", ".cdxj")), "latin1");
          assert.equal(index.trimEnd().split("\n").length, kept);
        },
      ),
      { numRuns: longer(12, 60) },
    );
  });

  it("get an index again where it is missing, the same", async () => {
    using place = new Folder();
    const files = place.files();
    for (const page of ["b", "a", "c"]) await add(files, `http://a/${page}`, randomBytes(10));
    await files.close();
    const index = join(place.folder, place.names().find((name) => name.endsWith(".cdxj")) ?? "");
    const before = readFileSync(index, "latin1");
    rmSync(index);
    await place.files().recover();
    assert.equal(readFileSync(index, "latin1"), before);
    assert.deepEqual(
      before.split("\n").map((line) => line.split(" ")[0]),
      ["a)/a", "a)/b", "a)/c", ""],
    );
  });

  it("hold nothing of a record that could not be written wholly", async () => {
    using place = new Folder();
    const files = place.files();
    await add(files, "http://a/1", randomBytes(1000));
    const body = new SpooledBody(head, () => files.newTemporary());
    body.write(randomBytes(1_000_000));
    body.end();
    // The disk fails after a part was written.
    const read = async function* (): AsyncGenerator<Buffer, void, void> {
      yield randomBytes(1_000_000);
      throw new Error("the disk is gone");
    };
    Object.defineProperty(body, "read", { value: read });
    const bad = { type: "response", recordId: "urn:x:bad", date: 5, targetUri: "http://a/bad" };
    await assert.rejects(files.append([{ head: bad, start: head, body }]), /the disk is gone/);
    await add(files, "http://a/2", randomBytes(1000));
    await files.close();
    assert.deepEqual(urlsOf(place.folder), ["http://a/1", "http://a/2"]);
    assert.equal(readRecords(place.folder).length, 3);
  });
});

describe("what is read of a file", () => {
  const record = (block: string): Buffer =>
    Buffer.concat([
      formatWarcHead({ type: "response", recordId: "a:b", date: 0, lengthBytes: block.length, targetUri: "http://a/" }),
      Buffer.from(block + warcRecordEnd),
    ]);
  const whole = gzipSync(record("x"));
  const damaged = Buffer.from(whole);
  damaged[damaged.length - 6] = (damaged[damaged.length - 6] ?? 0) ^ 1;
  const named = Buffer.concat([whole.subarray(0, 3), Buffer.from([8]), whole.subarray(4)]);
  for (const [what, next] of [
    ["two records in a member", gzipSync(Buffer.concat([record("x"), record("y")]))],
    ["half a record in a member", gzipSync(record("x").subarray(0, -1))],
    ["no record", gzipSync("hello")],
    ["nothing packed", gzipSync("")],
    ["a wrong checksum", damaged],
    ["a header with optional fields", named],
    ["a bomb that is no record", gzipSync(Buffer.alloc(50_000_000))],
    ["a head without an end", gzipSync(Buffer.concat([Buffer.from("WARC/1.1\r\n"), Buffer.alloc(10_000_000, "x")]))],
  ] as ReadonlyArray<readonly [string, Buffer]>) {
    it(`ends before ${what}`, async () => {
      using temp = makeTempFolder();
      const path = join(temp.path, "x.warc.gz");
      writeFileSync(path, Buffer.concat([whole, next, whole]));
      const lines: string[] = [];
      const extent = await readWarcFile(path, "x.warc.gz", (line) => lines.push(line));
      assert.deepEqual([extent.wholeBytes, extent.captures, lines.length], [whole.length, 1, 1]);
    });
  }

  it("is the same as what was packed, in members of any size", async () => {
    using temp = makeTempFolder();
    const path = join(temp.path, "x.gz");
    const size = fc.oneof(
      fc.nat(300),
      fc.integer({ min: 100_000, max: 600_000 }),
      fc.integer({ min: 4_100_000, max: 4_300_000 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(size, fc.boolean()), { maxLength: 6 }), fc.nat(20), async (sizes, cut) => {
        const contents = sizes.map(([length, isRandom]) =>
          isRandom ? randomBytes(length) : Buffer.alloc(length, "a"),
        );
        const packed = contents.map((content) => gzipSync(content));
        writeFileSync(path, Buffer.concat(packed));
        const total = statSync(path).size;
        truncateSync(path, Math.max(0, total - cut));
        const read: Buffer[] = [];
        let current: Buffer[] = [];
        const end = await readGzipMembers(path, {
          begin: () => {
            current = [];
          },
          content: (piece) => current.push(Buffer.from(piece)) > 0,
          end: (_, length) => {
            assert.equal(length, packed[read.length]?.length);
            return read.push(Buffer.concat(current)) > 0;
          },
        });
        const kept = cut === 0 ? contents : contents.slice(0, -1);
        assert.ok(read.length === kept.length && read.every((content, at) => kept[at]?.equals(content)));
        assert.equal(
          end,
          packed.slice(0, kept.length).reduce((sum, { length }) => sum + length, 0),
        );
      }),
      { numRuns: longer(8, 25) },
    );
  });
});

it("lines are sorted by bytes, also where they do not fit into memory", () => {
  using temp = makeTempFolder();
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1, unit: "binary-ascii" }).map((line) => line.replace(/[\r\n]/g, "!"))),
      (lines) => {
        using sort = new RecordSort(temp.path, 100);
        for (const line of lines) addLine(sort, line);
        assert.deepEqual([...drainLines(sort)], [...lines].sort());
      },
    ),
  );
  assert.deepEqual(readdirSync(temp.path), []);
});
