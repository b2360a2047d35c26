import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { exitCodes } from "../../src/cli/terminal/exit-code.ts";
import { serveFolder } from "../../src/server/folder-server.ts";
import { listenSite } from "../site-server.ts";
import { endOf, runProgram, runProgramWith, startProgram } from "./run-program.ts";

type Line = Readonly<Record<string, unknown>>;

function linesOf(stdout: string): Line[] {
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("the commands, one after the other", () => {
  let folder = "";
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let url = "";
  const inFolder = (...names: string[]): string => join(folder, ...names);
  const exportAgain = (...more: string[]) =>
    runProgram("export", inFolder("site"), "--base-url", url, "--state", inFolder("state"), ...more);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "tidemark-test-"));
    await mkdir(inFolder("site", ".git"), { recursive: true });
    await writeFile(inFolder("site", "index.html"), "<p>hello");
    await writeFile(inFolder("site", "old note.txt"), "note");
    await utimes(inFolder("site", "old note.txt"), 1000, 1000);
    server = await serveFolder({ folder: inFolder("site") });
    url = `${new URL(server.url).origin}/`;
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  it("serves in silence", async () => {
    const taken = await serveFolder({ folder: inFolder("site") });
    await taken.close();
    const child = startProgram(["serve", inFolder("site"), "--port", new URL(taken.url).port, "--quiet"]);
    for (;;) {
      const answer = await fetch(taken.url).catch(() => undefined);
      assert.equal(child.exitCode, null);
      if (answer === undefined) continue;
      await answer.arrayBuffer();
      break;
    }
    child.kill("SIGTERM");
    assert.deepEqual(await endOf(child), { code: 0, stdout: "", stderr: "" });
  });

  it("tries an export without writing anything", async () => {
    const { code, stdout, stderr } = await exportAgain("--dry-run");
    assert.equal(code, exitCodes.done, stderr);
    assert.match(stdout, /Would be published as created:\n {2}1 {2}text\//);
    assert.match(stdout, /1 {2}version control {2}\/\.git\//);
    assert.ok(!existsSync(inFolder("site", "robots.txt")));
    assert.ok(!existsSync(inFolder("state")));
  });

  it("prints no line a page where JSON is to be quiet", async () => {
    const { stdout: all } = await exportAgain("--dry-run", "--json");
    assert.ok(linesOf(all).some(({ event }) => event === "page"));
    const { stdout } = await exportAgain("--dry-run", "--json", "--quiet");
    assert.deepEqual(
      linesOf(stdout).map(({ event }) => event),
      ["summary"],
    );
  });

  it("says that there are no archives yet", async () => {
    for (const args of [
      ["changes", url],
      ["crawl", url, "--into", inFolder("early"), "--source", "archives"],
    ]) {
      const { code, stderr } = await runProgram(...args);
      assert.equal(code, exitCodes.siteUnavailable, stderr);
      assert.match(stderr, /archives/);
    }
  });

  it("follows what else there is where there are no archives, and says why", async () => {
    const { code, stdout, stderr } = await runProgram("crawl", url, "--into", inFolder("links"), "--depth", "0");
    assert.equal(code, exitCodes.done, stderr);
    assert.match(stdout, /\nby following links \(archives: .*; resourcesync: .*; sitemap: .*\)\n/);
    const list = await runProgram("crawl", url, "--into", inFolder("list"), "--urls", inFolder("nowhere"));
    assert.equal(list.code, exitCodes.broken, list.stderr);
    const unknown = await runProgram("crawl", url, "--into", inFolder("list"), "--source", "rumours");
    assert.equal(unknown.code, exitCodes.usage, unknown.stderr);
    assert.match(unknown.stderr, /archives, resourcesync, sitemap, links, list/);
  });

  it("exports, and says so to people", async () => {
    const { code, stdout, stderr } = await exportAgain();
    assert.equal(code, exitCodes.done, stderr);
    assert.match(stdout, /: 2 pages; 2 created, 0 updated, 0 deleted\npublished .* as a new base;/);
  });

  it("exports a list from standard input", async () => {
    const site = ["export", inFolder("site"), "--base-url", url, "--state", inFolder("listed-state"), "--dry-run"];
    const listed = await runProgramWith("/a\n/b\n", ...site, "--urls", "-", "--json", "--quiet");
    assert.equal(listed.code, exitCodes.done, listed.stderr);
    assert.deepEqual(linesOf(listed.stdout).at(-1)?.listed, { pages: 2, shadowed: 0 });
    const nothing = await runProgramWith("", ...site, "--urls", "-");
    assert.equal(nothing.code, exitCodes.usage);
    assert.match(nothing.stderr, /Nothing in standard input is a page/);
  });

  it("exports nothing new, and says so to programs", async () => {
    const { code, stdout } = await exportAgain("--json");
    assert.equal(code, exitCodes.done);
    const summary = linesOf(stdout).at(-1);
    assert.deepEqual([summary?.event, summary?.pages, summary?.published], ["summary", 2, false]);
  });

  it("verifies: for people in groups with the fix, for programs line by line", async () => {
    const { code, stdout, stderr } = await runProgram("verify", url, "--all", "--delay", "0");
    assert.equal(code, exitCodes.done, stderr);
    assert.match(
      stdout,
      /2 pages published, 2 requested: a crawler finds what is published\n0 differences, \d notes?; /,
    );
    await writeFile(inFolder("site", "old note.txt"), "NOTE");
    const people = await runProgram("verify", url, "--delay", "0", "--seed", "1");
    assert.equal(people.code, exitCodes.itemsFailed, people.stderr);
    assert.match(people.stdout, /^difference: digest, 1 time\n {2}\/old%20note\.txt: .*\n {2}Run tidemark export/);
    assert.match(people.stdout, /2 requested: 1 of them other than published\n/);
    const programs = await runProgram("verify", url, "--delay", "0", "--json");
    assert.equal(programs.code, exitCodes.itemsFailed);
    const lines = linesOf(programs.stdout);
    assert.ok(
      lines.some(({ event, kind, path }) => event === "finding" && kind === "digest" && path === "/old%20note.txt"),
    );
    assert.equal(lines.at(-1)?.differing, 1);
    await writeFile(inFolder("site", "old note.txt"), "note");
    await utimes(inFolder("site", "old note.txt"), 1000, 1000);
  });

  it("says of a site whose index is refused that nothing was verified, and not that its pages are as published", async () => {
    await using site = await listenSite(({ url: path }, response) => {
      response.writeHead(path === "/" ? 200 : path === "/robots.txt" ? 404 : 403).end();
    });
    const { code, stdout } = await runProgram("verify", site.origin, "--delay", "0");
    assert.equal(code, exitCodes.itemsFailed);
    assert.match(stdout, /^http:\/\/127\.0\.0\.1:\d+\/: no page could be verified\n\d differences?, /m);
  });

  it("crawls, twice", async () => {
    const first = await runProgram("crawl", url, "--into", inFolder("copies"), "--json");
    assert.equal(first.code, exitCodes.done, first.stderr);
    const summary = linesOf(first.stdout).at(-1);
    assert.deepEqual([summary?.event, summary?.created, summary?.pageRequests], ["summary", 2, 2]);
    const mirror = inFolder("copies", new URL(url).host.replace(":", "_"));
    assert.equal(await readFile(join(mirror, "old note.txt"), "utf8"), "note");
    assert.equal((await stat(join(mirror, "old note.txt"))).mtimeMs, 1_000_000);
    const second = await runProgram("crawl", url, "--into", inFolder("copies"));
    assert.equal(second.code, exitCodes.done, second.stderr);
    assert.match(
      second.stdout,
      /0 created, 0 updated, 0 deleted, 2 unchanged\n2 requests \(0 for pages, 2 answered 304\)/,
    );
  });

  it("keeps quiet", async () => {
    const { code, stdout, stderr } = await runProgram("crawl", url, "--into", inFolder("copies"), "--quiet");
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" });
  });

  it("crawls several sites, and says which one could not be read", async () => {
    const dead = "http://127.0.0.1:9/";
    const { code, stdout } = await runProgram("crawl", dead, url, "--into", inFolder("both"), "--json");
    assert.equal(code, exitCodes.siteUnavailable);
    const lines = linesOf(stdout);
    assert.equal(lines.filter((line) => line.event === "site-summary").length, 2);
    assert.deepEqual([lines.at(-1)?.site, lines.at(-1)?.created], [`http://127.0.0.1:9 ${url.slice(0, -1)}`, 2]);
  });

  it("prints changes, each once", async () => {
    const cursor = inFolder("cursor");
    const all = await runProgram("changes", url, "--cursor", cursor);
    assert.equal(all.code, exitCodes.done, all.stderr);
    assert.deepEqual(all.stdout.trim().split("\n").sort(), [`${url}index.html`, `${url}old%20note.txt`]);
    const none = await runProgram("changes", url, "--cursor", cursor);
    assert.deepEqual([none.code, none.stdout], [exitCodes.done, ""]);
    await rm(inFolder("site", "index.html"));
    await writeFile(inFolder("site", "new.html"), "new");
    assert.equal((await exportAgain("--quiet")).code, exitCodes.done);
    const some = await runProgram("changes", url, "--cursor", cursor, "--json");
    const lines = linesOf(some.stdout).filter((line) => "change" in line || line.event === "summary");
    assert.deepEqual(
      lines.map((line) => [line.change ?? line.event, line.url]),
      [
        ["deleted", `${url}index.html`],
        ["created", `${url}new.html`],
        ["summary", undefined],
      ],
    );
  });

  it("keeps a cursor to its site and its types", async () => {
    const other = await runProgram("changes", "http://127.0.0.1:9/", "--cursor", inFolder("cursor"));
    assert.equal(other.code, exitCodes.usage);
    assert.match(other.stderr, /is for http:\/\/127\.0\.0\.1:\d+, not for http:\/\/127\.0\.0\.1:9\./);
    const types = await runProgram("changes", url, "--cursor", inFolder("cursor"), "--types", "text/css");
    assert.equal(types.code, exitCodes.usage);
    assert.match(types.stderr, /is for all types, not for text\/css/);
  });

  it("leaves the cursor where it was when the reader goes away", async () => {
    const cursor = inFolder("left");
    const child = startProgram(["changes", url, "--cursor", cursor, "--format", "json"]);
    child.stdout?.destroy();
    await once(child, "close");
    assert.equal(child.exitCode, exitCodes.pipeClosed);
    assert.ok(!existsSync(cursor));
  });

  it("says what is wrong with a folder", async () => {
    const missing = await runProgram("export", inFolder("none"), "--base-url", url, "--state", inFolder("state"));
    assert.equal(missing.code, exitCodes.broken);
    assert.match(missing.stderr, /none.*\n {2}Check the path\./s);
    const file = await runProgram("crawl", url, "--into", inFolder("site", "new.html"), "--json");
    assert.equal(file.code, exitCodes.broken);
    assert.equal(linesOf(file.stdout).at(-1)?.event, "error");
  });

  it("stops in order at a signal", async () => {
    const child = startProgram(["serve", inFolder("site"), "--port", "0"]);
    const ended = endOf(child);
    await once(child.stderr ?? assert.fail(), "data");
    child.kill("SIGTERM");
    assert.equal((await ended).code, exitCodes.done);
  });
});
