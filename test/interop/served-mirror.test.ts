import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { serveFolder } from "../../src/server/folder-server.ts";
import { mirrorFolderOf } from "../../src/storage/mirror/mirror-path.ts";
import { openMirroredPages } from "../../src/storage/state/mirrored-pages.ts";
import type { SitePage } from "../crawler/engine/published-site.ts";
import { Crawler } from "../crawler/engine/site-visit.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { readDocumentCode } from "./document-code.ts";
import { skipWithout } from "./programs.ts";
import { getRaw, startWebServer } from "./web-server.ts";

const types: Readonly<Record<string, string>> = {
  "/s.css": "text/css",
  "/twin.css": "text/css",
  "/Twin.css": "text/plain",
  "/api": "application/json",
  "/api/items": "application/json",
  "/data?format=csv": "text/csv",
  "/script.js": "text/javascript",
  "/note.html": "text/plain",
  "/picture": "image/png",
  "/q?x=1": "text/plain",
};

// Their names collide, or say nothing of what the page is.
const paths = [
  "/ /index.html /about /about/ /about/index.html /about/team /docs/ /docs/index.html /only/ /a.html /a.html/below /q?x=1 /q?x=2",
  "/q /q/ /?start /deep/er/than/that /deep /caf%C3%A9 /caf%C3%A9/men%C3%BC.html /a%20b.html /C++ /C%2B%2B /50%25 /semi;colon",
  "/$1&$2=3 /quote%22s /back%5Cslash /dots.. /end. /.hidden /.well-known/thing /%2e%2e%2fetc /twin.css /Twin.css /a%2Fb /x//y",
  "/line%0Abreak /What /what /index.html/below /~tidemark-index /tilde~ /s.css /api /api/items /data?format=csv /script.js",
  "/note.html /picture /same/ /same /it's /(1) /x?q=%22%5C$a%20b",
].flatMap((line) => line.split(" "));
paths.push(`/${"long".repeat(80)}`);
const mirrorSite: ReadonlyMap<string, SitePage> = new Map(
  paths.map((path) => [
    path,
    { body: `<p>${path}</p>`, mediaType: types[path] ?? "text/html", lastModified: 1_700_000_000 },
  ]),
);

/** Pages that a server does not show under their URLs as the site did. */
async function findDifferences(port: number): Promise<string[]> {
  const differences: string[] = [];
  for (const [path, { body, mediaType }] of mirrorSite) {
    const answer = await getRaw(port, path);
    const shown = `${answer.status} ${answer.headers["content-type"]} ${answer.body}`;
    if (shown !== `200 ${mediaType} ${body}`) differences.push(`${path}: ${shown.slice(0, 100)}`);
  }
  return differences;
}

describe("a mirror shows each page under its URL, with its media type", () => {
  let crawler: Crawler;
  let folder: string;

  before(async () => {
    crawler = await Crawler.open();
    for (const [path, page] of mirrorSite) crawler.site.pages.set(path, page);
    for (const [path, { body, mediaType }] of mirrorSite)
      crawler.site.answers.set(
        path,
        (_, response) => void response.writeHead(200, { "content-type": mediaType }).end(body),
      );
    crawler.site.publishBase();
    const { summary } = await crawler.visit();
    assert.deepEqual([summary.created, summary.failed], [mirrorSite.size, 0]);
    folder = join(crawler.folder.path, mirrorFolderOf(crawler.site.origin));
    chmodSync(crawler.folder.path, 0o755);
  });
  after(async () => await crawler[Symbol.asyncDispose]());

  it("with tidemark serve", async () => {
    using pages = openMirroredPages(folder);
    await using server = await serveFolder({ folder, pages });
    assert.deepEqual(await findDifferences(server.port), []);
  });

  it("with nginx and the map that tidemark serve --nginx prints", { skip: skipWithout("nginx") }, async () => {
    const program = join(repositoryFolder(), "bin/tidemark.js");
    const http = execFileSync(process.execPath, [program, "serve", folder, "--nginx"], { encoding: "utf8" });
    const document = readDocumentCode("docs/nginx.md", "nginx mirror");
    const snippet = document.replace(/^root .*\n/, "");
    await using server = await startWebServer("nginx", folder, { snippet, http, gzip: false });
    // nginx refuses what leads out of the root once it is decoded, before it looks at anything.
    const differences = await findDifferences(server.port);
    assert.deepEqual(
      differences.map((line) => line.slice(0, 18)),
      ["/%2e%2e%2fetc: 400"],
    );
  });

  it("and with nginx alone where its name says all of it", { skip: skipWithout("nginx") }, async () => {
    await using server = await startWebServer("nginx", folder, { gzip: false });
    for (const path of ["/only/", "/a%20b.html", "/s.css", "/caf%C3%A9/men%C3%BC.html"]) {
      const answer = await fetch(server.url.slice(0, -1) + path);
      assert.equal(answer.headers.get("content-type"), mirrorSite.get(path)?.mediaType);
      assert.equal(await answer.text(), mirrorSite.get(path)?.body, path);
    }
    // A folder's page, to which it redirects.
    const deep = await fetch(`${server.url}deep`);
    assert.deepEqual([deep.redirected, await deep.text()], [true, "<p>/deep</p>"]);
  });
});
