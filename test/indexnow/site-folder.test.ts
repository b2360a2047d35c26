import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { FetchOutcome } from "../../src/core/fetch-outcome.ts";
import { readPublished } from "../../src/indexnow/folder-changes.ts";
import { makeTempFolder } from "../temp-folder.ts";

const home = "/.well-known/tidemark/";

test("published files are there, within bounds; nothing else is", async () => {
  using folder = makeTempFolder();
  const published = join(folder.path, home);
  mkdirSync(join(published, "folder"), { recursive: true });
  writeFileSync(join(published, "index.gz"), "12345");
  writeFileSync(join(published, "x.image-svg+xml.gz"), "12345");
  writeFileSync(join(folder.path, "robots.txt"), "robots");
  writeFileSync(join(folder.path, "secret"), "secret");
  execFileSync("mkfifo", [join(published, "pipe")]);
  const get = (path: string, maxBytes = 100): Promise<FetchOutcome> =>
    readPublished(folder.path, { origin: "https://example.org", path, maxBytes, timeoutMs: 1000 });
  for (const name of ["index.gz", "x.image-svg+xml.gz", "x.image-svg%2Bxml.gz"]) {
    const found = await get(home + name);
    assert.ok(found.kind === "fetched" && Buffer.from(found.body).toString() === "12345", name);
  }
  for (const path of ["/robots.txt", "/secret", home, `${home}none`, `${home}../../secret`, `${home}.`, `${home}a/b`])
    assert.equal((await get(path)).kind, "gone", path);
  for (const [name, reason] of [
    ["folder", "protocol"],
    ["pipe", "protocol"],
  ] as const) {
    const outcome = await get(home + name);
    assert.equal(outcome.kind === "failed" && outcome.reason, reason);
  }
  const large = await get(`${home}index.gz`, 4);
  assert.equal(large.kind === "failed" && large.reason, "too-large");
  const signal = AbortSignal.abort();
  const stopped = await readPublished(folder.path, {
    origin: "",
    path: `${home}index.gz`,
    maxBytes: 100,
    timeoutMs: 1,
    signal,
  });
  assert.equal(stopped.kind === "failed" && stopped.reason, "aborted");
});
