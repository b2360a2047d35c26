import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { judgeName } from "../../../src/exporter/walk/name-rules.ts";
import { repositoryFolder } from "../../repository-folder.ts";

const folders = new Set(
  ".aws .git .svn .hg .bzr CVS cvs RCS SCCS _darcs .docker .github .circleci .vscode .idea".split(" "),
);

function readNames(name: string): string[] {
  const text = readFileSync(join(repositoryFolder(), "fixtures/names", name), "latin1");
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("# "));
}

test("what people leave in document roots is held back", () => {
  const names = readNames("private.txt");
  assert.ok(names.length >= 400);
  const out = names.filter((name) => judgeName(name, folders.has(name)) === undefined);
  assert.deepEqual(out, []);
});

// Each name by another rule; without its rule it would be of an unknown type, hidden or a backup, which has other ways out.
for (const [rule, names] of [
  ["private-data", "id_ed25519_sk laptop-rsa deploy_key viminfo hs_err_pid123 wg0.conf mysql-bin.000001 shop_db.zip"],
  ["private-data", ".backup.sql ~$accounts.xlsx backup.tar.gz core-dump"],
  [
    "server-configuration",
    "appsettings.Production.json app.pubxml main.tf nginx.conf php.ini settings.py wp-config.txt",
  ],
  ["server-configuration", "requirements-dev.txt #wp-config.php# wp-config.php.swp settings.rb"],
  ["hidden", ".debug.log"],
] as const)
  test(`${names}: ${rule}`, () => {
    for (const name of names.split(" ")) assert.equal(judgeName(name, false), rule, name);
  });

test("what sites publish goes out", () => {
  const names = readNames("public.txt");
  assert.ok(names.length >= 300);
  const held = names.filter((name) => judgeName(name, false) !== undefined);
  assert.deepEqual(held, []);
});

test("a secret stays one under every ending that copies, rotates, dates, packs or encrypts it", () => {
  const secrets = [
    "wp-config.php",
    "id_rsa",
    "dump.sql",
    "credentials.json",
    "error_log",
    "docker-compose.yml",
    ".env",
  ];
  const endings =
    ".bak .BAK ~ .old .orig .save .swp .1 .20260101 .2026-01-01 -20260101 .gz .bz2 .xz .zst .7z .gpg _old -old _copy .copy .bak.gz .2026-01-01.gz .old~ .1.gz";
  for (const secret of secrets) {
    for (const ending of endings.split(" ")) {
      for (const name of [secret + ending, (secret + ending).toUpperCase()])
        assert.notEqual(judgeName(name, false), undefined, name);
    }
  }
  for (const stem of ["credentials", "wp-config", "backup", "service-account"]) {
    const ending = { credentials: "json", "wp-config": "php", backup: "zip", "service-account": "json" }[stem];
    for (const mark of ["-old", "_copy", " (1)", "-20260101", "_2026-01-01", "-1", ".prod", " - Copy", "-bak"])
      assert.notEqual(judgeName(`${stem}${mark}.${ending}`, false), undefined, `${stem}${mark}.${ending}`);
  }
});

test("no name takes long to judge", () => {
  for (const piece of ["-", "2026-01-01", ".old", "_copy", "a.", "-1", " (1)", "key-", "api_", "backup-", "1"]) {
    const name = piece.repeat(256).slice(0, 250);
    for (const ending of ["", ".json", ".zip", ".txt", ".x"]) {
      const begun = process.cpuUsage();
      judgeName(name + ending, false);
      const { user } = process.cpuUsage(begun);
      assert.ok(user < 1_000_000, `${name}${ending}: ${user} us`);
    }
  }
});
