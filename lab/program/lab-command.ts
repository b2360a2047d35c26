import type { Program } from "../../src/cli/command-line.ts";
import type { Command } from "../../src/cli/terminal/command.ts";
import { argument, type RawArguments, readSettings } from "../../src/cli/terminal/option.ts";
import { settingRow as row } from "../../src/config/setting.ts";
import { flag, path, texts, wholeNumber } from "../../src/config/setting-kind.ts";
import { TidemarkError } from "../../src/core/error.ts";
import type { LabArguments } from "./lab-run.ts";

function readGiven(params: readonly string[]): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  for (const param of params) {
    const at = param.indexOf("=");
    const name = param.slice(0, Math.max(0, at));
    if (name === "")
      throw new TidemarkError("bad-option", `--param ${param}: not a name and a value.`, {
        hint: "Write --param days=30.",
      });
    if (given.has(name)) throw new TidemarkError("bad-option", `--param ${name} is given more than once.`);
    given.set(name, param.slice(at + 1));
  }
  return given;
}

const runOptions = {
  seed: row("seed", wholeNumber(0, 2 ** 32 - 1), "What random numbers are made from", { default: "1" }),
  out: row("out", path, "Write rows, figures and a page into this folder"),
  threads: row("threads", wholeNumber(1, 256), "Threads that run experiments; the results do not depend on it", {
    default: "one a processor",
  }),
};
const param = row("param", texts, "A parameter of the experiment, such as days=30");
const full = row("full", flag, "The values that run takes, at the papers' scale");

function planLab(action: LabArguments["action"], args: RawArguments): LabArguments {
  const {
    params = [],
    isFull,
    seed = 1,
    out,
    threads,
  } = readSettings(args, { ...runOptions, params: param, isFull: full });
  return {
    action,
    name: argument(args, "experiment") || undefined,
    given: readGiven(params),
    setting: action === "all" && isFull !== true ? "quick" : "whole",
    seed,
    out,
    threads,
  };
}

const commandOf = (action: LabArguments["action"], command: Omit<Command, "plan">): Command => ({
  ...command,
  plan: (args) => {
    const options = planLab(action, args);
    return async (context) => (await import("./lab-run.ts")).runLabCommand(options, context);
  },
});

const commands: readonly Command[] = [
  commandOf("list", {
    usage: "list [experiment]",
    describe: "List the experiments, their parameters and the published numbers",
    positionals: { experiment: "Its name; all if it is left out" },
    options: {},
    examples: [["list freshness", "the parameters of one experiment"]],
  }),
  commandOf("run", {
    usage: "run <experiment>",
    describe: "Run one experiment",
    positionals: { experiment: "Its name" },
    options: {
      ...runOptions,
      param,
    },
    examples: [["run freshness --param days=200", "one, other than it is in the paper"]],
  }),
  commandOf("all", {
    usage: "all",
    describe: "Run every experiment",
    positionals: {},
    options: {
      ...runOptions,
      full,
    },
    examples: [["all --out lab", "every experiment, quickly; lab/index.html shows them all"]],
  }),
];

/** The lab's own program. */
export const lab: Program = {
  name: "npm run lab --",
  about: "Run the experiments of the papers that Tidemark grew from, and compare the numbers.",
  commands,
};
