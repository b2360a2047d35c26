import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
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
