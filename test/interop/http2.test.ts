import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { crawlSite } from "../../src/crawl-site.ts";
import { createFetcher } from "../../src/fetch/index.ts";
import { createPoliteness } from "../../src/politeness.ts";
import { requireCached, skipWithoutCached } from "./cache-folder.ts";
import { requireProgram, skipWithout } from "./programs.ts";
import { startSecureServer } from "./secure-server.ts";
import { makeTempFolder } from "./temp-folder.ts";
import type { LoggedRequest } from "./web-server.ts";

const skip = skipWithout("nginx");
const pages = 60;

function makeSite(docroot: string): void {
  mkdirSync(docroot);
  const links = Array.from({ length: pages }, (_, at) => `<a href="/p${at}.html">${at}</a>`);
  writeFileSync(join(docroot, "index.html"), links.join("\n"));
  for (let at = 0; at < pages; at++)
    writeFileSync(join(docroot, `p${at}.html`), `<p>page ${at} ${"x".repeat(at * 1000)}</p>`);
}

function countOf(log: readonly LoggedRequest[], protocol: string, status: number): number {
  return log.filter((line) => line.protocol === protocol && line.status === status).length;
}

test("nginx is crawled over HTTP/2, though it ends each connection after seven requests", { skip }, async () => {
  using temp = makeTempFolder("http2");
  const docroot = join(temp.path, "docroot");
  makeSite(docroot);
  await using server = await startSecureServer(docroot, 7);
  const { url, ca } = server;
  let days = 0;
  const clock = (): number => Date.now() + days * 86_400_000;
  const politeness = createPoliteness({ clock });
  const into = join(temp.path, "mirror");
  const options = { url, into, ca, sources: ["links"], politeness, clock } as const;

  const first = await crawlSite(options);
  assert.deepEqual([first.created, first.pending, first.failed], [pages + 1, 0, 0]);
  const log = await server.takeLog();
  assert.deepEqual([...new Set(log.map(({ protocol }) => protocol))], ["HTTP/2.0"]);
  assert.equal(countOf(log, "HTTP/2.0", 200), pages + 1);
  const mirror = join(into, new URL(url).host.replace(":", "_"));
  for (let at = 0; at < pages; at++)
    assert.deepEqual(readFileSync(join(mirror, `p${at}.html`)), readFileSync(join(docroot, `p${at}.html`)));

  appendFileSync(join(docroot, "p7.html"), "<p>changed</p>");
  days++;
  const second = await crawlSite(options);
  assert.deepEqual([second.updated, second.failed], [1, 0]);
  const polled = await server.takeLog();
  assert.deepEqual([countOf(polled, "HTTP/2.0", 304), countOf(polled, "HTTP/2.0", 200)], [pages, 1]);
  assert.deepEqual(readFileSync(join(mirror, "p7.html")), readFileSync(join(docroot, "p7.html")));

  days++;
  await crawlSite({ ...options, http1: true });
  const old = await server.takeLog();
  assert.deepEqual([countOf(old, "HTTP/1.1", 304), countOf(old, "HTTP/2.0", 304)], [pages + 1, 0]);
});

test("of nginx three hundred answers come whole, over connections that it ends as it likes", { skip }, async () => {
  using temp = makeTempFolder("http2");
  const docroot = join(temp.path, "docroot");
  makeSite(docroot);
  await using server = await startSecureServer(docroot, 5);
  await using fetcher = createFetcher({ allowPrivate: true, ca: server.ca, connections: 4 });
  const origin = new URL(server.url).origin;
  const lengths = await Promise.all(
    Array.from({ length: 300 }, async (_, turn) => {
      const path = `/p${turn % pages}.html`;
      const outcome = await fetcher.get({
        origin,
        path,
        maxBytes: 1e6,
        timeoutMs: 60_000,
        acceptCoding: turn % 2 === 0,
      });
      assert.equal(outcome.kind, "fetched", JSON.stringify(outcome));
      return outcome.kind === "fetched" ? Buffer.compare(outcome.body, readFileSync(join(docroot, path))) : undefined;
    }),
  );
  assert.deepEqual(new Set(lengths), new Set([0]));
  assert.equal(countOf(await server.takeLog(), "HTTP/2.0", 200), 300);
});

const skipPeers = skip || skipWithout("java") || skipWithoutCached("warcio-1", "jwarc-1");

test("warcio and jwarc take the WARC files of a crawl over HTTP/2", { skip: skipPeers }, async () => {
  using temp = makeTempFolder("http2");
  const docroot = join(temp.path, "docroot");
  makeSite(docroot);
  await using server = await startSecureServer(docroot, 7);
  const { url, ca } = server;
  const options = { url, ca, into: join(temp.path, "kept"), keep: "warc", sources: ["links"] } as const;
  for (let day = 0; day < 2; day++) await crawlSite({ ...options, clock: () => Date.now() + day * 86_400_000 });
  const folder = join(options.into, new URL(url).host.replace(":", "_"));
  const files = readdirSync(folder).filter((name) => name.endsWith(".warc.gz"));
  assert.equal(files.length, 2);
  const run = promisify(execFile);
  for (const name of files) {
    const path = join(folder, name);
    assert.ok(gunzipSync(readFileSync(path)).includes("\r\nWARC-Protocol: h2\r\n"));
    await run(join(requireCached("warcio-1"), "bin", "warcio"), ["check", path]);
    await run(requireProgram("java"), ["-jar", join(requireCached("jwarc-1"), "jwarc.jar"), "validate", path]);
  }
});
