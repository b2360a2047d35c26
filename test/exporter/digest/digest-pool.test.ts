import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DigestPool } from "../../../src/exporter/digest/digest-pool.ts";
import { FileDigester } from "../../../src/exporter/digest/file-digest.ts";
import type { ScannedFile } from "../../../src/exporter/walk/scanned-file.ts";
import { compileContentRules } from "../../../src/formats/html/content-rules.ts";
import { longer } from "../../long-run.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const isRoot = process.getuid?.() === 0;

function scan(location: string | Buffer, sizeBytes: number, mediaType = "text/html"): ScannedFile {
  return { path: "/x", location, sizeBytes, mtimeUs: 0, ctimeUs: 0, mediaType };
}

/** Files of many sizes, and places where something else is. */
function makeFiles(folder: string, count: number): ScannedFile[] {
  const files = Array.from({ length: count }, (_, at) => {
    const path = join(folder, `${at}.html`);
    writeFileSync(path, `page ${at} `.repeat(at % 50));
    return scan(path, 0);
  });
  symlinkSync("0.html", join(folder, "link"));
  mkdirSync(join(folder, "folder"));
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xe9])]), "not UTF-8");
  writeFileSync(join(folder, "denied"), "");
  chmodSync(join(folder, "denied"), 0);
  const odd = ["link", "folder", "gone", "denied"].map((name) => scan(join(folder, name), 0));
  return [
    ...odd,
    ...files,
    scan(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xe9])]), 9),
    scan("/proc/self/stat", 0),
  ];
}

const noTurn = () => Promise.resolve();

test("threads give what the same code gives here, in order, whatever stands in a file's place", async () => {
  using folder = makeTempFolder();
  const files = makeFiles(folder.path, longer(300, 1500));
  const digester = new FileDigester();
  const expected = files.map((file) => digester.digest(file));
  assert.ok(expected.some(({ kind }) => kind === "vanished"));
  assert.ok(expected.some((digest) => digest.kind === "unreadable" && digest.code === "ELOOP"));
  assert.ok(isRoot || expected.some((digest) => digest.kind === "unreadable" && digest.code === "EACCES"));
  for (const options of [
    { threads: 1 },
    { threads: 3 },
    { filesWorthThreads: 100_000 },
    { ioLimitBytesPerSecond: 2 ** 40 },
  ]) {
    await using pool = new DigestPool(options);
    assert.deepEqual(await pool.digestAll(files, noTurn), expected, JSON.stringify(options));
    assert.deepEqual(await pool.digestAll(files.slice(0, 200).reverse(), noTurn), expected.slice(0, 200).reverse());
    assert.deepEqual(await pool.digestAll([], noTurn), []);
  }
});

test("pages that ask not to be indexed are told apart, by threads, with rules and here", async () => {
  using folder = makeTempFolder();
  const path = join(folder.path, "secret.html");
  writeFileSync(path, '<head><meta name="robots" content="noindex"></head>');
  const files = [scan(path, 0), scan(path, 0, "text/plain")];
  const rules = await compileContentRules({ ignore: ["/x/"], isSketched: false });
  for (const options of [{ filesWorthThreads: 1 }, { filesWorthThreads: 100 }, { rules }]) {
    await using pool = new DigestPool({ ...options, findsNoindex: true });
    const kinds = (await pool.digestAll(files, noTurn)).map(({ kind }) => kind);
    assert.deepEqual(kinds, ["noindex", "digested"], Object.keys(options).join());
    await using other = new DigestPool(options);
    assert.equal((await other.digestAll(files, noTurn))[0]?.kind, "digested");
  }
});

test("the event loop turns while threads read", async () => {
  using folder = makeTempFolder();
  const path = join(folder.path, "large");
  writeFileSync(path, "");
  truncateSync(path, 400 * 1024 * 1024);
  await using pool = new DigestPool({ threads: 1 });
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  const digests = await pool.digestAll([scan(path, 400 * 1024 * 1024)], () => assert.fail("it is read here"));
  clearInterval(counting);
  assert.ok(turns > 5, `${turns} turns`);
  assert.ok(digests[0]?.kind === "digested" && digests[0].sizeBytes === 400 * 1024 * 1024);
});

test("a limit holds, and a signal ends what it makes wait", async () => {
  using folder = makeTempFolder();
  const files = makeFiles(folder.path, 8).slice(4, 12);
  for (const { location } of files) writeFileSync(location, Buffer.alloc(10_000));
  {
    await using pool = new DigestPool({ ioLimitBytesPerSecond: 200_000 });
    const startedMs = performance.now();
    await pool.digestAll(files, noTurn);
    const elapsedMs = performance.now() - startedMs;
    assert.ok(elapsedMs > 380 * 0.95, `80,000 bytes took ${elapsedMs} ms`);
  }
  const controller = new AbortController();
  await using pool = new DigestPool({ ioLimitBytesPerSecond: 4096, signal: controller.signal });
  const waiting = pool.digestAll(files, noTurn);
  controller.abort();
  await assert.rejects(waiting, { code: "aborted" });
  await assert.rejects(pool.digestAll(files, noTurn), { code: "aborted" });
});

test("a pool that is ended leaves nobody waiting", async () => {
  using folder = makeTempFolder();
  const files = makeFiles(folder.path, 4).slice(4, 8);
  const pool = new DigestPool({ ioLimitBytesPerSecond: 4096 });
  const waiting = assert.rejects(pool.digestAll(files, noTurn), { code: "aborted" });
  await pool[Symbol.asyncDispose]();
  await waiting;
});

test("what a thread that died had is read again; the page that it died of counts whole", async () => {
  using folder = makeTempFolder();
  const rules = await compileContentRules({ ignore: ["#hits"], isSketched: false });
  const files = Array.from({ length: 40 }, (_, at) => {
    const path = join(folder.path, `${at}.html`);
    // A tree of so many elements is more than the thread's memory holds.
    writeFileSync(path, at === 20 ? "<br>".repeat(300_000) : `<p>${at}<b id=hits>${at}</b>`);
    return scan(path, 0);
  });
  await using pool = new DigestPool({ rules, threads: 1, examineLimitMs: 60_000, threadMemoryMiB: 24 });
  const digests = await pool.digestAll(files, noTurn);
  assert.equal(digests.length, files.length);
  for (const [at, digest] of digests.entries()) {
    assert.ok(digest.kind === "digested");
    if (at === 20) assert.match(digest.content?.trouble ?? "", /--ignore #hits: .*memory/);
    else assert.ok(digest.content?.mark.cover !== undefined, String(at));
  }
});

test("rules whose threads do not live end the run with the reason", async () => {
  using folder = makeTempFolder();
  const rules = await compileContentRules({ ignore: ["#hits"], isSketched: false });
  assert.ok(rules !== undefined);
  writeFileSync(join(folder.path, "a"), "a");
  await using pool = new DigestPool({ rules: { ...rules, source: { ignore: ["/(/"], isSketched: false } } });
  const digesting = pool.digestAll([scan(join(folder.path, "a"), 1)], noTurn);
  await assert.rejects(digesting, { code: "io", message: /do not live: --ignore/ });
});

test("rules say what counts: digests of all bytes, and of what is left", async () => {
  using folder = makeTempFolder();
  const rules = await compileContentRules({ ignore: ["/stamp [0-9]+/", "#hits"], isSketched: true });
  await using pool = new DigestPool({ rules });
  const write = (name: string, content: string, mediaType?: string) => {
    writeFileSync(join(folder.path, name), content);
    return scan(join(folder.path, name), content.length, mediaType);
  };
  const plain = "<p>text</p>";
  const [a, b, c, style, image] = await pool.digestAll(
    [
      write("a", `${plain}stamp 12`),
      write("b", `${plain}stamp 345<b id=hits>4</b>`),
      write("c", plain),
      write("style", "a{} /* no stamp */", "text/css"),
      write("image", "stamp 1", "image/png"),
    ],
    noTurn,
  );
  assert.ok(a?.kind === "digested" && b?.kind === "digested" && c?.kind === "digested");
  assert.notEqual(a.digest, b.digest);
  assert.equal(a.content?.mark.rules, rules?.fingerprint);
  assert.equal(a.content?.mark.cover?.bytesDigest, a.digest);
  assert.equal(a.content?.mark.cover?.contentDigest, c.digest);
  assert.deepEqual(a.content?.mark.cover?.sketch, c.content?.mark.cover?.sketch);
  assert.equal(b.content?.mark.cover?.contentDigest, c.digest);
  assert.ok(style?.kind === "digested" && style.content !== undefined && style.content.mark.cover === undefined);
  assert.ok(image?.kind === "digested" && image.content === undefined);
  const empty = await compileContentRules({ ignore: ["/.+/s"], isSketched: false });
  await using emptying = new DigestPool({ rules: empty });
  const [whole, large] = await emptying.digestAll(
    [write("a", plain), write("large", "x".repeat(4 * 1024 * 1024 + 1))],
    noTurn,
  );
  assert.ok(whole?.kind === "digested" && large?.kind === "digested");
  assert.match(whole.content?.trouble ?? "", /leaves nothing/);
  assert.match(large.content?.trouble ?? "", /larger than/);
  assert.equal(whole.content?.mark.cover, undefined);
});

test("a pattern that would match for ever costs its time, a warning, and in the end the run", async () => {
  using folder = makeTempFolder();
  const rules = await compileContentRules({ ignore: ["/(a+)+$/"], isSketched: false });
  const trap = `${"a".repeat(60)}b`;
  const files = Array.from({ length: 300 }, (_, at) => {
    const path = join(folder.path, `${at}`);
    writeFileSync(path, at === 7 || at === 200 ? trap : `page ${at} a`);
    return scan(path, 0);
  });
  {
    await using pool = new DigestPool({ rules, threads: 2, examineLimitMs: 400 });
    const digests = await pool.digestAll(files, noTurn);
    for (const [at, digest] of digests.entries()) {
      assert.ok(digest.kind === "digested");
      const { content, ...rest } = digest;
      assert.deepEqual(rest, new FileDigester().digest(files[at] ?? scan("", 0)));
      const trouble = content?.trouble;
      if (at === 7 || at === 200) assert.match(trouble ?? "", /--ignore \/\(a\+\)\+\$\/ takes too long/);
      else assert.ok(trouble === undefined && content?.mark.cover !== undefined, `${at}: ${trouble}`);
    }
  }
  for (const { location } of files) writeFileSync(location, trap);
  await using pool = new DigestPool({ rules, threads: 2, examineLimitMs: 100 });
  await assert.rejects(pool.digestAll(files, noTurn), (error: Error & { code?: string }) => {
    assert.equal(error.code, "bad-option");
    assert.match(error.message, /On 8 pages: --ignore \/\(a\+\)\+\$\/ takes too long/);
    return true;
  });
});

test("files that vanish while threads are at them have vanished", async () => {
  using folder = makeTempFolder();
  const files = makeFiles(folder.path, 600).slice(4, 604);
  await using pool = new DigestPool({ threads: 1 });
  const digesting = pool.digestAll(files, noTurn);
  rmSync(files[599]?.location ?? "");
  const last = (await digesting).at(-1);
  assert.ok(last?.kind === "vanished" || last?.kind === "digested");
  assert.ok(readFileSync(files[598]?.location ?? "").length >= 0);
});
