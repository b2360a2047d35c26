import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { crawl, exportDocroot, runTidemark } from "./command.ts";
import { skipWithout } from "./programs.ts";
import { makeTempFolder } from "./temp-folder.ts";
import { type ServerKind, startWebServer, type WebServer } from "./web-server.ts";

const servers: readonly { readonly kind: ServerKind; readonly snippet: (docroot: string) => string }[] = [
  {
    kind: "apache2",
    snippet: (docroot) => `<Directory ${docroot}>
  Options FollowSymLinks Includes
  AddOutputFilter INCLUDES .html .shtml
</Directory>`,
  },
  { kind: "nginx", snippet: () => "ssi on;" },
];

const including = 40;
const plain = 10;
const fixed = ["/inc/header.html", "/inc/menu.html", "/inc/year.txt", "/inc/side.html"];

function write(docroot: string, path: string, content: string): void {
  mkdirSync(dirname(join(docroot, path)), { recursive: true });
  writeFileSync(join(docroot, path), content);
}

function makeSite(docroot: string): string[] {
  const paths = [...fixed, "/inc/footer.html"];
  write(docroot, "/inc/header.html", '<header><!--#include virtual="menu.html" --></header>');
  write(docroot, "/inc/menu.html", '<nav>menu of <!--#include file="year.txt" --></nav>');
  write(docroot, "/inc/side.html", "<aside>nobody includes it</aside>");
  write(docroot, "/inc/year.txt", "2026");
  write(docroot, "/inc/footer.html", "<footer>first</footer>");
  for (let at = 0; at < including + plain; at++) {
    const path = `/docs-${at % 5}/page-${at}.${at % 7 === 0 ? "shtml" : "html"}`;
    const [head, foot] =
      at < including
        ? ['<!--#include virtual="/inc/header.html" -->', '<!--#include virtual="../inc/footer.html" -->']
        : ["", ""];
    write(docroot, path, `<!DOCTYPE html><title>${at}</title>${head}<p>page ${at}</p>${foot}`);
    paths.push(path);
  }
  return paths;
}

async function assertMirrored(server: WebServer, into: string, paths: readonly string[]): Promise<void> {
  const [folder = ""] = readdirSync(into).filter((name) => !name.startsWith("."));
  for (const path of paths) {
    const served = Buffer.from(await (await fetch(new URL(path, server.url))).arrayBuffer());
    assert.ok(served.equals(readFileSync(join(into, folder, path))), path);
    assert.ok(!served.includes("<!--#"), `${path} is served as it lies there`);
  }
}

for (const { kind, snippet } of servers) {
  test(`${kind} with server-side includes: no page is in doubt, and a new footer changes its pages`, {
    skip: skipWithout(kind),
  }, async () => {
    using temp = makeTempFolder("includes");
    const docroot = join(temp.path, "site");
    const [state, into] = [join(temp.path, "state"), join(temp.path, "mirror")];
    const paths = makeSite(docroot);
    await using server = await startWebServer(kind, docroot, { snippet: snippet(docroot) });
    const exported = await exportDocroot(docroot, server.url, state);
    assert.equal(exported.summary.includes?.pages, including + 2);

    const first = await crawl(server.url, into);
    assert.deepEqual([first.summary.differing, first.summary.created], [0, paths.length]);
    await assertMirrored(server, into, paths);
    const second = await crawl(server.url, into);
    assert.equal(second.summary.requests, 2);

    writeFileSync(join(docroot, "inc/footer.html"), "<footer>second</footer>");
    const changed = await exportDocroot(docroot, server.url, state);
    assert.equal(changed.summary.updated, including + 1);
    const third = await crawl(server.url, into);
    assert.deepEqual([third.summary.differing, third.summary.updated], [0, including + 1]);
    await assertMirrored(server, into, paths);
    // What is included by what is included.
    writeFileSync(join(docroot, "inc/year.txt"), "2027");
    assert.equal((await exportDocroot(docroot, server.url, state)).summary.updated, including + 3);
    assert.equal((await crawl(server.url, into)).summary.updated, including + 3);
    await assertMirrored(server, into, paths);
    assert.equal((await crawl(server.url, into)).summary.requests, 2);
    const verified = await runTidemark(["verify", server.url, "--json", "--all"]);
    assert.equal(verified.exitCode, 0, verified.stdout);
  });
}
