import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { serveFolder } from "../../src/server/folder-server.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";

const run = promisify(execFile);
const root = repositoryFolder();
const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const packageOf = (path: string): string | undefined => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
/** Packages in each file of the bundle. */
const bundled: Readonly<Record<string, readonly string[]>> = readJson(join(root, "dist", "bundle.json"));
/** Packages that some command can do without: the larger ones, and those of one option. */
const optional: ReadonlySet<string> = new Set([
  "@aws-sdk/client-s3",
  ...[
    "@mozilla/readability",
    "@observablehq/plot",
    "archiver",
    "chokidar",
    "css-select",
    "fast-glob",
    "franc-min",
    "htmlparser2",
  ],
  ...[
    "jsonc-parser",
    "libsql",
    "linkedom",
    "micromatch",
    "postgres",
    "saxes",
    "tough-cookie",
    "undici",
    "web-bot-auth",
    "yauzl",
  ],
  "zod",
]);

/** Runs the program; the optional packages of which it loaded something, in the bundle or outside. */
async function packagesOf(folder: string, args: readonly string[]): Promise<string[]> {
  const coverage = join(folder, `coverage-${readdirSync(folder).length}`);
  const env = { PATH: process.env.PATH, HOME: folder, NODE_V8_COVERAGE: coverage };
  await run(process.execPath, [join(root, "bin", "tidemark.js"), ...args], { env, timeout: 60_000 });
  const scripts: string[] = readdirSync(coverage).flatMap((file) =>
    readJson(join(coverage, file)).result.map(({ url }: { readonly url: string }) => url),
  );
  const files = scripts.filter((url) => url.startsWith("file:")).map((url) => relative(root, fileURLToPath(url)));
  const packages = files.flatMap((path) => [...(bundled[path] ?? []), path].map(packageOf));
  return [...new Set(packages)].filter((name) => name !== undefined && optional.has(name)).sort() as string[];
}

/** Where the commands of a row work. */
interface Places {
  readonly docroot: string;
  readonly state: string;
  readonly url: string;
  readonly mirror: string;
  readonly folder: string;
  readonly packed: string;
  readonly config: string;
}

const reading = ["@mozilla/readability", "css-select", "franc-min", "htmlparser2", "libsql", "linkedom"];
const crawling = ["libsql", "saxes", "undici"];
// Each row needs what the rows above it made.
const rows: ReadonlyArray<readonly [string, (places: Places) => readonly string[], readonly string[]]> = [
  ["--version", () => ["--version"], []],
  ["--help", () => ["--help"], []],
  ["the help of a command", () => ["crawl", "--help"], []],
  ["an export of one page", (at) => exportOf(at), []],
  ["patterns of paths", (at) => exportOf(at, "--exclude", "*.log"), ["fast-glob", "micromatch"]],
  ["a selector", (at) => exportOf(at, "--ignore", ".x"), ["css-select", "htmlparser2"]],
  ["a configuration file", (at) => ["export", "--config", at.config], ["jsonc-parser", "zod"]],
  ["a crawl", (at) => crawlOf(at), crawling],
  ["objects in a folder", (at) => crawlOf(at, "--keep", "objects", "--objects", join(at.folder, "objects")), crawling],
  ["cookies", (at) => crawlOf(at, "--cookies", "/dev/null"), [...crawling, "tough-cookie"]],
  ["a key", ({ folder }) => ["identity", "init", "--agent", "https://a.example/", "--into", folder], []],
  ["signatures", (at) => crawlOf(at, "--identity", join(at.folder, "identity.json")), [...crawling, "web-bot-auth"]],
  ["a package", ({ url, packed }) => ["crawl", url, "--into", packed, "--keep", "wacz"], [...crawling, "archiver"]],
  ["a search index", ({ mirror, folder }) => ["feed", mirror, "--to", `sqlite:${join(folder, "index.db")}`], reading],
  ["a report", ({ mirror }) => ["report", mirror], ["libsql"]],
];

const exportOf = ({ docroot, url, state }: Places, ...more: readonly string[]): string[] => [
  "export",
  docroot,
  "--base-url",
  url,
  "--state",
  state,
  ...more,
];
const crawlOf = ({ url, mirror }: Places, ...more: readonly string[]): string[] => [
  "crawl",
  url,
  "--into",
  mirror,
  ...more,
];

describe("packages that a command loads", () => {
  it("are those that it uses", { timeout: 240_000 }, async () => {
    using temp = makeTempFolder("loaded");
    const folder = temp.path;
    const [docroot, state, mirror] = ["docroot", "state", "mirror"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(docroot);
    writeFileSync(join(docroot, "index.html"), "<title>One</title><p>The tide comes in. <a href='/'>again</a>");
    await using server = await serveFolder({ folder: docroot });
    const places: Places = {
      docroot,
      state,
      url: new URL(server.url).href,
      mirror,
      folder,
      packed: join(folder, "packed"),
      config: join(folder, "sites.json"),
    };
    writeFileSync(places.config, JSON.stringify({ sites: [{ docroot, baseUrl: places.url, stateDir: state }] }));
    for (const [name, argumentsOf, expected] of rows)
      assert.deepEqual([name, await packagesOf(folder, argumentsOf(places))], [name, [...expected].sort()]);
  });
});
