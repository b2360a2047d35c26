import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Agent, interceptors, request } from "undici";
import { makeTempFolder } from "../temp-folder.ts";
import { makeSite } from "./churn.ts";
import { exportDocroot } from "./command.ts";
import { readDocumentCode } from "./document-code.ts";
import { skipWithout } from "./programs.ts";
import { createRandom } from "./random.ts";
import { findFreePort, type ServerKind, startWebServer, type WebServer } from "./web-server.ts";

const published = "/.well-known/tidemark/";
const immutable = "public, max-age=31536000, immutable";

interface Server {
  readonly kind: ServerKind;
  readonly document: string;
  /** What people have in their configuration that would spoil published files. */
  readonly nuisance: string;
}

const servers: readonly Server[] = [
  {
    kind: "nginx",
    document: "docs/nginx.md",
    nuisance: "gzip_types *;\ngzip_min_length 1;\nlocation ~ /\\. { deny all; }\n",
  },
  {
    kind: "apache2",
    document: "docs/apache.md",
    nuisance: `AddEncoding x-gzip .gz
SetOutputFilter DEFLATE
<DirectoryMatch "/\\.">
  Require all denied
</DirectoryMatch>
`,
  },
];

/** A published site, and beside it what sitemaps and ResourceSync bring, as such files are named. */
async function publishSite(docroot: string, state: string, baseUrl: string): Promise<void> {
  mkdirSync(docroot);
  makeSite(docroot, 300, createRandom(31));
  // Archives of their own, with a name that has a "+".
  for (let figure = 0; figure < 6; figure++) writeFileSync(join(docroot, `${figure}.svg`), `<svg id="${figure}"/>`);
  await exportDocroot(docroot, baseUrl, state, "--min-group", "5");
  const text = "<a/>\n".repeat(500);
  for (const path of ["/sitemap.xml", "/sitemap-1.xml.gz", "/.well-known/resourcesync"])
    writeFileSync(join(docroot, path), text);
  for (const name of ["changelist.xml", "dump.zip"]) writeFileSync(join(docroot, published, name), text);
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

async function get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const answer = await fetch(url, { headers: { "accept-encoding": "gzip, br", ...headers } });
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
}

async function assertRevalidates(url: string): Promise<void> {
  const { headers } = await get(url);
  const validators = { "if-none-match": headers.get("etag"), "if-modified-since": headers.get("last-modified") };
  for (const [name, value] of Object.entries(validators)) {
    const again = await get(url, { [name]: value ?? assert.fail(`${url} has nothing for ${name}`) });
    assert.equal(again.status, 304, `${url} with ${name}: ${value}`);
    assert.equal(again.headers.get("cache-control"), headers.get("cache-control"), url);
  }
}

/** A cache as RFC 9111 describes it, and none of ours, asks for archives once, and for the index each time. */
async function assertCached(server: WebServer, archives: readonly string[]): Promise<void> {
  await server.takeLog();
  const agent = new Agent();
  const cache = agent.compose(interceptors.cache());
  for (const name of [...archives, "index.gz", ...archives, "index.gz"]) {
    const { statusCode, body } = await request(new URL(published + name, server.url), { dispatcher: cache });
    assert.equal(statusCode, 200);
    assert.ok((await body.bytes()).length > 0);
  }
  await agent.close();
  const log = await server.takeLog();
  const statusesOf = (name: string): number[] =>
    log.filter(({ uri }) => uri === published + name).map(({ status }) => status);
  for (const name of archives) assert.deepEqual(statusesOf(name), [200], name);
  assert.equal(statusesOf("index.gz").length, 2);
}

for (const { kind, document, nuisance } of servers) {
  const language = kind === "nginx" ? "nginx" : "apache";
  test(`${kind} with the lines of ${document} answers as it says`, { skip: skipWithout(kind) }, async () => {
    using temp = makeTempFolder("snippets");
    const docroot = join(temp.path, "docroot");
    const port = await findFreePort();
    await publishSite(docroot, join(temp.path, "state"), `http://127.0.0.1:${port}/`);
    const snippet = nuisance + readDocumentCode(document, language);
    await using server = await startWebServer(kind, docroot, { port, snippet });
    const at = (path: string): string => new URL(path, server.url).href;

    const archives = readdirSync(join(docroot, published)).filter((name) => /^\d.*\.gz$/.test(name));
    assert.ok(archives.some((name) => name.includes("image-svg+xml")));
    const rows: readonly (readonly [string, string, string])[] = [
      ...archives.map((name) => [published + name, "application/gzip", immutable] as const),
      [`${published}index.gz`, "application/gzip", "no-cache"],
      [`${published}dump.zip`, "application/zip", "no-cache"],
      [`${published}changelist.xml`, "application/xml", "no-cache"],
      ["/.well-known/resourcesync", "application/xml", "no-cache"],
      ["/sitemap.xml", "application/xml", "no-cache"],
      ["/sitemap-1.xml.gz", "application/gzip", "no-cache"],
    ];
    for (const [path, mediaType, cacheControl] of rows) {
      const { status, headers, body } = await get(at(path));
      assert.equal(status, 200, path);
      assert.equal(headers.get("content-type")?.split(";")[0], mediaType, path);
      assert.equal(headers.get("cache-control"), cacheControl, path);
      // Packed once, and not announced as packed on the way: the client holds the bytes of the file.
      if (/\.(gz|zip)$/.test(path)) assert.equal(headers.get("content-encoding"), null, path);
      assert.deepEqual(body, readFileSync(join(docroot, path)), path);
      await assertRevalidates(at(path));
    }
    await assertCached(server, archives);
    const missing = await get(at(`${published}20260101T000000Z_20260102T000000Z.other.0123456789abcdef.gz`));
    assert.equal(missing.status, 404);
    assert.equal(missing.headers.get("cache-control"), null, "what is missing may come");
    assert.equal((await get(at("/.git/config"))).status, 403, "other dot files stay closed");
  });
}
