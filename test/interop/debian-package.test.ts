import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { runOnMachine, skipWithoutMachine } from "./fresh-machine.ts";
import { npmCacheFolder } from "./package.ts";
import { requireProgram, skipWithout } from "./programs.ts";

interface Step {
  readonly text: string;
  readonly code: number;
}

function runIn(folder: string, program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(requireProgram(program), args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, npm_config_cache: npmCacheFolder() },
  });
  assert.equal(status, 0, `${program}: ${stderr}`);
  return stdout.trim();
}

const { version } = JSON.parse(readFileSync(join(repositoryFolder(), "package.json"), "utf8")) as { version: string };

/** A package of the version before this one, `-rc.1`, and the same one as this version. */
function buildPackages(trial: string): void {
  const packed = runIn(repositoryFolder(), "npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", trial);
  runIn(trial, "tar", "-xzf", packed);
  const copy = join(trial, "package");
  for (const path of ["package-lock.json", "scripts/build-deb.sh"])
    cpSync(join(repositoryFolder(), path), join(copy, path), { recursive: true });
  const manifest = join(copy, "package.json");
  writeFileSync(
    manifest,
    JSON.stringify({ ...JSON.parse(readFileSync(manifest, "utf8")), version: `${version}-rc.1` }),
  );
  copyFileSync(runIn(trial, "bash", join(copy, "scripts", "build-deb.sh"), trial), join(trial, "first.deb"));
  runIn(trial, "dpkg-deb", "--raw-extract", "first.deb", "next");
  const control = join(trial, "next", "DEBIAN", "control");
  writeFileSync(control, readFileSync(control, "utf8").replace(/^Version: .*$/m, `Version: ${version}`));
  runIn(trial, "dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", "next", "second.deb");
}

describe("the Debian package", { skip: skipWithout("dpkg-deb", "npm") || skipWithoutMachine() }, () => {
  const steps = new Map<string, Step>();
  const done = (name: string): string => {
    const { text, code } = steps.get(name) ?? assert.fail(`no step ${name}`);
    assert.equal(code, 0, `${name}: ${text}`);
    return text;
  };
  before(() => {
    using temp = makeTempFolder("debian-package");
    const trial = join(temp.path, "trial");
    mkdirSync(join(trial, "out"), { recursive: true });
    buildPackages(trial);
    copyFileSync(join(repositoryFolder(), "test", "interop", "debian-package.sh"), join(trial, "debian-package.sh"));
    const said = runOnMachine(trial, "/bin/bash", "/trial/debian-package.sh");
    assert.ok(existsSync(join(trial, "out", "end")), `the machine did not come to its end: ${said}`);
    const names = runIn(join(trial, "out"), "ls").split("\n");
    for (const name of names.filter((name) => !name.includes(".") && name !== "end"))
      steps.set(name, {
        text: readFileSync(join(trial, "out", name), "utf8"),
        code: Number(readFileSync(join(trial, "out", `${name}.code`), "utf8")),
      });
  });

  it("installs a program that finds Node in /usr/local too, or says that it is missing", () => {
    assert.doesNotMatch(done("install"), /is needed|warning|error/i);
    assert.equal(done("version"), `${version}-rc.1\n`);
    assert.equal(done("poor-path"), `${version}-rc.1\n`);
    assert.equal(steps.get("no-node")?.code, 4);
    assert.match(steps.get("no-node")?.text ?? "", /Node is not installed: 20\.19 or later/);
  });

  it("brings units that find it, the man page, completion and the documents", () => {
    assert.equal(done("verify"), "");
    assert.match(done("lines"), /\/usr\/lib\/tidemark\/docs\n$/);
    assert.match(done("owners"), /^tidemark:x:\d+:\ntidemark-crawl:x:.*\n$/);
  });

  it("has the SQLite of Debian's C library, and of no other", () => {
    assert.match(done("sqlite"), /^linux-\w+-gnu\w*\n$/);
    assert.match(done("export"), /1 page; 1 created/);
    const { text } = steps.get("crawl") ?? assert.fail();
    assert.match(text, /could not be crawled/);
  });

  it("of a version such as 1.0.0-rc.1 is older than that of 1.0.0", () => {
    done("older");
  });

  it("keeps configuration, state and timers when it is upgraded", () => {
    assert.match(done("enabled"), /tidemark-export@site\.example\.timer/);
    done("upgrade");
    assert.equal(done("upgraded"), `${version} install ok installed`);
    assert.equal(done("configuration"), "OPTIONS=--sitemap\n");
    assert.match(done("again"), /nothing changed since/);
  });

  it("keeps them when it is removed, and leaves only pages and mirrors when it is purged", () => {
    done("remove");
    assert.match(done("kept"), /site\.example\.conf/);
    done("purge");
    const rest = done("rest").trimEnd().split("\n");
    const others = rest.filter((path) => !path.startsWith("/var/lib/tidemark-crawl"));
    assert.deepEqual(others, ["/var/www/site.example/.well-known/tidemark", ".well-known", "index.html", "robots.txt"]);
    assert.ok(rest.includes("/var/lib/tidemark-crawl"));
  });
});
