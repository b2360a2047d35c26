import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { makeTempFolder } from "../temp-folder.ts";
import { skipWithout } from "./programs.ts";
import { runWatchBurst } from "./watch-burst.ts";

const burst = { files: 5000, changes: 2000, burstMs: 1500, seed: 20_261_121 };
const skip = skipWithout("nginx");

// A user namespace has limits of its own, user_namespaces(7), so that nobody else's programs run out of watches.
const under = (limit: string): string[] => [
  ...["unshare", "--user", "--map-root-user", "sh", "-c"],
  `echo ${limit} && exec "$0" "$@"`,
];
const fewWatches = "40 > /proc/sys/user/max_inotify_watches";

function spawnUnder(limit: string, ...command: readonly string[]): SpawnSyncReturns<string> {
  const [program = "", ...args] = [...under(limit), ...command];
  return spawnSync(program, args, { encoding: "utf8", timeout: 60_000 });
}

const skipUnlimited = spawnUnder(fewWatches, "true").status === 0 ? false : "no user namespaces here";

test("a burst of changes is published as it settles, and the mirror equals the site", { skip }, async () => {
  const report = await runWatchBurst({ ...burst, options: ["--settle", "1s"] });
  assert.ok(
    report.rounds.every((because) => because === "changes"),
    report.rounds.join(),
  );
  assert.deepEqual(report.warnings, []);
  assert.ok(report.visits > 1);
});

test("with too few watches everything is looked at again and again, and the mirror equals the site", {
  skip: skip || skipUnlimited,
}, async () => {
  const options = ["--settle", "1s", "--rescan", "3s"];
  const report = await runWatchBurst({ ...burst, options, under: under(fewWatches) });
  assert.deepEqual(report.warnings, ["inotify-watches"]);
  assert.ok(report.rounds.includes("watcher-failed"), report.rounds.join());
});

/** Watches a site of so many folders by the library alone. */
function runLimited(folders: number, limit: string): { readonly [key: string]: unknown } {
  using temp = makeTempFolder("watch-limit");
  for (let at = 0; at < folders; at++) {
    mkdirSync(join(temp.path, `f${at}`));
    writeFileSync(join(temp.path, `f${at}/x.html`), "x");
  }
  const program = fileURLToPath(new URL("./watch-limit-program.js", import.meta.url));
  const { stdout, stderr, status } = spawnUnder(limit, process.execPath, program, temp.path);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

test("the kernel's limit of watches: what is said, what stands, and scans for the rest", {
  skip: skipUnlimited,
}, () => {
  const { counts, warnings, rounds } = runLimited(59, fewWatches);
  assert.deepEqual(counts, { folders: 60, watched: 40 });
  assert.match(
    String(warnings),
    /^20 of 60 folders .*: user\.max_inotify_watches is 40 and 60 are needed\. Run: sysctl user\.max_inotify_watches=1024 /,
  );
  assert.deepEqual(rounds, ["scan start", "folders 39", "scan watcher-failed"]);
});

test("the kernel's limit of instances: no watch at all, and scans", { skip: skipUnlimited }, () => {
  const { counts, warnings, rounds } = runLimited(3, "0 > /proc/sys/user/max_inotify_instances");
  assert.deepEqual(counts, { folders: 4, watched: 0 });
  assert.match(String(warnings), /^4 of 4 folders .*: user\.max_inotify_instances is 0 and one more is needed/);
  assert.deepEqual(rounds, ["scan start", "scan watcher-failed", "scan watcher-failed"]);
});
