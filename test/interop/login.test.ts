import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { crawlSite } from "../../src/crawler/crawl-site.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { skipWithout } from "./programs.ts";
import { type ServerKind, serverKinds, startWebServer } from "./web-server.ts";

/** Basic authentication as each server's manual shows it, with this file of passwords. */
function authLines(kind: ServerKind, docroot: string, file: string): string {
  if (kind === "nginx") return `auth_basic "closed"; auth_basic_user_file ${file};`;
  const modules = ["auth_basic", "authn_core", "authn_file", "authz_user"].map(
    (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  );
  return `${modules.join("\n")}
<Directory ${docroot}>
  AuthType Basic
  AuthName closed
  AuthUserFile ${file}
  Require valid-user
</Directory>`;
}

for (const kind of serverKinds)
  test(`${kind} with Basic authentication is crawled with a login, and refuses all without`, {
    skip: skipWithout(kind),
  }, async () => {
    using temp = makeTempFolder("login");
    const docroot = join(temp.path, "docroot");
    mkdirSync(docroot);
    writeFileSync(join(docroot, "index.html"), '<a href="a.html">a</a>');
    writeFileSync(join(docroot, "a.html"), "<p>a");
    // {SHA}, which both servers read.
    const file = join(temp.path, "passwords");
    writeFileSync(file, "me:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=\n");
    await using server = await startWebServer(kind, docroot, { snippet: authLines(kind, docroot, file) });
    const options = { url: server.url, sources: ["links"] as const };
    const shut = await crawlSite({ ...options, into: join(temp.path, "shut"), auth: "me:wrong" });
    assert.equal(shut.created, 0);
    assert.ok((await server.takeLog()).every(({ status }) => status === 401));
    const into = join(temp.path, "open");
    const open = await crawlSite({ ...options, into, auth: "me:password" });
    assert.equal(open.created, 2);
    assert.ok((await server.takeLog()).every(({ status }) => status === 200 || status === 404));
    assert.equal(readFileSync(join(into, `127.0.0.1_${server.port}`, "a.html"), "utf8"), "<p>a");
  });

// Debian's nginx has no Digest authentication, and Apache 2.4 knows MD5 only.
test("Apache with Digest authentication is crawled with one request more, and no file has the password", {
  skip: skipWithout("apache2"),
}, async () => {
  using temp = makeTempFolder("digest");
  const docroot = join(temp.path, "docroot");
  mkdirSync(docroot);
  writeFileSync(join(docroot, "index.html"), '<a href="a.html?x=1,2">a</a><a href="b.html">b</a>');
  writeFileSync(join(docroot, "a.html"), "<p>a");
  writeFileSync(join(docroot, "b.html"), "<p>b");
  const file = join(temp.path, "passwords");
  const secret = createHash("md5").update("me:the realm:s3cret ü").digest("hex");
  writeFileSync(file, `me:the realm:${secret}\n`);
  const snippet = `${["auth_digest", "authn_core", "authn_file", "authz_user"]
    .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
    .join("\n")}
<Directory ${docroot}>
  AuthType Digest
  AuthName "the realm"
  AuthDigestDomain /
  AuthDigestProvider file
  AuthUserFile ${file}
  Require valid-user
</Directory>`;
  for (const isDigestOnly of [true, false]) {
    await using server = await startWebServer("apache2", docroot, { snippet });
    const options = { url: server.url, sources: ["links"] as const, digest: isDigestOnly, keep: "warc" as const };
    const into = join(temp.path, `open-${isDigestOnly}`);
    const open = await crawlSite({ ...options, into, auth: "me:s3cret ü" });
    assert.equal(open.created, 3);
    const asked = (await server.takeLog()).map(({ uri, status }) => `${status} ${uri}`);
    assert.equal(asked.filter((line) => line.startsWith("401")).length, 1, asked.join("\n"));
    assert.ok(asked.includes("200 /a.html?x=1,2"));
    const kept = readdirSync(into, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { parentPath, name } of kept) {
      const bytes = readFileSync(join(parentPath, name));
      const text = name.endsWith(".gz") ? gunzipSync(bytes).toString("latin1") : bytes.toString("latin1");
      assert.doesNotMatch(text, /s3cret|\r\nauthorization:/i, name);
    }
    const shut = await crawlSite({ ...options, into: `${into}-shut`, auth: "me:wrong" });
    assert.equal(shut.created, 0);
    assert.ok((await server.takeLog()).every(({ status }) => status === 401));
  }
});
