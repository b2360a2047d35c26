import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { describe, it } from "node:test";
import { runChanges } from "../../../src/cli/changes/changes-run.ts";
import { Output } from "../../../src/cli/terminal/output.ts";
import { TidemarkError } from "../../../src/core/error.ts";
import { Crawler } from "../../crawler/engine/site-visit.ts";
import { runProgram } from "../run-program.ts";

async function openVisited(): Promise<Crawler> {
  const crawler = await Crawler.open();
  crawler.site.set({ "/a.html": "a", "/b.html": "b", "/%FF.html": "odd" });
  crawler.site.publishBase();
  await crawler.visit();
  return crawler;
}

async function change(crawler: Crawler): Promise<void> {
  crawler.now += 86_400_000;
  crawler.site.set({ "/a.html": "aa", "/b.html": undefined, "/new.png": "n" });
  crawler.site.publish();
  await crawler.visit();
}

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("tidemark changes of a crawler", () => {
  it("prints lines of JSON, each change once", async () => {
    await using crawler = await openVisited();
    const { path } = crawler.folder;
    const cursor = join(path, "cursor");
    const first = await runProgram("changes", path, "--cursor", cursor);
    assert.deepEqual([first.code, first.stderr], [0, ""]);
    const [odd, a, , summary] = linesOf(first.stdout);
    const page = crawler.site.listed().get("/a.html");
    assert.deepEqual(a, {
      change: "created",
      url: `${crawler.site.origin}/a.html`,
      seenAt: new Date(crawler.now).toISOString().replace(".000Z", "Z"),
      sizeBytes: 1,
      digest: page?.digest,
      lastModified: new Date((page?.lastModified ?? 0) * 1000).toISOString().replace(".000Z", "Z"),
      mediaType: "text/html",
      file: a?.file,
    });
    assert.equal(readFileSync(String(a?.file), "utf8"), "a");
    assert.equal(odd?.file, undefined);
    assert.equal(readFileSync(Buffer.from(String(odd?.fileBase64), "base64"), "utf8"), "odd");
    assert.deepEqual([summary?.event, summary?.created, summary?.reset], ["summary", 3, false]);
    assert.deepEqual(summary?.cursor, JSON.parse(readFileSync(cursor, "utf8")));

    const none = linesOf((await runProgram("changes", path, "--cursor", cursor)).stdout);
    assert.deepEqual([none.length, none[0]?.created, none[0]?.cursor], [1, 0, summary?.cursor]);

    await change(crawler);
    const then = linesOf((await runProgram("changes", path, "--cursor", cursor)).stdout);
    const at = new Date(crawler.now).toISOString().replace(".000Z", "Z");
    assert.deepEqual(then[0], {
      change: "deleted",
      url: `${crawler.site.origin}/b.html`,
      seenAt: at,
      reason: "published",
    });
    assert.deepEqual(
      then.slice(1).map(({ change, url }) => [change, url]),
      [
        ["updated", `${crawler.site.origin}/a.html`],
        ["created", `${crawler.site.origin}/new.png`],
        [undefined, undefined],
      ],
    );
  });

  it("prints URLs and columns as it does of a site, with the sum for people", async () => {
    await using crawler = await openVisited();
    const { path } = crawler.folder;
    const cursor = join(path, "cursor");
    await runProgram("changes", path, "--cursor", cursor);
    await change(crawler);
    const { origin } = crawler.site;
    const state = join(path, ".tidemark", "state.db");
    const urls = await runProgram("changes", state, "--format", "urls");
    assert.equal(urls.stdout, ["/%FF.html", "/a.html", "/new.png"].map((name) => `${origin}${name}\n`).join(""));
    assert.equal(urls.stderr, "3 created, 0 updated, 0 deleted\n");
    const tsv = await runProgram("changes", path, "--cursor", cursor, "--format", "tsv", "--quiet");
    assert.match(
      tsv.stdout,
      /^deleted\t-\t-\t-\t-\t\S+\/b\.html\nupdated\t\S+Z\t2\ttext\/html\t\S{11}\t\S+\/a\.html\n/,
    );
    assert.equal(tsv.stderr, "");
  });

  it("says that a cursor is of another state, and prints everything", async () => {
    await using crawler = await openVisited();
    const { path } = crawler.folder;
    const cursor = join(path, "cursor");
    const forget = (): void => writeFileSync(cursor, '{"epoch":"another","number":1}\n');
    forget();
    const json = linesOf((await runProgram("changes", path, "--cursor", cursor)).stdout);
    assert.deepEqual([json[0], json.length, json.at(-1)?.reset], [{ event: "reset" }, 5, true]);
    forget();
    const text = await runProgram("changes", path, "--cursor", cursor, "--format", "urls");
    assert.match(text.stderr, /^note: the cursor belongs to another state/);
    assert.equal(text.stdout.trim().split("\n").length, 3);
  });

  it("ends with 2 for a wrong command line, with 4 for a state or a cursor that cannot be read", async () => {
    await using crawler = await openVisited();
    const { path } = crawler.folder;
    const cursor = join(path, "cursor");
    const refused = async (code: number, message: RegExp, ...args: string[]): Promise<void> => {
      const ended = await runProgram("changes", ...args);
      assert.deepEqual([ended.code, ended.stdout], [code, ""], ended.stderr);
      assert.match(ended.stderr, message);
    };
    await refused(2, /--types works only for a site/, path, "--types", "text/html");
    await refused(2, /exclude each other/, path, "--cursor", cursor, "--since", "2026-01-01");
    await refused(2, /not an http or https URL/, "ftp://example.org/");
    await refused(4, /no state of a crawler in .*example\.org/, "example.org");
    writeFileSync(cursor, '{"site":"https://a.example","types":"","epoch":"abcdefgh","publication":1}\n');
    await refused(2, /is for https:\/\/a\.example, not for a crawler's folder/, path, "--cursor", cursor);
    writeFileSync(cursor, '{"epoch":"abcdefgh","number":1}\n');
    await refused(2, /is for a crawler's folder, not for a site/, crawler.site.origin, "--cursor", cursor);
    for (const text of [
      "",
      "{",
      "[]",
      "null",
      '{"epoch":"x","number":-1}',
      '{"epoch":"x","number":"1"}',
      '{"number":1}',
    ]) {
      writeFileSync(cursor, text);
      await refused(4, /is not a cursor of tidemark/, path, "--cursor", cursor);
    }
    const unwritten = await runProgram("changes", path, "--cursor", join(path, "none", "cursor"), "--format", "urls");
    assert.equal(unwritten.code, 4);
    assert.match(unwritten.stderr, /Could not write the cursor/);
  });

  it("moves the cursor only when everything has left the process, and not when it could not", async () => {
    await using crawler = await openVisited();
    const cursorFile = join(crawler.folder.path, "cursor");
    const run = (write: (done: (error?: Error) => void) => void): Promise<number> => {
      const stop = new AbortController();
      return runChanges(
        { store: crawler.folder.path, cursorFile, format: "urls" },
        {
          out: new Output(new Writable({ write: (_chunk, _encoding, done) => write(done) }), () => stop.abort()),
          err: new Output(new Writable({ write: (_chunk, _encoding, done) => done() }), () => undefined),
          input: () => Readable.from([]),
          json: false,
          quiet: true,
          signal: stop.signal,
        },
      );
    };
    const full = Object.assign(new Error("full"), { code: "ENOSPC" });
    await assert.rejects(
      run((done) => setImmediate(done, full)),
      (error) => error instanceof TidemarkError && ["disk-full", "aborted"].includes(error.code),
    );
    assert.ok(!existsSync(cursorFile));
    const held: ((error?: Error) => void)[] = [];
    const running = run((done) => held.push(done));
    // Many turns of the event loop, with disk operations in them, in which the cursor could have been written.
    for (let turn = 0; turn < 300; turn++) await stat(crawler.folder.path);
    assert.ok(held.length > 0 && !existsSync(cursorFile));
    for (const done of held) done();
    assert.equal(await running, 0);
    assert.ok(existsSync(cursorFile));
  });
});
