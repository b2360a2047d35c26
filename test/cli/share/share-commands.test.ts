import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { runShare } from "../../../src/cli/share/share-run.ts";
import { exitCodes } from "../../../src/cli/terminal/exit-code.ts";
import type { Output } from "../../../src/cli/terminal/output.ts";
import { TidemarkError } from "../../../src/core/error.ts";
import { SiteLock } from "../../../src/fs/site-lock.ts";
import { serveFolder } from "../../../src/server/folder-server.ts";
import { Crawler } from "../../crawler/engine/site-visit.ts";
import { findFreePort } from "../../interop/web-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { runProgram, startProgram } from "../run-program.ts";

// Each row: a command line, and what is said of it.
for (const [line, said] of [
  ["share --from a --into b", /--from, --into and --url are required/],
  ["share --from a --into b --url crawler.example", /--url "crawler\.example": not an http or https URL/],
  ["share --from a --into b --url http://x.example/ --contact me", /--contact me is not a mail address/],
  [
    "share --from a --into b --url http://x.example/ --special example",
    /--special "example": not an http or https URL/,
  ],
  ["share --from a --into b --url http://x.example/ --site example", /--site "example": not an http or https URL/],
  ["share --from a --into b --url http://x.example/ --days 0", /--days "0": not a whole number/],
  ["share --from a --into b --url http://x.example/ --every 1m", /--every needs --serve/],
  ["share --from a --into b --url http://x.example/ --serve x", /--serve "x": not an address and a port/],
  ["merge http://x.example/", /--into is required/],
  ["merge --into a", /peer is missing/],
  ["merge http://x.example/ --into a --list", /--list takes no peer/],
  ["merge x.example --into a", /"x\.example": not an http or https URL/],
] as const)
  test(`${line} is refused`, async () => {
    const { code, stderr } = await runProgram(...line.split(" "));
    assert.equal(code, exitCodes.usage, stderr);
    assert.match(stderr, said);
  });

test("share says what it published and which lines robots.txt lacks; merge says what came of it", async () => {
  await using crawler = await Crawler.open();
  using folder = makeTempFolder();
  crawler.now = Date.now();
  crawler.site.set({ "/": '<a href="/a">a</a>', "/a": "a" });
  crawler.site.answers.set("/", (_, response) => response.setHeader("content-type", "text/html"));
  const [one, two, into] = ["one", "two", "into"].map((name) => join(folder.path, name)) as [string, string, string];
  await crawler.visit({ into: two, sources: ["links"] });
  mkdirSync(into);
  writeFileSync(join(into, "robots.txt"), "");
  await using server = await serveFolder({ folder: into });
  const share = [
    "share",
    "--from",
    one,
    "--into",
    into,
    "--url",
    server.url,
    "--name",
    "test/1",
    "--peer",
    "http://other.example/x",
  ];
  const early = await runProgram(...share);
  assert.deepEqual([early.code, existsSync(join(into, "robots.shr"))], [exitCodes.broken, false]);
  await crawler.visit({ into: one, sources: ["links"] });
  const shared = await runProgram(...share);
  assert.equal(shared.code, exitCodes.done, shared.stderr);
  assert.match(shared.stdout, /\/share\/: 2 events of 127\.0\.0\.1:\d+ test\/1 added to 1 file\n/);
  assert.match(
    shared.stderr,
    /Add these lines to it:\n\nUser-agent: \*\nDisallow: \/robots\.shr\nDisallow: \/share\/\n/,
  );
  const merged = await runProgram("merge", server.url, "--into", two, "--days", "2");
  assert.equal(merged.code, exitCodes.done, merged.stderr);
  assert.match(
    merged.stdout,
    /: 2 events in 1 file \(.*\); 0 files not modified, 0 days without one; trust 0.80, 0 claims proved\n/,
  );
  assert.match(merged.stdout, /\nanother crawler that a peer names: http:\/\/other\.example\/\n$/);
  assert.match(merged.stdout, /\n0 URLs added, \d pages? to be requested sooner, 0 later; /);
  const listed = await runProgram("merge", "--list", "--into", two);
  assert.deepEqual([listed.code, listed.stdout], [exitCodes.done, `${server.url}/: trust 0.80, 0 claims proved\n`]);
  const forgiven = await runProgram("merge", server.url, "--into", two, "--days", "2", "--forgive");
  assert.deepEqual([forgiven.code], [exitCodes.done]);
  const control = join(into, "robots.shr");
  writeFileSync(control, readFileSync(control, "utf8").replace(/^x-tidemark-archives:.*\n/im, ""));
  const byDay = await runProgram("merge", server.url, "--into", two, "--days", "2");
  assert.match(
    byDay.stdout,
    /: 2 events in 1 file \(.*\); 0 files not modified, 1 day without one; trust 0.80, 0 claims proved\n/,
  );
  writeFileSync(control, "version: 2.0\ncrawler: a:1 a\nrepository: /share/\n");
  const failed = await runProgram("merge", server.url, "--into", two);
  assert.deepEqual([failed.code], [exitCodes.itemsFailed]);
  assert.match(failed.stderr, /robots\.shr: version "2\.0" is not 1/);
});

test("share --serve publishes, serves the files, and publishes what is new at the end", async () => {
  await using crawler = await Crawler.open();
  using folder = makeTempFolder();
  crawler.now = Date.now() - 60_000;
  crawler.site.set({ "/": '<a href="/a">a</a>', "/a": "a" });
  crawler.site.answers.set("/", (_, response) => response.setHeader("content-type", "text/html"));
  const [one, two, into] = ["one", "two", "into"].map((name) => join(folder.path, name)) as [string, string, string];
  for (const of of [two, one]) await crawler.visit({ into: of, sources: ["links"] });
  const url = `http://127.0.0.1:${await findFreePort()}/`;
  const port = new URL(url).port;
  const child = startProgram(["share", "--from", one, "--into", into, "--url", url, "--serve", port, "--json"]);
  try {
    const lines = createInterface(child.stdout ?? assert.fail())[Symbol.asyncIterator]();
    const read = async () => JSON.parse((await lines.next()).value ?? "{}") as Record<string, unknown>;
    assert.equal((await read()).events, 2);
    assert.deepEqual(await read(), { event: "listening", url: url.slice(0, -1), port: Number(port) });
    const merged = await runProgram("merge", url, "--into", two, "--days", "2");
    assert.equal(merged.code, exitCodes.done, merged.stderr);
    assert.match(merged.stdout, /: 2 events in 1 file/);
    crawler.now += 30_000;
    crawler.site.set({ "/a": "changed" });
    await crawler.visit({ into: one, sources: ["links"] });
    child.kill("SIGTERM");
    assert.equal((await read()).events, 1);
  } finally {
    child.kill("SIGKILL");
  }
});

test("share --sign signs with a key, and merge refuses another one until --accept-key", async () => {
  await using crawler = await Crawler.open();
  using folder = makeTempFolder();
  crawler.now = Date.now() - 60_000;
  crawler.site.set({ "/": "index" });
  const [one, two, into] = ["one", "two", "into"].map((name) => join(folder.path, name)) as [string, string, string];
  for (const of of [one, two]) await crawler.visit({ into: of, sources: ["links"] });
  mkdirSync(into);
  await using server = await serveFolder({ folder: into });
  const share = async (name: string): Promise<void> => {
    const key = join(folder.path, name);
    writeFileSync(key, generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }));
    const shared = await runProgram("share", "--from", one, "--into", into, "--url", server.url, "--sign", key);
    assert.equal(shared.code, exitCodes.done, shared.stderr);
  };
  await share("first.pem");
  const merge = ["merge", server.url, "--into", two, "--days", "2"];
  assert.equal((await runProgram(...merge)).code, exitCodes.done);
  await share("second.pem");
  const refused = await runProgram(...merge);
  assert.equal(refused.code, exitCodes.itemsFailed);
  assert.match(
    refused.stderr,
    /warning: .*: robots\.shr: its key is \S{43}, and until now it was \S{43}\. .*--accept-key/,
  );
  assert.equal((await runProgram(...merge, "--accept-key")).code, exitCodes.done);
  assert.equal((await runProgram(...merge)).code, exitCodes.done);
});

test("share --serve goes on serving while another run holds the folder, and says so", async () => {
  await using crawler = await Crawler.open();
  crawler.site.set({ "/": "index" });
  await crawler.visit({ sources: ["links"] });
  const into = join(crawler.folder.path, "into");
  mkdirSync(into);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/`;
  const options = { from: crawler.folder.path, into, url, moniker: "test/1" };
  const ending = new AbortController();
  const said = new Map<string, () => void>();
  const hears = (text: string): Promise<void> => new Promise((resolve) => said.set(text, resolve));
  const write = (text: string): void => {
    for (const [part, heard] of said) if (text.includes(part)) heard();
  };
  const output = { write } as unknown as Output;
  const context = { out: output, err: output, json: false, quiet: false, signal: ending.signal, input: assert.fail };
  const running = runShare({ ...options, serve: { host: "127.0.0.1", port }, everyMs: 10 }, context);
  await Promise.race([hears("serving"), running]);
  const lock = await takeWhenFree(into);
  await Promise.race([hears("warning: "), running]);
  assert.equal((await fetch(`${url}robots.shr`)).status, 200);
  await lock?.[Symbol.asyncDispose]();
  await Promise.race([hears("0 events"), running]);
  ending.abort();
  assert.equal(await running, exitCodes.done);
});

async function takeWhenFree(folder: string): Promise<SiteLock | undefined> {
  for (;;) {
    try {
      return await SiteLock.takePublishing(folder, new Date());
    } catch (error) {
      if (!(error instanceof TidemarkError) || error.code !== "locked") throw error;
    }
  }
}
