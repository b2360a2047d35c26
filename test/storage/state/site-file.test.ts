import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type FileBlock, SiteFile } from "../../../src/storage/state/site-file.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const origin = "https://example.org";
const siteFileModule = new URL("../../../src/storage/state/site-file.js", import.meta.url).href;

function note(file: SiteFile, from: number, to: number): void {
  const { urls, close } = file.store.openSite(origin, { kind: "metadata" });
  const paths = Array.from({ length: to - from }, (_, at) => `/page-${from + at}.html`);
  urls.note(
    paths.map((path) => ({ path, depth: 1, lastmod: undefined })),
    0,
  );
  close();
}

function countUrls(file: SiteFile): number {
  const { urls, close } = file.store.openSite(origin, { kind: "metadata" });
  const { known } = urls.counts();
  close();
  return known;
}

describe("SiteFile", () => {
  it("comes and goes in blocks, of which those that changed are enough", () => {
    using temp = makeTempFolder();
    using first = new SiteFile({ folder: join(temp.path, "a"), site: 1 });
    first.load([]);
    const blocks = new Map<number, FileBlock>();
    for (const [from, to] of [
      [0, 10],
      [10, 3000],
      [3000, 3001],
      [3001, 3001],
    ] as const) {
      note(first, from, to);
      const { blocks: count, changed, settle } = first.changes();
      for (const block of changed) blocks.set(block.number, block);
      settle();
      assert.equal(blocks.size, count);
      if (to === 3001) assert.ok(changed.length < count, "all blocks changed");
      using second = new SiteFile({ folder: join(temp.path, "b"), site: 7 });
      second.load(Array.from({ length: count }, (_, number) => blocks.get(number) as FileBlock));
      assert.deepEqual(readFileSync(join(temp.path, "b", "7.db")), readFileSync(join(temp.path, "a", "1.db")));
      assert.equal(countUrls(second), to);
    }
  });

  it("gives the same changes again until they are settled", () => {
    using temp = makeTempFolder();
    using file = new SiteFile({ folder: temp.path, site: 1 });
    file.load([]);
    note(file, 0, 10);
    const { changed, settle } = file.changes();
    assert.ok(changed.length > 0);
    assert.deepEqual(file.changes().changed, changed);
    settle();
    assert.deepEqual(file.changes().changed, []);
  });

  it("refuses blocks that are missing, damaged or too large", () => {
    using temp = makeTempFolder();
    using file = new SiteFile({ folder: temp.path, site: 1 });
    file.load([]);
    const { changed } = file.changes();
    // Cut off: bytes that are wrong may pass, as raw DEFLATE has no checksum.
    const damaged = changed.map(({ number, bytes }) => ({
      number,
      bytes: number === 1 ? bytes.subarray(0, -1) : bytes,
    }));
    const bomb = Buffer.from("7dc101010000008090feafee080a0000000000000000000000000000000000", "hex");
    for (const blocks of [
      changed.slice(1),
      damaged,
      [{ number: 0, bytes: bomb }],
      [{ number: 0, bytes: Buffer.alloc(0) }],
    ])
      assert.throws(() => file.load(blocks), { code: "state-corrupt" });
    file.load(changed);
  });

  it("tells that there is no room for the last block, too", () => {
    using temp = makeTempFolder();
    using file = new SiteFile({ folder: temp.path, site: 1 });
    file.load([]);
    void file.store;
    const blocks = file.changes().changed.map(({ number, bytes }) => [number, Buffer.from(bytes).toString("base64")]);
    const { size } = statSync(join(temp.path, "1.db"));
    const load = `import { SiteFile } from ${JSON.stringify(siteFileModule)};
      const blocks = JSON.parse(process.argv[2]).map(([number, bytes]) => ({ number, bytes: Buffer.from(bytes, "base64") }));
      new SiteFile({ folder: process.argv[1], site: 2 }).load(blocks);`;
    const limited = ["-c", `ulimit -f ${Math.floor(size / 1024) - 4}; exec "$0" --input-type=module --eval "$@"`];
    const { status, stderr } = spawnSync(
      "bash",
      [...limited, process.execPath, load, temp.path, JSON.stringify(blocks)],
      { encoding: "utf8" },
    );
    assert.notEqual(status, 0, "a part of a state was taken for the whole");
    assert.match(stderr, /EFBIG/);
  });
});
