import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { exitCodes } from "../../../src/cli/terminal/exit-code.ts";
import { serveFolder } from "../../../src/server/folder-server.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";
import { parseOpenMetrics } from "../open-metrics.ts";
import { runProgram } from "../run-program.ts";

type Line = Readonly<Record<string, unknown>>;

const linesOf = (stdout: string): Line[] =>
  stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("sites of a configuration file, one after the other", () => {
  let folder: TempFolder;
  let config = "";
  const inFolder = (...names: string[]): string => join(folder.path, ...names);
  const of = (stdout: string, event: string) => linesOf(stdout).filter((line) => line.event === event);

  before(() => {
    folder = makeTempFolder();
    for (const name of ["a", "b", "c"]) {
      mkdirSync(inFolder(name, "drafts"), { recursive: true });
      writeFileSync(inFolder(name, "index.html"), `<p>${name}`);
      writeFileSync(inFolder(name, "drafts/x.html"), "x");
    }
    config = inFolder("tidemark.json");
    const sites = ["a", "b", "c"].map((name) => {
      return { baseUrl: `https://${name}.example/`, docroot: name, stateDir: `state/${name}` };
    });
    writeFileSync(config, JSON.stringify({ defaults: { exclude: ["drafts/**"] }, sites }));
  });
  after(() => folder[Symbol.dispose]());

  it("says of each that nothing was published yet", async () => {
    const { code, stdout } = await runProgram("status", "--config", config);
    assert.equal(code, exitCodes.critical);
    assert.equal(stdout.match(/^critical /gm)?.length, 6, stdout);
    assert.ok(!existsSync(inFolder("state")));
  });

  it("exports one that is picked, with options before those of the file", async () => {
    const { code, stdout, stderr } = await runProgram(
      ...["export", "--config", config, "--site", "https://b.example", "--exclude", "nothing", "--dry-run", "--json"],
    );
    assert.equal(code, exitCodes.done, stderr);
    const [summary] = of(stdout, "summary");
    assert.deepEqual([summary?.site, summary?.created], ["https://b.example/", 2]);
    assert.ok(of(stdout, "page").every((line) => line.site === undefined));
  });

  it("exports the others although one fails, and ends with the worst code", async () => {
    renameSync(inFolder("b"), inFolder("b-away"));
    const { code, stdout, stderr } = await runProgram("export", "--config", config, "--json");
    renameSync(inFolder("b-away"), inFolder("b"));
    assert.equal(code, exitCodes.broken);
    assert.match(stderr, /https:\/\/b\.example\/: Could not open the document root/);
    assert.deepEqual(
      of(stdout, "site-summary").map(({ site, created }) => [site, created]),
      [
        ["https://a.example/", 1],
        ["https://c.example/", 1],
      ],
    );
    const [failed] = of(stdout, "site-error");
    assert.deepEqual([failed?.site, failed?.code], ["https://b.example/", "not-found"]);
    const last = linesOf(stdout).at(-1);
    assert.deepEqual([last?.event, last?.sites, last?.sitesFailed, last?.pages], ["summary", 3, 1, 2]);
    assert.deepEqual(
      of(stdout, "page").map(({ site }) => site),
      ["https://a.example/", "https://c.example/"],
    );
  });

  it("says how they are doing, by text, JSON, metrics and exit code", async () => {
    const text = await runProgram("status", "--config", config);
    assert.equal(text.code, exitCodes.critical);
    assert.match(text.stdout, /^fine .* 1 page .*https:\/\/a\.example\/\ncritical .*https:\/\/b\.example\/\nfine /);
    const json = await runProgram("status", "--config", config, "--json");
    const last = linesOf(json.stdout).at(-1);
    assert.deepEqual([last?.status, last?.fine, last?.critical, json.code], ["critical", 2, 1, exitCodes.critical]);
    const file = inFolder("tidemark.prom");
    const written = await runProgram("status", "--config", config, "--openmetrics", file);
    assert.deepEqual([written.code, written.stdout], [exitCodes.critical, ""]);
    const states = parseOpenMetrics(readFileSync(file, "utf8")).filter(({ name }) => name === "tidemark_status");
    assert.deepEqual(
      states.map(({ value }) => value),
      [0, 2, 0],
    );
    const one = await runProgram("status", "--config", config, "--site", "https://a.example/", "--json");
    assert.deepEqual([one.code, linesOf(one.stdout).map(({ event }) => event)], [exitCodes.done, ["summary"]]);
    const printed = await runProgram("status", "--state", inFolder("state/a"), "--openmetrics");
    assert.ok(parseOpenMetrics(printed.stdout).length > 10);
    const quiet = await runProgram("status", "--config", config, "--quiet");
    assert.deepEqual(quiet, { code: exitCodes.critical, stdout: "", stderr: "" });
  });

  it("begins anew where one of the states is damaged", async () => {
    const file = inFolder("state/b/ledger.json.gz");
    mkdirSync(inFolder("state/b"), { recursive: true });
    writeFileSync(file, "x");
    const { code, stdout } = await runProgram("export", "--config", config);
    assert.equal(code, exitCodes.done);
    assert.match(stdout, /https:\/\/b\.example\/: 1 page; 1 created/);
    assert.equal((await runProgram("status", "--config", config, "--quiet")).code, exitCodes.done);
  });

  it("refuses what is of one site where there are several, and a site that is not there", async () => {
    const many = await runProgram("export", inFolder("a"), "--config", config);
    assert.deepEqual([many.code, many.stdout], [exitCodes.usage, ""]);
    assert.match(
      many.stderr,
      /docroot applies to one site, but the configuration has 3\.\n {2}Pick one with --site URL\./,
    );
    const none = await runProgram("export", "--config", config, "--site", "https://d.example/");
    assert.equal(none.code, exitCodes.usage);
    assert.match(none.stderr, /has no site https:\/\/d\.example\/\.\n {2}It has https:\/\/a\.example\//);
    const wrong = inFolder("wrong.json");
    writeFileSync(wrong, '{"sites": [\n]');
    const broken = await runProgram("export", "--config", wrong, "--json");
    assert.equal(broken.code, exitCodes.usage);
    assert.match(String(linesOf(broken.stdout).at(-1)?.message), /line 2, column 2: a comma or \} is missing/);
  });
});

describe("init", () => {
  it("gives the timer's OPTIONS all that it found", async () => {
    using folder = makeTempFolder();
    writeFileSync(join(folder.path, "index.html"), '<link rel="canonical" href="/">');
    writeFileSync(join(folder.path, "404.html"), "<p>gone");
    const address = ["--base-url", "https://init-test.example/", "--server", "http://127.0.0.1:9/"];
    const { stdout } = await runProgram("init", folder.path, ...address);
    assert.match(stdout, /echo 'OPTIONS=.*--exclude 404\.html --index index\.html'/);
  });

  it("writes a configuration that export takes, and does what was said", async () => {
    using folder = makeTempFolder();
    const docroot = join(folder.path, "my site");
    mkdirSync(docroot);
    writeFileSync(join(docroot, "index.html"), "<p>home");
    const server = await serveFolder({ folder: docroot, allowedHosts: ["init-test.example"] });
    try {
      const file = join(folder.path, "new.json");
      const address = ["--base-url", "https://init-test.example/", "--server", server.url];
      const printed = await runProgram("init", docroot, ...address);
      assert.equal(printed.code, exitCodes.done, printed.stderr);
      assert.match(printed.stdout, /ok {6}1 of 1 sampled pages/);
      assert.match(printed.stdout, /Would be published as created:\n {2}1 {2}text\/html/);
      assert.match(
        printed.stdout,
        /tidemark init '.*my site' --base-url https:\/\/init-test\.example\/ --server http:\S+ --write/,
      );
      for (const line of printed.stdout.split("\n")) {
        // Commands stay whole, and so does the name of a folder, which may itself be longer than a line.
        assert.ok(line.length <= 80 || /my( site|$)/.test(line) || line.startsWith("  tidemark "), line);
      }
      const { code, stdout } = await runProgram("init", docroot, ...address, "--write", file, "--json");
      assert.equal(code, exitCodes.done);
      const configuration = JSON.parse(readFileSync(file, "utf8"));
      assert.deepEqual(linesOf(stdout).at(-1)?.configuration, configuration);
      assert.match(configuration.$schema, /^file:.*\/docs\/tidemark\.schema\.json$/);
      const again = await runProgram("init", docroot, ...address, "--write", file);
      assert.equal(again.code, exitCodes.usage);
      assert.match(again.stderr, /exists already/);
      const forced = await runProgram("init", docroot, ...address, "--write", file, "--force");
      assert.equal(forced.code, exitCodes.done);
      const state = join(folder.path, "state");
      const next = [...forced.stdout.matchAll(/^ {2}(?:17 2 \* \* \* )?tidemark (.+)$/gm)];
      const commands = next.map(([, words = ""]) => words.split(" "));
      assert.deepEqual(
        commands.map(([command, ...args]) => [command, args.slice(2)]),
        [
          ["export", []],
          ["status", []],
          ["export", ["--quiet"]],
        ],
      );
      for (const words of commands.filter(([command]) => command === "export")) {
        const { code: end, stderr } = await runProgram(...words, "--state", join(folder.path, "next"));
        assert.equal(end, exitCodes.done, stderr);
      }
      rmSync(join(docroot, ".well-known"), { recursive: true });
      const exported = await runProgram("export", "--config", file, "--state", state, "--json");
      assert.equal(exported.code, exitCodes.done, exported.stderr);
      assert.deepEqual(
        [linesOf(exported.stdout).at(-1)?.created, linesOf(exported.stdout).at(-1)?.site],
        [1, "https://init-test.example/"],
      );
    } finally {
      await server.close();
    }
  });
});
