import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { skipWithout } from "./programs.ts";
import { runWatchBurst } from "./watch-burst.ts";

const burst = { files: 5000, changes: 2000, burstMs: 1500, seed: 20_261_121 };
const skip = skipWithout("nginx");

// A user namespace has limits of its own, user_namespaces(7), so that nobody else's programs run out of watches.
const unshare = ["unshare", "--user", "--map-root-user"] as const;
const lowered = 'echo 40 > /proc/sys/user/max_inotify_watches && exec "$0" "$@"';
const canLimit = spawnSync(unshare[0], [...unshare.slice(1), "sh", "-c", lowered, "true"]).status === 0;

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
  skip: skip !== false ? skip : canLimit ? false : "no user namespaces here",
}, async () => {
  const options = ["--settle", "1s", "--rescan", "3s"];
  const report = await runWatchBurst({ ...burst, options, under: [...unshare, "sh", "-c", lowered] });
  assert.deepEqual(report.warnings, ["inotify-watches"]);
  assert.ok(report.rounds.includes("watcher-failed"), report.rounds.join());
});
