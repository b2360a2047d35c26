import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { SiteProposal } from "../../src/exporter/setup/site-proposal.ts";
import { runTidemark, summaryOf } from "./command.ts";
import { skipWithout } from "./programs.ts";
import { ServedSite } from "./served-site.ts";
import type { ServerKind } from "./web-server.ts";

interface Server {
  readonly name: string;
  readonly kind: ServerKind;
  readonly snippet: (docroot: string) => string;
  /** Of files that the server looks into. */
  readonly mode?: number;
}

const servers: readonly Server[] = [
  {
    name: "Apache",
    kind: "apache2",
    snippet: (docroot) => `<Directory ${docroot}>
  Options FollowSymLinks Includes
  AddOutputFilter INCLUDES .html .shtml
</Directory>`,
  },
  {
    name: "Apache with XBitHack",
    kind: "apache2",
    mode: 0o755,
    snippet: (docroot) => `<Directory ${docroot}>
  Options FollowSymLinks Includes
  XBitHack on
</Directory>`,
  },
  { name: "nginx", kind: "nginx", snippet: () => "ssi on;" },
];

const including = 40;
const plain = 10;
const fixed = ["/inc/header.html", "/inc/menu.html", "/inc/year.txt", "/inc/side.html"];

function write(docroot: string, path: string, content: string): void {
  mkdirSync(dirname(join(docroot, path)), { recursive: true });
  writeFileSync(join(docroot, path), content);
}

/** @param footer - how pages name it: nginx takes no `..` in an include */
function makeSite(docroot: string, footer = "/inc/footer.html"): string[] {
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
        ? ['<!--#include virtual="/inc/header.html" -->', `<!--#include virtual="${footer}" -->`]
        : ["", ""];
    write(docroot, path, `<!DOCTYPE html><title>${at}</title>${head}<p>page ${at}</p>${foot}`);
    paths.push(path);
  }
  return paths;
}

async function assertMirrored({ url, mirror }: ServedSite, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const served = Buffer.from(await (await fetch(new URL(path, url))).arrayBuffer());
    assert.ok(served.equals(readFileSync(join(mirror, path))), path);
    assert.ok(!served.includes("<!--#"), `${path} is served as it lies there`);
    assert.ok(!served.includes("an error occurred"), `${path} includes what the server does not`);
  }
}

for (const { name, kind, snippet, mode } of servers) {
  test(`${name} puts pages together: no page is in doubt, and a new footer changes its pages`, {
    skip: skipWithout(kind),
  }, async () => {
    let paths: readonly string[] = [];
    const pages = (docroot: string): void => {
      paths = kind === "nginx" ? makeSite(docroot) : makeSite(docroot, "../inc/footer.html");
      if (mode !== undefined) for (const path of paths) chmodSync(join(docroot, path), mode);
    };
    await using site = await ServedSite.open({ seed: 1, pages, kind, snippet });
    const { docroot } = site;
    assert.equal((await site.export()).summary.includes?.pages, including + 2);

    const first = await site.crawl();
    assert.deepEqual([first.summary.differing, first.summary.created], [0, paths.length]);
    await assertMirrored(site, paths);
    assert.equal((await site.crawl()).summary.requests, 2);

    writeFileSync(join(docroot, "inc/footer.html"), "<footer>second</footer>");
    assert.equal((await site.export()).summary.updated, including + 1);
    const third = await site.crawl();
    assert.deepEqual([third.summary.differing, third.summary.updated], [0, including + 1]);
    await assertMirrored(site, paths);
    // What is included by what is included.
    writeFileSync(join(docroot, "inc/year.txt"), "2027");
    assert.equal((await site.export()).summary.updated, including + 3);
    assert.equal((await site.crawl()).summary.updated, including + 3);
    await assertMirrored(site, paths);
    assert.equal((await site.crawl()).summary.requests, 2);
    const verified = await runTidemark(["verify", site.url, "--json", "--all"]);
    assert.equal(verified.exitCode, 0, verified.stdout);
  });
}

test("pages with includes that are published with digests are asked for twice, and then taken as served", {
  skip: skipWithout("nginx"),
}, async () => {
  let paths: readonly string[] = [];
  const pages = (docroot: string): void => {
    paths = makeSite(docroot);
  };
  await using site = await ServedSite.open({ seed: 1, pages, snippet: () => "ssi on;" });
  await site.export("--ssi", "off");
  const visit = async (): Promise<Record<string, unknown>> =>
    (await runTidemark(["crawl", site.url, "--into", site.into, "--json"])).events.at(-1) ?? {};
  const [first, second, third] = [await visit(), await visit(), await visit()];
  assert.deepEqual([first.differing, first.pageRequests], [including + 2, paths.length]);
  assert.deepEqual([second.differing, second.pageRequests, second.pending], [0, including + 2, 0]);
  assert.equal(third.requests, 2);
  await assertMirrored(site, paths);
  const proposed = await runTidemark(["init", site.docroot, "--base-url", site.url, "--json"]);
  assert.equal(summaryOf<SiteProposal>(proposed).settings.ssi, undefined);
  // The exporter finds out, and says so.
  const told = await site.export();
  assert.equal(told.summary.updated, including + 2);
  assert.deepEqual([(await visit()).differing, (await visit()).requests], [0, 2]);
});

test("a server that processes no includes is found out by init", { skip: skipWithout("nginx") }, async () => {
  await using site = await ServedSite.open({ seed: 1, pages: (docroot) => void makeSite(docroot) });
  const proposed = await runTidemark(["init", site.docroot, "--base-url", site.url, "--json"]);
  assert.equal(summaryOf<SiteProposal>(proposed).settings.ssi, "off");
});
