// Runs groups of the compiled tests: node scripts/run-tests.mjs quick|slow|interop... The sources say which tests there are: what was
// compiled from a file that is gone is not run.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bundles = join("dist", "test-bundles");
/** The most files of one process: a start and the modules cost as much as a short test. */
const mostFiles = 20;
/** What changes or measures its process, or has hooks that would be those of its neighbours, has a process of its own. */
const alone = /^(before|after)(Each)?\(|process\.(umask|env|on|once|chdir|cpuUsage|memoryUsage|resourceUsage)\b|syncBuiltinESMExports/m;
/** What measures time or memory, draws with a browser, or fills disks has the machine for itself. */
const timed =
  /^interop\/(figures|folded-names|graph-page|follow|fresh-machine|full-disk.*|interrupt|kill-sites|lab|politeness|watch.*)\.test\.ts$/;

const groupOf = (path) =>
  path.startsWith("interop/") ? "interop" : path.endsWith(".slow.test.ts") ? "slow" : "quick";
const isShared = (path) => groupOf(path) === "quick" && !alone.test(readFileSync(join(root, "test", path), "utf8"));

const wanted = process.argv.slice(2);
const paths = readdirSync(join(root, "test"), { recursive: true })
  .filter((path) => path.endsWith(".test.ts") && wanted.includes(groupOf(path)))
  .sort();
if (paths.length === 0) throw new TypeError("name groups of tests: quick, slow, interop");

/** Quick tests have their folders in memory, where there is room: what the disk does is for the others. A fifth of their CPU time went into it. */
const memoryBytes = 4 * 2 ** 30;
function findMemory() {
  if (wanted.join() !== "quick" || process.env.TMPDIR !== undefined) return undefined;
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    if (bavail * bsize < memoryBytes) return undefined;
    const folder = mkdtempSync("/dev/shm/tidemark-tests-");
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
    if (spawnSync(program).status === 0) return folder;
    rmSync(folder, { recursive: true });
  } catch {}
  return undefined;
}
const memory = findMemory();
const env = memory === undefined ? process.env : { ...process.env, TMPDIR: memory };
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
process.on("exit", () => memory && rmSync(memory, { recursive: true, force: true }));

rmSync(join(root, bundles), { recursive: true, force: true });
mkdirSync(join(root, bundles), { recursive: true });
const run = (files, concurrency) => {
  if (files.length === 0) return;
  const args = ["--test", `--test-concurrency=${concurrency}`, ...files];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env });
  if (status !== 0) process.exitCode = 1;
};
const compiled = (path) => join("dist", "test", path.replace(/ts$/, "js"));

const shared = paths.filter(isShared);
const files = paths.filter((path) => groupOf(path) !== "interop" && !isShared(path)).map(compiled);
for (let at = 0; at < shared.length; at += mostFiles) {
  const file = join(bundles, `from-${shared[at].replaceAll("/", "-").replace(/\.ts$/, "")}.mjs`);
  const lines = shared.slice(at, at + mostFiles).map((path) => `import "../../${compiled(path)}";\n`);
  writeFileSync(join(root, file), lines.join(""));
  files.push(file);
}
// Quick tests wait now and then, when one more can work; slow ones compare real time with virtual time.
run(files, availableParallelism() + (wanted.includes("slow") ? 0 : 1));
const interop = paths.filter((path) => groupOf(path) === "interop");
run(interop.filter((path) => !timed.test(path)).map(compiled), availableParallelism());
run(interop.filter((path) => timed.test(path)).map(compiled), 1);
