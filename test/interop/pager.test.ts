import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { exportDocroot, findCli } from "./command.ts";
import { requireProgram, skipWithout } from "./programs.ts";

const skip = skipWithout("python3", "less");
const script = join(repositoryFolder(), "test/interop/pseudo-terminal.py");

/** What is waited for on the terminal, and the keys that are pressed then; null is SIGTERM. */
type Step = readonly [string, string | null];

interface Screen {
  readonly shown: string;
  readonly code: number;
  /** Steps that were not reached. */
  readonly left: readonly Step[];
}

interface Terminal {
  readonly rows?: number;
  readonly steps?: readonly Step[];
  readonly environment?: Readonly<Record<string, string>>;
}

async function runOnTerminal(args: readonly string[], terminal: Terminal = {}): Promise<Screen> {
  const { rows = 10, steps = [], environment = {} } = terminal;
  const command = [process.execPath, findCli(), ...args];
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TERM: "xterm", LANG: "C.UTF-8", ...environment };
  const { stdout } = await promisify(execFile)(
    requireProgram("python3"),
    [script, String(rows), "80", JSON.stringify(steps), ...command],
    { env, timeout: 60_000 },
  );
  return JSON.parse(stdout) as Screen;
}

const help = ["crawl", "--help"];
/** Stands at the end of the help, screens below its beginning. */
const lastOfHelp = "Examples:";
const firstOfHelp = "tidemark crawl [url..]";

test("less shows a long text by the screen; who leaves it ends the program well", { skip }, async () => {
  const { shown, code, left } = await runOnTerminal(help, { steps: [["\r\n:", "q"]] });
  assert.deepEqual([code, left], [0, []]);
  assert.ok(shown.includes(firstOfHelp) && !shown.includes(lastOfHelp), shown);
  assert.doesNotMatch(shown, /EPIPE|Error|bug/);
  const end = await runOnTerminal(help, {
    steps: [
      ["\r\n:", "G"],
      ["(END)", "q"],
    ],
  });
  assert.deepEqual([end.code, end.left], [0, []]);
});

test("Ctrl-C in less ends neither it nor the program; SIGTERM ends both", { skip }, async () => {
  const stays = await runOnTerminal(help, {
    steps: [
      ["\r\n:", "\u0003"],
      // It rings the bell.
      ["\u0007", "q"],
    ],
  });
  assert.deepEqual([stays.code, stays.left], [0, []]);
  const ends = await runOnTerminal(help, { steps: [["\r\n:", null]] });
  assert.deepEqual([ends.code, ends.left], [143, []]);
});

test("Ctrl-C in a pager that it ends is an interruption", { skip }, async () => {
  const environment = { PAGER: "cat - /dev/tty" };
  const { code, left, shown } = await runOnTerminal(help, { steps: [[lastOfHelp, "\u0003"]], environment });
  assert.deepEqual([code, left], [130, []]);
  assert.doesNotMatch(shown, /EPIPE|Error|bug/);
});

const unpaged: ReadonlyArray<readonly [string, readonly string[], Terminal]> = [
  ["a screen that is high enough", help, { rows: 2000 }],
  ["--no-pager", [...help, "--no-pager"], {}],
  ["PAGER=cat", help, { environment: { PAGER: "cat" } }],
  ["a dumb terminal", help, { environment: { TERM: "dumb" } }],
  ["a pager that is not installed", help, { environment: { TIDEMARK_PAGER: "tidemark-no-such-pager" } }],
];
for (const [what, args, terminal] of unpaged)
  test(`there is no pager with ${what}`, { skip }, async () => {
    const { shown, code } = await runOnTerminal(args, terminal);
    assert.equal(code, 0);
    assert.ok(shown.includes(firstOfHelp) && shown.includes(lastOfHelp), shown.slice(-300));
  });

test("reports go through the pager of the environment, and keep their exit codes", { skip }, async () => {
  using temp = makeTempFolder("pager");
  const docroot = join(temp.path, "site");
  mkdirSync(docroot);
  for (let page = 0; page < 20; page++) writeFileSync(join(docroot, `${page}.html`), `<p>${page}`);
  const state = join(temp.path, "state");
  const site = ["--base-url", "https://pager.example/", "--state", state];
  const environment = { TIDEMARK_PAGER: "sed 's/^/paged: /'" };
  const dryRun = await runOnTerminal(["export", docroot, ...site, "--dry-run"], { environment, rows: 3 });
  assert.match(dryRun.shown, /paged: Would be published/);
  await exportDocroot(docroot, "https://pager.example/", state);
  const fine = await runOnTerminal(["status", ...site], { environment, rows: 3 });
  assert.match(fine.shown, /^paged: https:\/\/pager\.example\/: fine/m);
  assert.equal(fine.code, 0);
  writeFileSync(join(docroot, ".well-known/tidemark/index.gz"), "damaged");
  const broken = await runOnTerminal(["status", ...site], { environment, rows: 3 });
  assert.deepEqual([broken.code, /^paged: /m.test(broken.shown)], [8, true]);
  const json = await runOnTerminal(["status", ...site, "--json"], { environment, rows: 3 });
  assert.doesNotMatch(json.shown, /paged/);
  const exported = await runOnTerminal(["export", docroot, ...site], { environment, rows: 2 });
  assert.doesNotMatch(exported.shown, /paged/);
});
