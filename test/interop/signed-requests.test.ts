import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { runTidemark } from "./command.ts";
import { requireCached, skipWithoutCached } from "./programs.ts";

test("a crawl's requests are verified by http-message-signatures with the served key alone; tampered ones are refused", {
  skip: skipWithoutCached("signatures-1"),
}, async () => {
  using temp = makeTempFolder("signed");
  const made = await runTidemark(["identity", "init", "--agent", "https://crawler.example.org", "--into", temp.path]);
  assert.equal(made.exitCode, 0, made.stderr);
  const key = join(temp.path, "identity.json");
  assert.equal(statSync(key).mode & 0o777, 0o600);
  const again = await runTidemark(["identity", "init", "--agent", "https://crawler.example.org", "--into", temp.path]);
  assert.equal(again.exitCode, 2, again.stderr);

  const requests: { method: string; url: string; headers: Record<string, string> }[] = [];
  const server = createServer(({ method = "", url = "", headers }, response) => {
    requests.push({ method, url: `http://${headers.host}${url}`, headers: headers as Record<string, string> });
    if (url === "/a") response.writeHead(302, { location: "/b" }).end();
    else if (url === "/robots.txt") response.writeHead(404).end();
    else response.writeHead(200, { "content-type": "text/html" }).end('<a href="/a">a</a><a href="/c?d=e">c</a>');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const into = join(temp.path, "mirror");
  const crawl = await runTidemark([
    "crawl",
    url,
    "--into",
    into,
    "--source",
    "links",
    "--keep",
    "warc",
    "--identity",
    key,
  ]);
  server.close();
  assert.equal(crawl.exitCode, 0, crawl.stderr);
  assert.ok(requests.length >= 4, crawl.stderr);

  const [first] = requests;
  assert.ok(first !== undefined);
  const tampered = [
    { ...first, url: "http://other.example/" },
    { ...first, headers: { ...first.headers, "signature-agent": '"https://forged.example"' } },
    { ...first, headers: { ...first.headers, signature: requests[1]?.headers.signature ?? "" } },
  ];
  const python = join(requireCached("signatures-1"), "bin", "python");
  const script = join(repositoryFolder(), "test", "interop", "signatures.py");
  const directory = join(temp.path, "public", ".well-known", "http-message-signatures-directory");
  const input = [...requests, ...tampered].map((request) => `${JSON.stringify(request)}\n`).join("");
  const { stdout, stderr } = spawnSync(python, [script, directory], { input, encoding: "utf8" });
  const results = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(results.length, requests.length + tampered.length, stderr);
  const verified = results.slice(0, requests.length);
  for (const { covered } of verified) assert.deepEqual(covered, ["@authority", "signature-agent"], stdout);
  assert.equal(new Set(verified.map(({ nonce }) => nonce)).size, requests.length);
  for (const result of results.slice(requests.length)) assert.ok("refused" in result, stdout);

  // What was sent is in the archive; the key is nowhere.
  const { d } = JSON.parse(readFileSync(key, "utf8")) as { d: string };
  const files = spawnSync("find", [into, "-type", "f"], { encoding: "utf8" }).stdout.trim().split("\n");
  const bytes = files.map((file) => {
    const content = readFileSync(file);
    return (file.endsWith(".gz") ? gunzipSync(content) : content).toString("latin1");
  });
  assert.ok(bytes.some((text) => text.includes('tag="web-bot-auth"')));
  assert.ok(bytes.every((text) => !text.includes(d)));
});
