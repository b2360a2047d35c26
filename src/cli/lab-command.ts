import { TidemarkError } from "../model/index.ts";
import { nearestWord } from "../settings/index.ts";
import { type Command, valueOption } from "./command.ts";
import { flagOption, integerOption, listOption, type RawArguments, textOption } from "./option.ts";

const actions = ["list", "run", "all"] as const;

/** What the command line says about the lab. */
export interface LabArguments {
  readonly action: (typeof actions)[number];
  /** The experiment that is named; undefined for all. */
  readonly name: string | undefined;
  /** Texts by the parameter's name. */
  readonly given: ReadonlyMap<string, string>;
  readonly setting: "quick" | "whole";
  readonly seed: number;
  readonly out: string | undefined;
  readonly threads: number | undefined;
}

function planLab(args: RawArguments): LabArguments {
  const typed = textOption(args, "action") ?? "";
  const action = actions.find((one) => one === typed);
  if (action === undefined) {
    const near = nearestWord(typed, actions);
    const hint = near === undefined ? "See `tidemark lab --help`." : `Did you mean \`tidemark lab ${near}\`?`;
    throw new TidemarkError("bad-option", `lab ${typed}: not one of ${actions.join(", ")}.`, { hint });
  }
  const name = textOption(args, "experiment");
  if (action === "run" && name === undefined)
    throw new TidemarkError("bad-option", "experiment is missing.", { hint: "See `tidemark lab list`." });
  if (action === "all" && name !== undefined)
    throw new TidemarkError("bad-option", `One argument too many: ${name}.`, {
      hint: `Run one experiment with \`tidemark lab run ${name}\`.`,
    });
  const given = readGiven(listOption(args, "param"));
  const isFull = flagOption(args, "full");
  if (action !== "run" && given.size > 0) throw new TidemarkError("bad-option", "--param is of `tidemark lab run`.");
  if (action !== "all" && isFull) throw new TidemarkError("bad-option", "--full is of `tidemark lab all`.");
  return {
    action,
    name,
    given,
    setting: action === "all" && !isFull ? "quick" : "whole",
    seed: integerOption(args, "seed", 0, 2 ** 32 - 1) ?? 1,
    out: textOption(args, "out"),
    threads: integerOption(args, "threads", 1, 256),
  };
}

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

/** `tidemark lab` */
export const labCommand: Command = {
  usage: "lab <action> [experiment]",
  describe: "Run the experiments of the papers that this program grew from, and compare the numbers",
  positionals: {
    action: "list (the experiments), run (one of them) or all",
    experiment: "Its name",
  },
  options: {
    param: valueOption("A parameter of the experiment, such as days=30 (repeatable)"),
    seed: valueOption("What random numbers are made from (1)"),
    out: valueOption("Write rows, figures and a page into this folder"),
    threads: valueOption("Threads that run experiments; the results do not depend on it (one a processor)"),
    full: { type: "boolean", describe: "With all: the values that run takes, at the papers' scale" },
  },
  examples: [
    ["lab all --out lab", "every experiment, quickly; lab/index.html shows them all"],
    ["lab run freshness --param days=200", "one, other than it is in the paper"],
  ],
  plan: (args) => {
    const options = planLab(args);
    return async (context) => (await import("./lab-run.ts")).runLabCommand(options, context);
  },
};
