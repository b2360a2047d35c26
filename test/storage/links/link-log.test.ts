import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { LinkLog } from "../../../src/storage/links/link-log.ts";
import { readLinks } from "../../../src/storage/links/read-links.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const day = Date.UTC(2026, 10, 25);
const partsIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, gunzipSync(readFileSync(join(folder, name))).toString()]),
  );

describe("LinkLog", () => {
  it("writes a line a page, in parts by day", async () => {
    using temp = makeTempFolder();
    let now = day;
    {
      await using log = new LinkLog(temp.path, { clock: () => now });
      log.add(day, "http://a.test/", ["http://a.test/1", "http://b.test/"]);
      log.add(day + 1999, "http://a.test/1", []);
      log.flush();
      now += 86_400_000;
      log.add(now, "http://b.test/", ["http://a.test/"]);
    }
    const [first, second] = [day / 1000, day / 1000 + 86_400];
    assert.deepEqual(partsIn(temp.path), {
      "20261125-000001.tsv.gz": `${first}\thttp://a.test/\thttp://a.test/1\thttp://b.test/\n${first + 1}\thttp://a.test/1\n`,
      "20261126-000002.tsv.gz": `${second}\thttp://b.test/\thttp://a.test/\n`,
    });
  });

  it("ends a part at its size, and counts on from the parts that are there", async () => {
    using temp = makeTempFolder();
    for (let run = 0; run < 2; run++) {
      await using log = new LinkLog(temp.path, { clock: () => day, partBytes: 100 });
      for (let page = 0; page < 4; page++) {
        log.add(day, `http://a.test/${"x".repeat(90)}${run}${page}`, []);
        log.flush();
      }
    }
    const parts = partsIn(temp.path);
    assert.deepEqual(
      Object.keys(parts),
      Array.from({ length: 8 }, (_, at) => `20261125-00000${at + 1}.tsv.gz`),
    );
    assert.ok(Object.values(parts).every((lines) => lines.split("\n").length === 2));
  });

  it("counts on from part 999,999, and parts are read in the order of their numbers", async () => {
    using temp = makeTempFolder();
    writeFileSync(join(temp.path, "20261125-999999.tsv.gz"), gzipSync(`${day / 1000}\thttp://a.test/0\n`));
    for (let run = 1; run < 3; run++) {
      await using log = new LinkLog(temp.path, { clock: () => day });
      log.add(day, `http://a.test/${run}`, []);
    }
    const names = ["20261125-1000000.tsv.gz", "20261125-1000001.tsv.gz", "20261125-999999.tsv.gz"];
    assert.deepEqual(Object.keys(partsIn(temp.path)), names);
    const urls = [...readLinks(temp.path)].map(({ url }) => url);
    assert.deepEqual(urls, ["http://a.test/0", "http://a.test/1", "http://a.test/2"]);
  });

  it("keeps what was handed on before a kill, and cuts off half a record", async () => {
    using temp = makeTempFolder();
    const killed = new LinkLog(temp.path, { clock: () => day });
    killed.add(day, "http://a.test/", ["http://b.test/"]);
    killed.write();
    killed.add(day, "http://lost.test/", []);
    const [journal = ""] = readdirSync(temp.path);
    const path = join(temp.path, journal);
    writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from([9, 0, 0, 0, 1, 2])]));
    {
      await using log = new LinkLog(temp.path, { clock: () => day });
      log.add(day, "http://c.test/", []);
    }
    assert.deepEqual(partsIn(temp.path), {
      "20261125-000001.tsv.gz": `${day / 1000}\thttp://a.test/\thttp://b.test/\n`,
      "20261125-000002.tsv.gz": `${day / 1000}\thttp://c.test/\n`,
    });
  });

  it("keeps that a page was as before", async () => {
    using temp = makeTempFolder();
    {
      await using log = new LinkLog(temp.path, { clock: () => day });
      log.addUnchanged(day, "http://a.test/");
    }
    assert.deepEqual(partsIn(temp.path), { "20261125-000001.tsv.gz": `${day / 1000}\thttp://a.test/\t=\n` });
    const line = { at: day / 1000, url: "http://a.test/", isUnchanged: true, links: [], texts: [] };
    assert.deepEqual([...readLinks(temp.path)], [line]);
  });

  it("keeps the texts of links with them, in UTF-8", async () => {
    using temp = makeTempFolder();
    const [a, b, c] = ["http://a.test/", "http://b.test/", "http://c.test/"];
    {
      await using log = new LinkLog(temp.path, { clock: () => day });
      log.add(day, a, [b, c], new Map([[b, ["one text", "\u00e9\u{1f600}"]]]));
      log.add(day, b, [a], new Map());
    }
    const at = day / 1000;
    assert.deepEqual(partsIn(temp.path), {
      "20261125-000001.tsv.gz": `${at}\t${a}\t${b} one text\t${b} \u00e9\u{1f600}\t${c}\n${at}\t${b}\t${a}\n`,
    });
    const texts = ["one text", "\u00e9\u{1f600}"].map((text) => ({ link: b, text }));
    assert.deepEqual(
      [...readLinks(temp.path)],
      [
        { at, url: a, isUnchanged: false, links: [b, c], texts },
        { at, url: b, isUnchanged: false, links: [a], texts: [] },
      ],
    );
  });

  it("leaves out texts, then links, of a line that is too long for the journal", async () => {
    using temp = makeTempFolder();
    const long = (at: number): string => `http://b.test/${"x".repeat(2000)}${at}`;
    const some = Array.from({ length: 10_000 }, (_, at) => long(at));
    const many = Array.from({ length: 40_000 }, (_, at) => long(at));
    {
      await using log = new LinkLog(temp.path, { clock: () => day });
      log.add(day, "http://a.test/1", some, new Map(some.map((link) => [link, ["1", "2", "3", "4"]])));
      log.add(day, "http://a.test/2", many, new Map());
      log.add(day, "http://a.test/3", some.slice(0, 1), new Map([[long(0), ["text"]]]));
    }
    const [textless, cut, short] = [...readLinks(temp.path)];
    assert.deepEqual([textless?.links, textless?.texts], [some, []]);
    const kept = cut?.links.length ?? 0;
    assert.ok(kept > 16_000 && kept < 17_000, `${kept} links`);
    assert.deepEqual(cut?.links, many.slice(0, kept));
    assert.deepEqual(short?.texts, [{ link: long(0), text: "text" }]);
  });

  it("keeps what was added while it cannot be written", async () => {
    using temp = makeTempFolder();
    const folder = join(temp.path, "links");
    await using log = new LinkLog(folder, { clock: () => day });
    rmdirSync(folder);
    log.add(day, "http://a.test/", []);
    assert.throws(() => log.flush(), { code: "not-found" });
    mkdirSync(folder);
    await log.endPart();
    assert.deepEqual(
      [...readLinks(folder)].map(({ url }) => url),
      ["http://a.test/"],
    );
  });

  it("says that a part could not be compressed", async () => {
    using temp = makeTempFolder();
    const log = new LinkLog(join(temp.path, "links"), { clock: () => day });
    log.add(day, "http://a.test/", []);
    log.flush();
    const [journal = ""] = readdirSync(join(temp.path, "links"));
    mkdirSync(join(temp.path, "links", journal.replace("journal", "tsv.gz")));
    await assert.rejects(log.endPart(), { name: "TidemarkError" });
  });
});
