import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { warcSuite } from "../conformance/suites/warc.ts";
import { listenRaw, plainAnswer } from "../http/raw-server.ts";
import { RecordedSite } from "../storage/state/recorded-site.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { requireCached, requireProgram, skipWithout, skipWithoutCached } from "./programs.ts";

const skip = skipWithout("java") || skipWithoutCached("warcio-1", "jwarc-1");
const limits = { timeout: 120_000 };

test("warcio, jwarc and py-wacz accept every kind of capture", { skip }, async () => {
  const { total, passed, differences } = await warcSuite.run();
  assert.deepEqual(differences, []);
  assert.ok(total === passed && total >= 37, `${passed} of ${total}`);
});

test("they see a byte that is wrong, so that what they accept means something", { skip }, async () => {
  using temp = makeTempFolder("warc");
  await using server = await listenRaw((socket) => socket.write(plainAnswer(200, [], "a page")));
  const site = await RecordedSite.open(server.origin, temp.path);
  await site.get("/a");
  await site[Symbol.asyncDispose]();
  const name = readdirSync(site.folder).find((file) => file.endsWith(".warc.gz")) ?? "";
  const path = join(site.folder, name);

  const plain = path.replace(".gz", "");
  writeFileSync(plain, gunzipSync(readFileSync(path)).toString("latin1").replace("a page", "b page"), "latin1");
  const run = promisify(execFile);
  await assert.rejects(run(join(requireCached("warcio-1"), "bin", "warcio"), ["check", plain], limits));
  const jar = join(requireCached("jwarc-1"), "jwarc.jar");
  await assert.rejects(run(requireProgram("java"), ["-jar", jar, "validate", plain], limits));
});

test("warcio's indexer and jwarc find what our index says", { skip }, async () => {
  using temp = makeTempFolder("warc");
  await using server = await listenRaw((socket, head) =>
    socket.write(plainAnswer(200, ["Content-Type: text/html; charset=x"], head.split(" ")[1])),
  );
  const site = await RecordedSite.open(server.origin, temp.path);
  for (const path of ["/b", "/A?z=1&y=2", "/b", "/a/"]) await site.get(path);
  await site[Symbol.asyncDispose]();
  const name = readdirSync(site.folder).find((file) => file.endsWith(".warc.gz")) ?? "";
  const ours = readFileSync(join(site.folder, name.replace(".warc.gz", ".cdxj")), "utf8");
  const indexer = join(requireCached("warcio-1"), "bin", "cdxj-indexer");
  const { stdout } = await promisify(execFile)(indexer, ["--sort", join(site.folder, name)], limits);
  const read = (text: string): unknown[] =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => {
        const [key, time, ...rest] = line.split(" ");
        const { digest, ...block } = JSON.parse(rest.join(" "));
        return { key, time, ...block, digest: digest.replace(/^sha1:/, "") };
      });
  assert.deepEqual(read(ours), read(stdout));
});
