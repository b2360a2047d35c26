import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import type { CrawlSummary } from "../../src/core/crawl-event.ts";
import type { ExportSummary } from "../../src/core/export-event.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { makeSite } from "./churn.ts";
import { compareTrees } from "./file-tree.ts";
import { bareEnvironment, installPackage, packProject } from "./package.ts";
import { requireCached, skipWithout, skipWithoutCached } from "./programs.ts";
import { createRandom } from "./random.ts";
import { findFreePort } from "./web-server.ts";

const run = promisify(execFile);
const skipWithoutNpm = skipWithout("npm");

/** Types that the library's own types need, and that are not in the package. */
function findMissingTypes(paths: readonly string[]): string[] {
  const reached = new Set(["dist/types/index.d.ts"]);
  for (const path of reached) {
    if (!paths.includes(path)) continue;
    const text = readFileSync(join(repositoryFolder(), path), "utf8");
    for (const [, target = ""] of text.matchAll(/(?:from|import\() ?"(\.[^"]+)"/g))
      reached.add(join(dirname(path), target.replace(/\.(?:ts|js)$/, ".d.ts")));
  }
  return [...reached].filter((path) => !paths.includes(path));
}

test("the package holds the program, what it shows and what its users read, and nothing else", {
  skip: skipWithoutNpm,
}, async () => {
  using temp = makeTempFolder("package");
  const packed = await packProject(temp.path);
  const wanted =
    /^(?:bin\/tidemark\.js|dist\/lib\/(?:[^/]+\.js|rank-kernel\.wasm|third-party-licenses\.txt)|dist\/man\/tidemark\.1|dist\/types\/.+\.d\.ts|docs\/(?:[^/]+\.md|savings\.svg|tidemark(?:-crawl)?\.schema\.json)|fixtures\/demo\/[^/]+|integrations\/.+|systemd\/.+)$/;
  const top = ["package.json", "README.md", "LICENSE", "CHANGELOG.md"];
  const surplus = packed.paths.filter((path) => !wanted.test(path) && !top.includes(path));
  assert.deepEqual(surplus, []);
  const needed = [
    ...["bin/tidemark.js", "dist/lib/main.js", "dist/man/tidemark.1", "dist/lib/index.js", "dist/types/index.d.ts"],
    ...[
      "dist/lib/listing-worker.js",
      "dist/lib/digest-worker.js",
      "dist/lib/rank-kernel.wasm",
      "docs/cli.md",
      "docs/operations.md",
    ],
    ...["docs/tidemark.schema.json", "docs/tidemark-crawl.schema.json"],
    ...["crawl@.service", "crawl@.timer", "export@.service", "export@.timer", "watch@.service"].map(
      (unit) => `systemd/tidemark-${unit}`,
    ),
    ...top,
  ];
  const missing = needed.filter((path) => !packed.paths.includes(path));
  assert.deepEqual(missing, []);
  assert.deepEqual(findMissingTypes(packed.paths), []);
  // A quarter of it is the application of volunteers in one file, a tenth the client of S3.
  assert.ok(packed.sizeBytes < 2_100_000, `the package has ${packed.sizeBytes} bytes`);
});

test("links of the packed documents lead to packed files", { skip: skipWithoutNpm }, async () => {
  using temp = makeTempFolder("package");
  const { paths } = await packProject(temp.path);
  const dead = paths
    .filter((path) => path.endsWith(".md"))
    .flatMap((path) => {
      const text = readFileSync(join(repositoryFolder(), path), "utf8");
      const targets = [...text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map(([, target = ""]) => target);
      return targets
        .filter((target) => !paths.includes(join(dirname(path), target)))
        .map((target) => `${path}: ${target}`);
    });
  assert.deepEqual(dead, []);
});

for (const version of [20, 22, 24]) {
  const skip = skipWithoutNpm || skipWithoutCached(`node-${version}`);
  test(`the package installs and runs on a bare Node ${version}`, { skip }, async () => {
    using temp = makeTempFolder("package");
    const node = join(requireCached(`node-${version}`), "node_modules", "node", "bin", "node");
    const installed = join(temp.path, "installed");
    const docroot = join(temp.path, "docroot");
    for (const folder of [installed, docroot]) mkdirSync(folder);
    makeSite(docroot, 100, createRandom(version));
    const tidemark = await installPackage(node, await packProject(temp.path), installed);
    const env = bareEnvironment(node, temp.path);
    const say = async (...args: string[]): Promise<string> => (await run(tidemark, args, { env })).stdout;
    const summarise = async <Summary>(...args: string[]): Promise<Summary> =>
      JSON.parse((await say(...args, "--json")).trimEnd().split("\n").at(-1) ?? "") as Summary;

    assert.match((await run(node, ["--version"], { env })).stdout, new RegExp(`^v${version}\\.`));
    const { version: own } = JSON.parse(readFileSync(join(repositoryFolder(), "package.json"), "utf8"));
    assert.equal((await say("--version")).trim(), own);

    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}/`;
    const state = join(temp.path, "state");
    const exported = await summarise<ExportSummary>("export", docroot, "--base-url", url, "--state", state);
    assert.equal(exported.pages, 100);
    const server = spawn(tidemark, ["serve", docroot, "--port", String(port), "--json"], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      await once(server.stdout, "data");
      const visit = await summarise<CrawlSummary>("crawl", url, "--into", join(temp.path, "mirror"));
      assert.equal(visit.created, 100);
    } finally {
      server.kill("SIGTERM");
    }
    assert.deepEqual(await once(server, "exit"), [0, null]);
    const withheld = new Set(["/.well-known", "/robots.txt"]);
    assert.deepEqual(compareTrees(docroot, join(temp.path, "mirror", `127.0.0.1_${port}`), withheld), []);
  });
}
