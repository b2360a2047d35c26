import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tidemark } from "../../../src/cli/command-line.ts";
import {
  formatWorkUnit,
  parseWorkResult,
  type WorkResult,
  type WorkUnit,
} from "../../../src/formats/work-unit/index.ts";
import { listenSite } from "../../site-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { endOf, runWithin, startProgram } from "../run-program.ts";

function unitOf(origin: string, paths: readonly string[], more: Partial<WorkUnit> = {}): string {
  const issuedAt = Math.floor(Date.now() / 1000);
  return formatWorkUnit({
    nonce: "00112233445566778899aabbccddeeff",
    ...{ issuedAt, deadline: issuedAt + 600, origin, userAgent: "tidemark/1.0", crawlDelayMs: 0 },
    ...{ pageBytes: 1e6, timeMs: 60_000, pageLinks: 100, paths },
    ...more,
  });
}

function read(text: string | Uint8Array): WorkResult {
  const result = parseWorkResult(Buffer.from(text));
  assert.ok(result.ok);
  return result.value;
}

const answersOf = ({ pages }: WorkResult) => Object.fromEntries(pages.map(({ path, answer }) => [path, answer]));

test("work asks for robots.txt first, then for the pages of the unit, and for nothing else", {
  timeout: 30_000,
}, async () => {
  await using site = await listenSite((request, response) => {
    if (request.url === "/robots.txt") response.end("User-agent: *\nDisallow: /no\n");
    else if (request.url === "/moved") response.writeHead(302, { location: "/target" }).end();
    else if (request.url === "/gone") response.writeHead(404).end();
    else if (request.url === "/big") response.setHeader("content-type", "text/html").end("x".repeat(2e6));
    else
      response
        .setHeader("content-type", "text/html; charset=utf-8")
        .end('<a href="/b#part">b</a> <a href="/b">b</a> <a href="http://other.example">o</a> <img src="/i.png">');
  });
  const paths = ["/a", "/no", "/moved", "/gone", "/big"];
  const ended = await runWithin(tidemark, unitOf(site.origin, paths), "work", "--allow-private");
  assert.equal(ended.code, 0, ended.stderr);
  assert.deepEqual(site.requests, ["GET /robots.txt", "GET /a", "GET /moved", "GET /gone", "GET /big"]);
  const result = read(ended.stdout);
  assert.ok(result.isComplete);
  assert.deepEqual(answersOf(result), {
    "/a": 200,
    "/no": "disallowed",
    "/moved": 302,
    "/gone": 404,
    "/big": "too-large",
  });
  assert.deepEqual(result.pages[0]?.links, [`${site.origin}/b`, "http://other.example/"]);
  assert.deepEqual(result.pages[2]?.links, [`${site.origin}/target`]);
});

test("a unit cannot make a volunteer ask a private address", { timeout: 30_000 }, async () => {
  await using site = await listenSite((_, response) => response.end());
  const ended = await runWithin(tidemark, unitOf(site.origin, ["/a"], { timeMs: 500 }), "work");
  assert.equal(ended.code, 6);
  assert.deepEqual(site.requests, []);
  assert.equal(read(ended.stdout).robots, "unreachable");
});

test("what is no unit, or came too late, is refused before anything is asked", { timeout: 30_000 }, async () => {
  const wrong = await runWithin(tidemark, "rm -rf /\n", "work");
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /no work unit: /);
  const late = await runWithin(tidemark, unitOf("http://127.0.0.1:1", ["/"], { issuedAt: 5, deadline: 6 }), "work");
  assert.equal(late.code, 2);
  assert.match(late.stderr, /deadline/);
  const missing = await runWithin(tidemark, "", "work", "--in", "/nonexistent/unit");
  assert.equal(missing.code, 4);
});

test("at SIGTERM work writes what it has, and says that it is partial", { timeout: 30_000 }, async () => {
  using folder = makeTempFolder();
  const [input, output] = [join(folder.path, "unit"), join(folder.path, "result")];
  let isAsked = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  await using site = await listenSite((request, response) => {
    if (request.url === "/slow") isAsked();
    else response.setHeader("content-type", "text/html").end("a page");
  });
  writeFileSync(input, unitOf(site.origin, ["/a", "/slow", "/b"]));
  const child = startProgram(["work", "--in", input, "--out", output, "--allow-private"]);
  const ended = endOf(child);
  await asked;
  child.kill("SIGTERM");
  assert.equal((await ended).code, 143);
  const result = read(readFileSync(output));
  assert.ok(!result.isComplete);
  assert.deepEqual(answersOf(result), { "/a": 200, "/slow": "left", "/b": "left" });
});

test("a unit whose time is over leaves the rest", { timeout: 30_000 }, async () => {
  await using site = await listenSite((request, response) => {
    if (request.url !== "/slow") response.setHeader("content-type", "text/html").end("a page");
  });
  const ended = await runWithin(
    tidemark,
    unitOf(site.origin, ["/a", "/slow"], { timeMs: 700 }),
    "work",
    "--allow-private",
  );
  assert.equal(ended.code, 3);
  assert.deepEqual(answersOf(read(ended.stdout)), { "/a": 200, "/slow": "left" });
});
