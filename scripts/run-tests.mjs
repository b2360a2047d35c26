// Runs groups of the compiled tests: node scripts/run-tests.mjs quick|slow|interop... The sources say which tests there are: what was
// compiled from a file that is gone is not run.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bundles = join("dist", "test-bundles");
/** The most files of one process: a start and the modules cost as much as a short test. */
const mostFiles = 12;
/** What changes or measures its process, or has hooks that would be those of its neighbours, has a process of its own. */
const alone = /^(before|after)(Each)?\(|process\.(umask|env|on|once|chdir|cpuUsage|memoryUsage|resourceUsage)\b|syncBuiltinESMExports/m;

const groupOf = (path) =>
  path.startsWith("interop/") ? "interop" : path.endsWith(".slow.test.ts") ? "slow" : "quick";
const isShared = (path) => groupOf(path) === "quick" && !alone.test(readFileSync(join(root, "test", path), "utf8"));
const compiled = (path) => path.replace(/ts$/, "js");

const wanted = process.argv.slice(2);
const paths = readdirSync(join(root, "test"), { recursive: true })
  .filter((path) => path.endsWith(".test.ts") && wanted.includes(groupOf(path)))
  .sort();
if (paths.length === 0) throw new TypeError("name groups of tests: quick, slow, interop");

rmSync(join(root, bundles), { recursive: true, force: true });
mkdirSync(join(root, bundles), { recursive: true });
const shared = paths.filter(isShared);
const files = paths.filter((path) => !isShared(path)).map((path) => join("dist", "test", compiled(path)));
for (let at = 0; at < shared.length; at += mostFiles) {
  const file = join(bundles, `from-${shared[at].replaceAll("/", "-").replace(/\.ts$/, "")}.mjs`);
  const lines = shared.slice(at, at + mostFiles).map((path) => `import "../test/${compiled(path)}";\n`);
  writeFileSync(join(root, file), lines.join(""));
  files.push(file);
}
// Real servers and browsers have the machine for themselves. Other tests wait now and then, when one more can work.
const concurrency = wanted.includes("interop") ? 1 : availableParallelism() + 1;
const { status } = spawnSync(process.execPath, ["--test", `--test-concurrency=${concurrency}`, ...files], {
  cwd: root,
  stdio: "inherit",
});
process.exitCode = status ?? 1;
