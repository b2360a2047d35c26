import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CleanBuilds } from "../../exporter/previous/clean-builds.ts";
import { listenSite } from "../../site-server.ts";
import { endOf, startProgram } from "../run-program.ts";

test("--previous: exit codes, what follows, and what was taken, as text and as JSON", async () => {
  using builds = new CleanBuilds();
  await using server = await listenSite((request, response) => {
    const path = join(builds.served, request.url ?? "/");
    if (existsSync(path)) response.writeHead(200).end(readFileSync(path));
    else response.writeHead(404).end();
  });
  const site = `${server.origin}/`;
  const run = async (...more: string[]) => {
    const options = ["--base-url", site, "--previous", site, "--state", builds.stateDir, ...more];
    return await endOf(startProgram(["export", builds.dist, ...options]));
  };
  const pages = { "a.html": "<p>a", "b.html": "<p>b" };
  builds.prepare(pages);
  const none = await run();
  assert.equal(none.code, 4);
  assert.match(none.stderr, /Nothing is published at .* yet: .*404.*\n.*add --previous-optional: a new epoch begins/);
  const first = await run("--previous-optional");
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /as a new base;.*\n.*began a new epoch/);
  assert.match(first.stderr, /warning: Nothing is published/);
  builds.deploy();
  builds.prepare({ ...pages, "b.html": "<p>changed" });
  const second = await run();
  assert.match(second.stdout, /0 created, 1 updated, 0 deleted\n/);
  assert.match(second.stdout, /went on from what is published; 2 archives taken from the site \(\d+ bytes received\)/);
  builds.prepare(pages);
  const third = await run("--json", "--quiet");
  const { previous } = JSON.parse(third.stdout.trim().split("\n").at(-1) ?? "");
  assert.deepEqual([previous.source, previous.files], ["site", 2]);
  server.answer = (_, response) => response.writeHead(502).end();
  builds.prepare(pages);
  const down = await run();
  assert.equal(down.code, 6);
  assert.match(down.stderr, /cannot be used: .*index\.gz: .*\n.*[Rr]un the export again/);
});
