import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { TestSite } from "./test-site.ts";

/** All that is public: names and bytes of index and archives, and robots.txt. */
function publicText(site: TestSite): string {
  let text = readFileSync(join(site.docroot, "robots.txt"), "latin1");
  for (const name of readdirSync(site.publishedFolder)) {
    text += `${name}\n${gunzipSync(readFileSync(join(site.publishedFolder, name))).toString("latin1")}`;
  }
  return text;
}

// Each holds the word "secret" in its name, so that one search finds them all.
const hidden = [
  ".git/secret-head",
  ".env.secret",
  ".htpasswd-secret",
  ".secret/page.html",
  "secret.sql",
  "secret.sql.gz",
  "secret.php~",
  "secret.php",
  "#secret#",
  "secret.swp",
  "secret.key",
  "secret.inc",
  "CVS/secret",
  "WEB-INF/secret.xml",
  "cgi-bin/secret",
  "deep/er/.secret",
  "excluded/secret.html",
  "secret-excluded.html",
  "unreadable-secret.html",
  "closed/secret.html",
  "disallowed/secret.html",
  "secret-disallowed.html",
  "wild/x/secret.pdf",
];

function makeSecretive(site: TestSite): void {
  for (const name of hidden) site.write(name, "secret");
  for (const name of ["index.html", "deep/er/page.html", "wild/x/page.html", "disallowed/but-allowed.html"])
    site.write(name, "public");
  chmodSync(join(site.docroot, "unreadable-secret.html"), 0o600);
  chmodSync(join(site.docroot, "closed"), 0o700);
  mkdirSync(join(site.folder, "outside"));
  writeFileSync(join(site.folder, "outside/secret.html"), "secret");
  symlinkSync("/etc/passwd", join(site.docroot, "secret-passwd.html"));
  symlinkSync("../outside", join(site.docroot, "secret-outside"));
  symlinkSync("../outside/secret.html", join(site.docroot, "secret-outside.html"));
  symlinkSync("nowhere", join(site.docroot, "secret-broken.html"));
  symlinkSync("secret.sql", join(site.docroot, "harmless-secret.html"));
  site.write(
    "robots.txt",
    "User-agent: *\nDisallow: /disallowed/\nAllow: /disallowed/but-\nDisallow: /*-disallowed.html$\nDisallow: /*.pdf\n",
  );
}

const visible = ["deep/er/page.html", "disallowed/but-allowed.html", "index.html", "wild/x/page.html"];
const exclude = ["excluded", "**/*-excluded.html"];

test("no name of what is withheld is in any published byte", async () => {
  using site = new TestSite();
  makeSecretive(site);
  const { summary, events } = await site.export({ exclude });
  site.check(visible);
  // robots.txt itself says what it disallows.
  assert.doesNotMatch(publicText(site).replace(/^Disallow:.*$/gm, ""), /secret/);
  const withheld = events.filter((event) => event.event === "withheld");
  assert.equal(withheld.length, summary.withheld);
  assert.equal(
    Object.values(summary.withheldByRule).reduce((sum, count) => sum + count, 0),
    summary.withheld,
  );
  for (const rule of [
    "version-control",
    "private-data",
    "hidden",
    "backup",
    "server-source",
    "server-configuration",
    "excluded",
    "unreadable",
    "robots-disallow",
    "outside-root",
    "broken-link",
    "own-output",
  ] as const)
    assert.ok((summary.withheldByRule[rule] ?? 0) > 0, rule);
  assert.equal(summary.errors, 0);
});

test("a page that comes to be withheld is deleted, and its name is said only in its tombstone", async () => {
  using site = new TestSite();
  for (const name of ["a.html", "b.html", "closed/c.html", "d.html", "e.html"]) site.write(name, name);
  await site.export();
  site.check(["a.html", "b.html", "closed/c.html", "d.html", "e.html"]);
  chmodSync(join(site.docroot, "a.html"), 0o600);
  chmodSync(join(site.docroot, "closed"), 0o700);
  site.write("robots.txt", `User-agent: *\nDisallow: /d\n${readFileSync(join(site.docroot, "robots.txt"), "utf8")}`);
  const { summary } = await site.export({ exclude: ["b.html"] });
  assert.deepEqual([summary.deleted, summary.pages], [4, 1]);
  site.check(["e.html"]);
});

test("our own files are no pages, even where they are asked for", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  site.write(".well-known/security.txt", "mailto:x");
  for (let round = 0; round < 3; round++) {
    site.write("a.html", `${round}`);
    const { summary } = await site.export({ include: ["**", ".well-known/**"] });
    assert.equal(summary.pages, 2);
  }
  assert.deepEqual([...site.hold().keys()], ["/.well-known/security.txt", "/a.html"]);
});

test("a server's user decides what is readable", {
  skip: process.getuid?.() !== 0 && "only root may give files away",
}, async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  site.write("b.html", "b");
  chmodSync(join(site.docroot, "b.html"), 0o600);
  assert.equal((await site.export()).summary.pages, 1);
  assert.equal((await site.export({ serverUser: "root" })).summary.pages, 2);
});

test("pages that an earlier version published and names hold back now go out as deleted, once, with the rule's name", async () => {
  using site = new TestSite();
  for (const name of ["index.html", "data.qqq", "more.qqq", "dump.sql", "gone.qqq"]) site.write(name, name);
  await site.export({ include: ["**", "**/*.qqq", "dump.sql"] });
  site.check(["index.html", "data.qqq", "more.qqq", "dump.sql", "gone.qqq"]);
  site.remove("gone.qqq");
  const { summary, events } = await site.export();
  site.check(["index.html"]);
  assert.deepEqual([summary.deleted, summary.warnings], [4, 2]);
  const warnings = events.filter((event) => event.event === "warning");
  assert.deepEqual(warnings.map(({ code, path }) => `${code} ${path}`).sort(), [
    "now-withheld /data.qqq",
    "now-withheld /dump.sql",
  ]);
  assert.ok(warnings.some(({ message }) => /^2 pages .* unknown-type/.test(message)));
  assert.ok(warnings.some(({ message }) => /^a page .* private-data/.test(message)));
  const again = await site.export();
  assert.deepEqual([again.summary.deleted, again.summary.warnings], [0, 0]);
});

test("what sites mean to be found below .well-known is published, and a token of ACME is not", async () => {
  using site = new TestSite();
  const known = [
    "security.txt",
    "assetlinks.json",
    "apple-app-site-association",
    "openid-configuration",
    "oauth-authorization-server",
    "change-password",
    "host-meta",
    "nodeinfo",
    "core",
    "matrix/client",
    "autoconfig/mail/config-v1.1.xml",
    "mta-sts.txt",
    "did.json",
  ].map((name) => `.well-known/${name}`);
  for (const name of [...known, "index.html"]) site.write(name, name);
  for (const name of [".well-known/acme-challenge/dG9rZW4", ".well-known/.git/config", ".well-known/dump.sql"])
    site.write(name, "secret");
  await site.export();
  site.check([...known, "index.html"]);
  await site.export({ include: ["**"] });
  site.check([...known, "index.html"]);
});
