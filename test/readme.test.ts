import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { serveFolder } from "../src/server/folder-server.ts";
import { repositoryFolder } from "./repository-folder.ts";

const run = promisify(execFile);
const compiler = join(createRequire(import.meta.url).resolve("typescript/package.json"), "..", "bin", "tsc");
const library = fileURLToPath(new URL("../src/index.js", import.meta.url));
const compilerOptions = {
  target: "ES2023",
  module: "NodeNext",
  lib: ["ES2023", "ESNext.Disposable"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
};

describe("README", () => {
  let folder = "";
  before(async () => {
    // Inside the repository, so that the compiler finds Node's types.
    await mkdir(join(repositoryFolder(), ".tmp"), { recursive: true });
    folder = await mkdtemp(join(repositoryFolder(), ".tmp", "readme-"));
  });
  after(() => rm(folder, { recursive: true }));

  it("has at most 100 lines", async () => {
    const text = await readFile(join(repositoryFolder(), "README.md"), "utf8");
    assert.ok(text.split("\n").length <= 101);
  });

  it("leads to a library example that compiles and does what it says", async () => {
    const docroot = join(folder, "docroot");
    await mkdir(docroot);
    await writeFile(join(docroot, "index.html"), "<p>hello");
    await using server = await serveFolder({ folder: docroot });
    const text = await readFile(join(repositoryFolder(), "docs", "library.md"), "utf8");
    const example = /^```ts\n(.*?)^```$/ms.exec(text)?.[1] ?? assert.fail("no example");
    const origin = new URL(server.url).origin;
    const source = example
      .replaceAll('"tidemark"', JSON.stringify(library))
      .replaceAll('"/var/www/html"', JSON.stringify(docroot))
      .replaceAll('"https://example.org/"', JSON.stringify(`${origin}/`));
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    await writeFile(join(folder, "example.ts"), source);
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["example.ts"] }));
    await run(process.execPath, [compiler, "-p", folder]);
    const options = { cwd: folder, env: { ...process.env, HOME: folder } };
    const { stdout, stderr } = await run(process.execPath, [join(folder, "example.js")], options);
    assert.equal(stderr, "");
    assert.equal(
      stdout,
      "1 pages created, 0 updated\n1 pages requested\n/index.html text/html 8\ncreated /index.html 8\n",
    );
    assert.equal(
      await readFile(join(folder, "mirror", new URL(origin).host.replace(":", "_"), "index.html"), "utf8"),
      "<p>hello",
    );
  });

  it("promises a library whose types compile with those of browsers, and are checked themselves", async () => {
    const project = join(folder, "defaults");
    await mkdir(project);
    await writeFile(join(project, "use.ts"), `export { crawlSite } from ${JSON.stringify(library)};\n`);
    const defaults = { target: "ES2023", module: "NodeNext", types: ["node"], strict: true, noEmit: true };
    await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: defaults, files: ["use.ts"] }));
    const { stdout } = await run(process.execPath, [compiler, "-p", project]).catch(
      (error: { stdout: string }) => error,
    );
    assert.equal(stdout, "");
  });
});
