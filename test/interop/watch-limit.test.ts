import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { makeTempFolder } from "./temp-folder.ts";

const program = fileURLToPath(new URL("./watch-limit-program.js", import.meta.url));
// A user namespace has limits of its own, user_namespaces(7), so that nobody else's programs run out of watches.
const limited = ["--user", "--map-root-user", "sh", "-c"];
const canLimit =
  spawnSync("unshare", [...limited, "echo 40 > /proc/sys/user/max_inotify_watches"], { stdio: "ignore" }).status === 0;
const skip = canLimit ? false : "no user namespaces here";

function runLimited(docroot: string, limits: string): { readonly [key: string]: unknown } {
  const { stdout, stderr, status } = spawnSync(
    "unshare",
    [...limited, `${limits} && exec "$0" "$@"`, process.execPath, program, docroot],
    { encoding: "utf8", timeout: 60_000 },
  );
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

function makeFolders(docroot: string, count: number): void {
  for (let at = 0; at < count; at++) {
    mkdirSync(join(docroot, `f${at}`));
    writeFileSync(join(docroot, `f${at}/x.html`), "x");
  }
}

test("the kernel's limit of watches: what is said, what stands, and scans for the rest", { skip }, () => {
  using temp = makeTempFolder("watch-limit");
  makeFolders(temp.path, 59);
  const { counts, warnings, rounds } = runLimited(temp.path, "echo 40 > /proc/sys/user/max_inotify_watches");
  assert.deepEqual(counts, { folders: 60, watched: 40 });
  assert.match(
    String(warnings),
    /^20 of 60 folders .*: user\.max_inotify_watches is 40 and 60 are needed\. Run: sysctl user\.max_inotify_watches=1024 /,
  );
  assert.deepEqual(rounds, ["scan start", "folders 39", "scan watcher-failed"]);
});

test("the kernel's limit of instances: no watch at all, and scans", { skip }, () => {
  using temp = makeTempFolder("watch-limit");
  makeFolders(temp.path, 3);
  const { counts, warnings, rounds } = runLimited(temp.path, "echo 0 > /proc/sys/user/max_inotify_instances");
  assert.deepEqual(counts, { folders: 4, watched: 0 });
  assert.match(String(warnings), /^4 of 4 folders .*: user\.max_inotify_instances is 0 and one more is needed/);
  assert.deepEqual(rounds, ["scan start", "scan watcher-failed", "scan watcher-failed"]);
});
