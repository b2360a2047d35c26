import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "../../src/core/page.ts";
import type { VerifySummary } from "../../src/core/verify-event.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { crawl, exportDocroot, runTidemark } from "./command.ts";
import { nastyNames, writeNastySite } from "./nasty-site.ts";
import { skipWithout } from "./programs.ts";
import { readPublishedSet } from "./published-set.ts";
import { createRandom } from "./random.ts";
import { ServedSite } from "./served-site.ts";
import { getRaw, type ServerKind, serverKinds, startWebServer, type WebServer } from "./web-server.ts";

async function findWrongAnswers(server: WebServer, pages: ReadonlyMap<string, Page>): Promise<string[]> {
  const wrong: string[] = [];
  for (const page of pages.values()) {
    const { status, body } = await getRaw(server.port, page.path);
    const digest = createHash("sha256").update(body).digest().subarray(0, 8).toString("base64url");
    if (status !== 200 || body.length !== page.sizeBytes || digest !== page.digest)
      wrong.push(`${status} ${body.length} of ${page.sizeBytes} bytes: ${page.path}`);
  }
  return wrong;
}

async function servesEveryListedUrl(kind: ServerKind): Promise<void> {
  const names = nastyNames();
  assert.ok(names.length >= 200, `${names.length} names`);
  await using site = await ServedSite.open({ seed: 1, pages: (docroot) => writeNastySite(docroot, names), kind });
  const { events } = await site.export(...everyType);
  const withheld = events.flatMap((event) => (event.event === "withheld" ? [`${event.rule} ${event.path}`] : []));
  assert.deepEqual(withheld.sort(), [
    "backup /end.txt~",
    "hidden /..%252f..%252fetc%252fpasswd",
    "hidden /..%5C..%5Cx.txt",
    "hidden /...",
    "hidden /..x/",
    "own-output /.well-known/tidemark/",
  ]);
  const { pages } = await site.read();
  assert.equal(pages.size, names.length - 5);
  assert.deepEqual(await findWrongAnswers(site.server, pages), []);
  const verified = await runTidemark(["verify", site.url, "--all", "--delay", "0", "--json"]);
  const different = verified.events.flatMap(({ severity, kind: found, path }) =>
    severity === "difference" ? [`${found} ${path}`] : [],
  );
  // Apache's mod_mime takes the last ending that it knows; our table, as that of nginx, only the last.
  const unexpected = different.filter((found) => kind === "nginx" || !/^media-type \/.*\..*\.|\.tgz$/.test(found));
  assert.deepEqual(unexpected, []);
  assert.equal((verified.events.at(-1) as unknown as VerifySummary).asked, pages.size);
}

/** Most nasty names have no ending of a type that sites publish. */
const everyType = ["--include", "**", "--include", "**/[^.]*"];

const mappedConfig = {
  nginx: (folder: string) => `
    location / { try_files $uri $uri/ $uri.html $uri.htm =404; }
    location /static/ { alias ${folder}/; }
    location /static/deep/ { alias ${folder}-deep/; }`,
  // The longest prefix must come first.
  apache2: (folder: string) => `
Alias /static/deep/ ${folder}-deep/
Alias /static/ ${folder}/
<DirectoryMatch ^${folder}>
  Require all granted
</DirectoryMatch>
RewriteEngine On
RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-d
RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-f
RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI}.html -f
RewriteRule ^(/.*[^/])$ %{DOCUMENT_ROOT}$1.html [END]`,
};

/** Nasty names whose end is that of a page, some of them with a folder or a file that has the short name. */
function pageNames(): string[] {
  const stems = nastyNames()
    .filter((name) => !name.includes("/") && name.length < 200)
    .map((name) => name.replace(/\.(?:html?|txt)$/i, ""));
  const pages = stems.map((stem, at) => (at % 3 === 0 ? `${stem}/index.html` : `${stem}.html`));
  return [...new Set([...pages, "twice.html", "twice", "folder.html", "folder/index.html", "index.html"])];
}

async function servesMappedUrls(kind: ServerKind): Promise<void> {
  using temp = makeTempFolder("mapped");
  const docroot = join(temp.path, "docroot");
  const folder = join(temp.path, "static");
  for (const each of [docroot, folder, `${folder}-deep`]) mkdirSync(each);
  const pagesWritten = writeNastySite(docroot, [...pageNames(), "static/covered.txt"]);
  writeNastySite(folder, [...nastyNames(), "deep/covered.txt"]);
  writeNastySite(`${folder}-deep`, nastyNames());
  await using server = await startWebServer(kind, docroot, { snippet: mappedConfig[kind](folder) });
  const urls = [...everyType, "--clean-urls", "--map", `/static/=${folder}`, "--map", `/static/deep/=${folder}-deep`];
  const state = join(temp.path, "state");
  await exportDocroot(docroot, server.url, state, ...urls);
  const { pages } = await readPublishedSet(server.url, createRandom(1));
  assert.ok(pages.size > pagesWritten + 400, `${pages.size} pages`);
  for (const path of ["/", "/twice", "/twice.html", "/folder/", "/folder.html", "/static/deep/case.txt"])
    assert.ok(pages.has(path), path);
  assert.ok(!pages.has("/static/covered.txt") && !pages.has("/static/deep/covered.txt"));
  // Since 2.4.60 Apache's mod_rewrite refuses names with "?", unless UnsafeAllow3F is set (CVE-2024-38474).
  const refused = kind === "apache2" ? /^403 .*: \/[^/]*%3F[^/]*$/ : /^$/;
  assert.deepEqual(
    (await findWrongAnswers(server, pages)).filter((wrong) => !refused.test(wrong)),
    [],
  );

  if (kind === "nginx") {
    const { summary } = await crawl(server.url, join(temp.path, "crawled"));
    assert.deepEqual([summary.created, summary.failed, summary.differing], [pages.size, 0, 0]);
  }

  // The same folders, wrongly mapped: the names are there, the bytes are not.
  const wrong = [...everyType, "--clean-urls", "--map", `/static/=${folder}-deep`, "--map", `/elsewhere/=${folder}`];
  await exportDocroot(docroot, server.url, state, ...wrong);
  const args = ["verify", server.url, "--sample", "150", "--seed", "7", "--delay", "0"];
  const verified = await runTidemark([...args, "--json"]);
  assert.equal(verified.exitCode, 3, verified.stderr);
  const missing = verified.events.filter(({ event, kind: found }) => event === "finding" && found === "missing");
  assert.ok(missing.some(({ path }) => String(path).startsWith("/elsewhere/")));
  assert.ok(missing.every(({ fix }) => /--map/.test(String(fix))));
  const told = await runTidemark(args);
  assert.match(told.stdout, /difference: missing, \d+ times\n {2}\/elsewhere\/\S+: the server answers 404\n.*--map/);
}

for (const kind of serverKinds) {
  const skip = skipWithout(kind);
  test(`${kind} serves every listed URL with the listed bytes, whatever the name`, { skip }, async () => {
    await servesEveryListedUrl(kind);
  });
  test(`${kind} serves clean URLs, index files and mapped folders as listed, and a wrong map is found`, {
    skip,
  }, async () => {
    await servesMappedUrls(kind);
  });
}
