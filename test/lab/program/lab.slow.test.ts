import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { experiments } from "../../../lab/experiments.ts";
import { lab } from "../../../lab/program/lab-command.ts";
import { checkLabFolder } from "../../../lab/program/lab-folder.ts";
import { exitCodes } from "../../../src/cli/terminal/exit-code.ts";
import { endOf, runWithin } from "../../cli/run-program.ts";
import { makeTempFolder } from "../../temp-folder.ts";

type Line = Readonly<Record<string, unknown>>;
const linesOf = (stdout: string): Line[] =>
  stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const small = ["--param", "pages=300", "--param", "levels=20"];

const runLab = (...args: readonly string[]) => runWithin(lab, "", ...args);
const program = fileURLToPath(new URL("../../../lab/program/main.js", import.meta.url));

describe("the lab", () => {
  it("lists the experiments with their parameters, for people and as JSON", async () => {
    const { code, stdout } = await runLab("list");
    assert.equal(code, exitCodes.done);
    for (const { name, title } of experiments) assert.ok(stdout.includes(`${name}: ${title}\n`), name);
    assert.match(stdout, /--param pages=760000 +pages drawn \(quick: 76000\)/);
    assert.ok(stdout.split("\n").every((line) => line.length <= 100));
    const lines = linesOf((await runLab("list", "--json")).stdout);
    assert.deepEqual(
      lines.filter(({ event }) => event === "experiment").map(({ name }) => name),
      experiments.map(({ name }) => name),
    );
    assert.deepEqual(lines.at(-1), { event: "summary", experiments: experiments.length });
  });

  it("runs one experiment and prints theirs, ours, the tolerance and the verdict", async () => {
    const { code, stdout } = await runLab("run", "needless");
    assert.equal(code, exitCodes.done);
    assert.match(
      stdout,
      /^ {2}no, explained \[1\] +around 77 % +73\.7 % +within 0\.5 points of 77 % +as printed +needless share at daily visits/m,
    );
    assert.match(stdout, /^ {2}met +around 77 % +76\.6 % +within 0\.5 points of 77 %/m);
    assert.match(stdout, /^ {2}\[1\] 77 % is 1 - 23 %/m);
    assert.match(stdout, /^4 published numbers: 2 met, 2 explained; /m);
  });

  it("prints rows, verdicts and files as JSON lines, and the counts last", async () => {
    using temp = makeTempFolder();
    const out = join(temp.path, "out");
    const { code, stdout } = await runLab("run", "savings", "--out", out, "--seed", "7", "--json");
    assert.equal(code, exitCodes.done);
    const lines = linesOf(stdout);
    const count = (event: string): number => lines.filter((line) => line.event === event).length;
    assert.deepEqual([count("published"), count("file")], [3, 5]);
    const { rows, seed } = JSON.parse(readFileSync(join(out, "savings.json"), "utf8"));
    assert.deepEqual([count("row"), seed], [rows.length, 7]);
    const { elapsedMs: _, ...summary } = lines.at(-1) ?? {};
    const none = { numbers: 0, met: 0, explained: 0, missed: 0, notMeasured: 0 };
    const published = { ...none, numbers: 3, explained: 3 };
    assert.deepEqual(summary, { event: "summary", experiments: 1, published, goals: none, seed: 7 });
  });

  it("ends with the code of failed items where a number is missed that nobody explains", async () => {
    const { code, stdout } = await runLab("run", "freshness", "--param", "days=1", ...small, "--json", "--quiet");
    const { published } = linesOf(stdout).at(-1) ?? {};
    assert.ok((published as { readonly missed: number }).missed > 0);
    assert.equal(code, exitCodes.itemsFailed);
    assert.ok(!stdout.includes('"event":"row"'));
  });

  it("says what share of a graph's pages can be reached, where that is little", async () => {
    using temp = makeTempFolder();
    const [graph, names] = [join(temp.path, "arcs"), join(temp.path, "names")];
    // Of ten pages of one site, a ring of three that one of the others leads to.
    writeFileSync(graph, "0 1\n1 2\n2 0\n9 0\n");
    writeFileSync(names, Array.from({ length: 10 }, (_, node) => `${node}\thttps://one.example/${node}\n`).join(""));
    const args = ["run", "orders", "--param", `graph=${graph}`, "--param", `names=${names}`];
    const { code, stdout } = await runLab(...args);
    assert.match(stdout, /^ {2}Only 30 % of the pages can be reached by links from the home pages; the others$/m);
    // What the paper found of its own graph is no measure of this one.
    assert.match(stdout, /^7 published numbers: 0 met, 0 explained, 7 not measured; /m);
    assert.equal(code, exitCodes.done);
    const note = linesOf((await runLab(...args, "--json")).stdout).find(({ event }) => event === "note");
    assert.equal(note?.experiment, "orders");
    assert.match(String(note?.text), /^Only 30 % of the pages/);
  });

  it("looks at the folder for results before it works", async () => {
    using temp = makeTempFolder();
    const file = join(temp.path, "file");
    writeFileSync(file, "kept");
    const closed = join(temp.path, "closed");
    mkdirSync(closed, { mode: 0o555 });
    const cases: [folder: string, code: string][] = [
      [file, "not-a-folder"],
      [join(file, "below", "it"), "not-a-folder"],
    ];
    // Root may write anywhere.
    if (process.getuid?.() !== 0) cases.push([closed, "no-permission"], [join(closed, "below"), "no-permission"]);
    for (const [folder, code] of cases) await assert.rejects(checkLabFolder(folder), { code }, folder);
    await checkLabFolder(join(temp.path, "new", "folder"));
    assert.deepEqual(readdirSync(temp.path).toSorted(), ["closed", "file"]);
    // Before any of the work, which would take long.
    const { stderr } = await runLab("run", "intervals", "--param", "pages=10000000", "--out", file);
    assert.match(stderr, /file has to be a folder, but it is a file\.\n {2}Name another folder with --out/);
  });

  it("refuses a history that is too short for a league", async () => {
    using temp = makeTempFolder();
    const history = join(temp.path, "one.gz");
    writeFileSync(history, gzipSync("1000\tA\t5\tx\n"));
    const args = ["run", "planners", "--param", "scenes=history", "--param", `history=${history}`];
    const { code, stderr } = await runLab(...args, "--param", "planners=index");
    assert.equal(code, exitCodes.usage, stderr);
    assert.match(
      stderr,
      /one\.gz is too short: no page .*\n {2}Choose a longer history, or fewer days than --param days=720\./,
    );
  });

  const wrong: ReadonlyArray<readonly [readonly string[], RegExp]> = [
    [[], /No command is given/],
    [["lst"], /Unknown command: lst\.\n {2}Did you mean `npm run lab -- list`\?/],
    [["run"], /experiment is missing/],
    [["run", "freshnes"], /Unknown experiment: freshnes\.\n {2}Did you mean freshness\?/],
    [["run", "xyzzy"], /There are intervals, needless/],
    [["run", "savings", "--param", "page=3"], /no such parameter\.\n {2}Did you mean pages\?/],
    [
      ["run", "orders", "--param", "pages=1000", "--param", "sites=1001"],
      /: 1000 pages do not go into 1001 sites of 1 to 25000 pages\.\n {2}Choose --param pages, sites and cap/,
    ],
    [["run", "batch-time", "--param", "cap=1", "--param", "sites=9"], /: 10000 pages do not go into 9 sites/],
    [["run", "savings", "--param", "pages"], /not a name and a value/],
    [["run", "savings", "--param", "pages=300", "--param", "pages=400"], /given more than once/],
    [
      ["run", "planners", "--param", "scenes=poisson,burtsy"],
      /"burtsy" is not one of poisson, bursty, .*\.\n {2}Did you mean bursty\?/,
    ],
    [["run", "planners", "--param", "scenes="], /scenes=: "" is not one of poisson/],
    [["run", "planners", "--param", "planners=foo"], /"foo" is not one of round-robin, nutch/],
    [
      ["run", "orders", "--param", "names=vertices.txt.gz"],
      /names=vertices\.txt\.gz is without a graph\.\n {2}Add --param graph=FILE/,
    ],
    [["run", "savings", "--seed", "-1"], /not a whole number from 0 to 4294967295/],
    [["run", "savings", "--full"], /Unknown option: --full/],
    [["all", "--param", "pages=300"], /Unknown option: --param/],
    [["all", "savings"], /One argument too many: savings/],
  ];
  for (const [args, message] of wrong) {
    it(`refuses ${args.join(" ")}`, async () => {
      const { code, stderr, stdout } = await runLab(...args);
      assert.equal(code, exitCodes.usage, stderr);
      assert.match(stderr, message);
      assert.equal(stdout, "");
    });
  }

  it("tells a folder that the system makes for nobody", {
    skip: !existsSync("/proc/self") && "needs /proc",
  }, async () => {
    const { code, stderr } = await runLab(
      "run",
      "savings",
      "--param",
      "pages=300",
      "--out",
      "/proc/tidemark-test/below",
    );
    assert.equal(code, exitCodes.broken, stderr);
    assert.match(stderr, /ENOENT.*\/proc\/tidemark-test/);
  });

  it("leaves nothing behind at Ctrl-C, and says so by its exit code", async () => {
    using temp = makeTempFolder();
    const out = join(temp.path, "out");
    const watcher = watch(temp.path);
    // The lab's own folder is there as soon as work begins.
    const begun = once(watcher, "change");
    const child = spawn(process.execPath, [program, "run", "intervals", "--param", "pages=10000000", "--out", out], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, TMPDIR: temp.path },
    });
    await begun;
    watcher.close();
    const ended = endOf(child);
    child.kill("SIGINT");
    assert.equal((await ended).code, exitCodes.interrupted);
    assert.ok(!existsSync(out));
    assert.deepEqual(readdirSync(temp.path), []);
  });
});
