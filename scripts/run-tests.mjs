// Runs groups of the compiled tests: node scripts/run-tests.mjs quick|slow|interop... The sources say which tests there are: what was
// compiled from a file that is gone is not run.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const groupOf = (path) =>
  path.startsWith("interop/") ? "interop" : path.endsWith(".slow.test.ts") ? "slow" : "quick";

const wanted = process.argv.slice(2);
const files = readdirSync(join(root, "test"), { recursive: true })
  .filter((path) => path.endsWith(".test.ts") && wanted.includes(groupOf(path)))
  .sort()
  .map((path) => join("dist", "test", path.replace(/ts$/, "js")));
if (files.length === 0) throw new TypeError("name groups of tests: quick, slow, interop");
// Real servers and browsers have the machine for themselves.
const concurrency = wanted.includes("interop") ? 1 : availableParallelism();
const { status } = spawnSync(process.execPath, ["--test", `--test-concurrency=${concurrency}`, ...files], {
  cwd: root,
  stdio: "inherit",
});
process.exitCode = status ?? 1;
