import type { Program } from "../../src/cli/command-line.ts";
import { type Command, valueOption } from "../../src/cli/terminal/command.ts";
import { flagOption, integerOption, listOption, type RawArguments, textOption } from "../../src/cli/terminal/option.ts";
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

function planLab(action: LabArguments["action"], args: RawArguments): LabArguments {
  return {
    action,
    name: textOption(args, "experiment"),
    given: readGiven(listOption(args, "param")),
    setting: action === "all" && !flagOption(args, "full") ? "quick" : "whole",
    seed: integerOption(args, "seed", 0, 2 ** 32 - 1) ?? 1,
    out: textOption(args, "out"),
    threads: integerOption(args, "threads", 1, 256),
  };
}

const commandOf = (action: LabArguments["action"], command: Omit<Command, "plan">): Command => ({
  ...command,
  plan: (args) => {
    const options = planLab(action, args);
    return async (context) => (await import("./lab-run.ts")).runLabCommand(options, context);
  },
});

const runOptions: Command["options"] = {
  seed: valueOption("What random numbers are made from (1)"),
  out: valueOption("Write rows, figures and a page into this folder"),
  threads: valueOption("Threads that run experiments; the results do not depend on it (one a processor)"),
};

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
      param: valueOption("A parameter of the experiment, such as days=30 (repeatable)"),
    },
    examples: [["run freshness --param days=200", "one, other than it is in the paper"]],
  }),
  commandOf("all", {
    usage: "all",
    describe: "Run every experiment",
    positionals: {},
    options: {
      ...runOptions,
      full: { type: "boolean", describe: "The values that run takes, at the papers' scale" },
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
