import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tidemark } from "../../src/cli/command-line.ts";
import { formatCompletionScript, type Shell, shells } from "../../src/cli/terminal/completion-script.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { requireProgram, skipWithout } from "./programs.ts";

const page = join(repositoryFolder(), "dist", "man", "tidemark.1");

test("mandoc finds nothing to warn of in the man page", { skip: skipWithout("mandoc") }, () => {
  const { status, stdout } = spawnSync(requireProgram("mandoc"), ["-T", "lint", "-W", "warning", page], {
    encoding: "utf8",
  });
  assert.equal(stdout, "");
  assert.equal(status, 0);
});

test("the man page shows every command and option as it is typed", { skip: skipWithout("mandoc") }, () => {
  const { stdout } = spawnSync(requireProgram("mandoc"), ["-T", "ascii", "-O", "width=200", page], {
    encoding: "utf8",
  });
  const text = stdout.replace(/.\u0008/g, "");
  for (const { usage, options, examples } of tidemark.commands) {
    assert.ok(text.includes(`tidemark ${usage}`), usage);
    for (const { option, isDeprecated } of Object.values(options))
      assert.equal(text.includes(`--${option}`), !isDeprecated, option);
    for (const [example] of examples) assert.ok(text.includes(`tidemark ${example}`), example);
  }
});

/** What a shell is told that a line can go on with. */
const questions: Readonly<Record<Shell, (script: string) => string>> = {
  bash: (script) => `. ${script}; tidemark() { echo crawl; echo changes; }; export -f tidemark
    COMP_WORDS=(tidemark cr); COMP_CWORD=1; _tidemark; echo "\${COMPREPLY[@]}"`,
  zsh: (script) => `compdef() { :; }; . ${script}; _describe() { echo $found; }; tidemark() { echo crawl:fetch; }
    words=(tidemark cr); _tidemark`,
  fish: (script) => `source ${script}; complete -C 'tidemark cr'; complete -C 'tidemark crawl --int'`,
};
const answers: Readonly<Record<Shell, RegExp>> = {
  bash: /^crawl\n$/,
  zsh: /^crawl:fetch\n$/,
  fish: /^crawl\tCreate or update.*\n--into\tFolder for the mirror.*\n$/,
};

for (const shell of shells)
  test(`${shell} completes by its script`, { skip: skipWithout(shell) }, () => {
    using temp = makeTempFolder("completion");
    const script = join(temp.path, "script");
    writeFileSync(script, formatCompletionScript(shell, tidemark.commands));
    const env = { PATH: process.env.PATH, HOME: temp.path };
    const { stdout, stderr } = spawnSync(requireProgram(shell), ["-c", questions[shell](script)], {
      encoding: "utf8",
      env,
    });
    assert.equal(stderr, "");
    assert.match(stdout, answers[shell]);
  });
