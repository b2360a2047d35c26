import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { WithholdRule } from "../../../src/core/export-event.ts";
import { judgeName } from "../../../src/exporter/walk/name-rules.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { walkAll } from "./walked.ts";

// Names that a rule holds back, and names like them that it must not.
const files: readonly (readonly [WithholdRule, string, string])[] = [
  ["hidden", ".hidden .DS_Store .gitignore ..git .#draft.html .config.php.swp", "..html ..md a.hidden ahidden _.html"],
  ["version-control", ".git CVS page.html,v .fslckout RCS", "git CVS.html cvs.txt page,v.html"],
  [
    "backup",
    "page.html~ #draft# page.bak PAGE.BAK page.html.old x.orig x.save x.swp x.tmp x.rej x.part x.dpkg-old x.rpmsave " +
      "x.ucf-dist Thumbs.db.bak desktop.ini a.crdownload",
    "bak old page.backup.html #draft draft# tilde~.html save.html party template.html",
  ],
  [
    "server-configuration",
    ".htaccess .htpasswd .user.ini web.config Web.config nginx.conf httpd.conf php.ini",
    "web.config.html nginx.html config.js",
  ],
  [
    "server-source",
    "index.php INDEX.PHP a.php7 a.phtml a.phps a.inc a.aspx a.asp a.ashx a.jsp a.cfm a.cgi a.fcgi a.shtm a.stm",
    "php a.php.html a.shtml a.html a.js a.css included incense.html cgi.html a.aspect a.asc movie.swf",
  ],
  [
    "private-data",
    "backup.sql dump.sql.gz site.sqlite3 data.db id_rsa id_ed25519 server.key server.pem cert.p12 .env .env.local " +
      "keys.kdbx vpn.ovpn a.dump core.4711",
    "sql mysql.html id_rsa.pub key.html environment.html env core.js core.html database.html a.sql.html",
  ],
];

test("each rule holds back its names, and none like them", () => {
  for (const [rule, held, free] of files) {
    for (const name of held.split(" ")) assert.equal(judgeName(name, false), rule, name);
    for (const name of free.split(" ")) {
      const other = judgeName(name, false);
      assert.ok(other === undefined || other === "unknown-type", `${name}: ${other}`);
    }
  }
});

test("folders are held back by rules of their own", () => {
  const folders: readonly (readonly [WithholdRule | undefined, string])[] = [
    ["hidden", ".cache .. .well-known2"],
    ["version-control", ".git .svn .hg .bzr .jj CVS cvs _darcs RCS SCCS"],
    ["server-source", "cgi-bin"],
    ["server-configuration", "WEB-INF META-INF web-inf"],
    [undefined, ".well-known php index.php old.bak page.old sql data.db CVS2 git cgi-binary INF"],
  ];
  for (const [rule, names] of folders)
    for (const name of names.split(" ")) assert.equal(judgeName(name, true), rule, name);
});

test("nothing below a folder that is held back is looked at", async () => {
  using folder = makeTempFolder();
  for (const name of [".git", "cgi-bin", "WEB-INF", "CVS", ".private", "open"]) {
    mkdirSync(join(folder.path, name, "sub"), { recursive: true });
    writeFileSync(join(folder.path, name, "sub/page.html"), "");
  }
  const { paths, withheld } = await walkAll(folder.path);
  assert.deepEqual(paths, ["/open/sub/page.html"]);
  assert.deepEqual(Object.keys(withheld), ["/.git/", "/.private/", "/CVS/", "/WEB-INF/", "/cgi-bin/"]);
});

test("endings that are let through at once are those that no rule holds back", () => {
  const endings = "html htm xhtml css js mjs png jpg jpeg gif svg webp avif ico md woff woff2 mp3 mp4 webm";
  for (const ending of endings.split(" ")) {
    for (const name of ["a", "id_rsa", "core.1", "#x", "a~", "web", "Thumbs", "a.sql", "CVS", "a.php"]) {
      assert.equal(judgeName(`${name}.${ending}`, false), undefined, `${name}.${ending}`);
      // In capitals it takes the long way round, whose rules do not know capitals from small letters.
      assert.equal(judgeName(`${name}.${ending.toUpperCase()}`, false), undefined, `${name}.${ending} in capitals`);
    }
    assert.equal(judgeName(`.${ending}`, false), "hidden");
    assert.equal(judgeName(`..${ending}`, false), undefined);
    assert.equal(judgeName(`.a.${ending}`, false), "hidden");
    assert.equal(judgeName(`.git.${ending}`, true), "hidden");
  }
});

test("a type that sites do not publish is held back as that, where no other rule says more", () => {
  for (const name of "a.qqq a.bin a.dat a.cfg a.ini a.yml x.toml data file a.".split(" "))
    assert.equal(judgeName(name, false), "unknown-type", name);
  for (const name of "a.log a.sql a.php a.bak".split(" "))
    assert.notEqual(judgeName(name, false), "unknown-type", name);
});
