import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { repositoryFolder } from "../repository-folder.ts";
import { requireProgram, skipWithout } from "./programs.ts";

const folder = join(repositoryFolder(), "systemd");
const services = readdirSync(folder).filter((name) => name.endsWith(".service"));
/** In tenths, as `--threshold` takes it. */
const worst = 25;

const readUnit = (name: string): string => readFileSync(join(folder, name), "utf8");

/** The part of a service that says what it may do. */
function sandboxOf(name: string): string[] {
  const text = readUnit(name);
  const [, sandbox = ""] = /^(# Nothing of the machine[^[]*)/m.exec(text) ?? [];
  return sandbox.trimEnd().split("\n");
}

for (const name of services) {
  test(`systemd-analyze rates ${name} 2.5 or better`, { skip: skipWithout("systemd-analyze") }, () => {
    const args = ["security", "--offline=true", `--threshold=${worst}`, "--no-pager", join(folder, name)];
    const report = execFileSync(requireProgram("systemd-analyze"), args, { encoding: "utf8" });
    assert.match(report, /Overall exposure level for .*: [0-2]\.\d /);
  });
}

test("export and watch have one sandbox", () => {
  assert.ok(sandboxOf("tidemark-export@.service").length > 20);
  assert.deepEqual(sandboxOf("tidemark-watch@.service"), sandboxOf("tidemark-export@.service"));
});

test("the crawler has the exporter's sandbox, but for the network, its user and what it writes", () => {
  const settings = (name: string): string[] => sandboxOf(name).filter((line) => !line.startsWith("#"));
  const crawler = settings("tidemark-crawl@.service");
  const exporter = settings("tidemark-export@.service");
  assert.deepEqual(
    crawler.filter((line) => !exporter.includes(line)),
    [
      "User=tidemark-crawl",
      "StateDirectory=tidemark-crawl/%i",
      "StateDirectoryMode=0755",
      "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK",
      "SocketBindDeny=any",
    ],
  );
  const lost = exporter.filter((line) => !crawler.includes(line)).map((line) => line.split("=")[0]);
  assert.deepEqual(lost, [
    "DynamicUser",
    "User",
    "SupplementaryGroups",
    "StateDirectory",
    "StateDirectoryMode",
    "ReadWritePaths",
    "PrivateNetwork",
    "IPAddressDeny",
    "RestrictAddressFamilies",
  ]);
});

test("systemd-analyze verify finds nothing wrong with the units", { skip: skipWithout("systemd-analyze") }, () => {
  for (const name of readdirSync(folder)) {
    const instance = join(folder, name.replace("@", "@example.org"));
    const { stderr } = spawnSync(requireProgram("systemd-analyze"), ["verify", "--recursive-errors=no", instance], {
      encoding: "utf8",
    });
    // The program is found on the machine on which the unit is installed.
    const told = stderr
      .split("\n")
      .filter((line) => line.includes("tidemark") && !/not executable|not found/.test(line));
    assert.deepEqual(told, []);
  }
});
