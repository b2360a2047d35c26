import yargs, { type Argv } from "yargs";
import { nearestWord } from "../config/index.ts";
import { TidemarkError } from "../core/index.ts";
import { changesCommand } from "./changes/changes-command.ts";
import { crawlCommand } from "./crawl/crawl-command.ts";
import { demoCommand } from "./demo/demo-command.ts";
import { exportCommand } from "./export/export-command.ts";
import { initCommand } from "./init/init-command.ts";
import { planCommand } from "./plan/plan-command.ts";
import { reportCommand } from "./report/report-command.ts";
import { serveCommand } from "./serve/serve-command.ts";
import { sitesCommand } from "./sites/sites-command.ts";
import { statusCommand } from "./status/status-command.ts";
import { type Command, commonOptions, type Run } from "./terminal/command.ts";
import { flagOption, type RawArguments } from "./terminal/option.ts";
import { topCommand } from "./top/top-command.ts";
import { verifyCommand } from "./verify/verify-command.ts";
import { verifyMirrorCommand } from "./verify/verify-mirror-command.ts";

const commands: readonly Command[] = [
  initCommand,
  exportCommand,
  statusCommand,
  verifyCommand,
  crawlCommand,
  topCommand,
  sitesCommand,
  changesCommand,
  verifyMirrorCommand,
  reportCommand,
  planCommand,
  serveCommand,
  demoCommand,
];

/** A program with commands. */
export interface Program {
  /** How its command line begins. */
  readonly name: string;
  readonly about: string;
  readonly commands: readonly Command[];
}

/** `tidemark` */
export const tidemark: Program = {
  name: "tidemark",
  about: "Publish what changed on a web site, and fetch only that.",
  commands,
};

/** What a command line asks for. */
export type CommandLine =
  | { readonly kind: "print"; readonly text: string }
  | { readonly kind: "run"; readonly json: boolean; readonly quiet: boolean; readonly run: Run };

function optionsOf(command: Command): Command["options"] {
  return { ...command.options, ...commonOptions };
}

/**
 * Reads a command line.
 *
 * @param argv - without the program's own name
 * @param columns - width of the help in characters
 * @throws TidemarkError `bad-option`
 */
export function parseCommandLine(
  argv: readonly string[],
  version: string,
  columns: number,
  program: Program = tidemark,
): CommandLine {
  const { name: programName, about, commands } = program;
  const [word = "", ...rest] = argv;
  const isAsking = argv.includes("--help") || argv.includes("--version");
  const named = isAsking ? undefined : commands.find((command) => nameOf(command) === word);
  let chosen: { command: Command; args: RawArguments } | undefined;
  const parser = yargs()
    .scriptName(programName)
    .locale("en")
    .exitProcess(false)
    .parserConfiguration({
      "camel-case-expansion": false,
      "boolean-negation": false,
      "dot-notation": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
    })
    .strict();
  // yargs lays the help out for every command that runs, but for the one that needs no name.
  if (named === undefined)
    parser
      .usage(`$0 <command>\n\n${about}`)
      .version(version)
      .wrap(columns)
      .demandCommand(1, "No command is given.")
      .epilogue(`\`${programName} <command> --help\` explains a command.`);
  for (const command of named === undefined ? commands : [named])
    addCommand(parser, programName, command, named !== undefined, (args) => {
      chosen = { command, args };
    });
  let text = "";
  let failure: string | undefined;
  parser.parse(named === undefined ? [...argv] : rest, {}, (error, _, output) => {
    if (error) failure = error.message;
    text = output;
  });
  if (failure !== undefined) throw usageError(failure, argv, program);
  if (chosen === undefined) return { kind: "print", text: `${text}\n` };
  const { command, args } = chosen;
  return {
    kind: "run",
    json: flagOption(args, "json") || args.format === "json",
    quiet: flagOption(args, "quiet"),
    run: command.plan(args),
  };
}

function nameOf({ usage }: Command): string {
  return usage.split(" ")[0] ?? "";
}

/** @param isOnly - whether the command line names it already, and wants to know nothing of it */
function addCommand(
  parser: Argv,
  programName: string,
  command: Command,
  isOnly: boolean,
  onChosen: (args: RawArguments) => void,
): void {
  const options = optionsOf(command);
  parser.command(
    isOnly ? command.usage.replace(nameOf(command), "$0") : command.usage,
    command.describe,
    (own) => {
      for (const [name, describe] of Object.entries(command.positionals))
        own.positional(name, { type: "string", describe });
      if (isOnly) return own.version(false).options(withoutHelp(options));
      const examples = command.examples.map(([example, meaning]) => `  ${programName} ${example}\n      ${meaning}`);
      return own.options(options).epilogue(`Examples:\n${examples.join("\n")}`);
    },
    onChosen,
  );
}

function withoutHelp(options: Command["options"]): Command["options"] {
  return Object.fromEntries(
    Object.entries(options).map(([name, { describe: _, ...option }]) => [name, { ...option, hidden: true }]),
  );
}

function usageError(failure: string, argv: readonly string[], { name: programName, commands }: Program): TidemarkError {
  const names = commands.map(nameOf);
  const given = argv.find((word) => !word.startsWith("-")) ?? "";
  const command = commands[names.indexOf(given)];
  const help = command === undefined ? `\`${programName} --help\`` : `\`${programName} ${given} --help\``;
  const unknown = /^Unknown (?:arguments?|commands?): (.*)$/.exec(failure)?.[1]?.split(", ") ?? [];
  if (unknown.length > 0 && command === undefined) {
    const near = nearestWord(given, names);
    const hint = near === undefined ? `See ${help}.` : `Did you mean \`${programName} ${near}\`? See ${help}.`;
    const isOption = given === "";
    return new TidemarkError(
      "bad-option",
      isOption ? `Unknown option: --${unknown.join(", --")}.` : `Unknown command: ${given}.`,
      { hint },
    );
  }
  const word = unknown[0];
  if (word !== undefined && command !== undefined) {
    if (!argv.some((one) => [`-${word}`, `--${word}`].includes(one.split("=")[0] ?? ""))) {
      return new TidemarkError("bad-option", `One argument too many: ${word}.`, { hint: `See ${help}.` });
    }
    const near = nearestWord(word, Object.keys(optionsOf(command)));
    const hint = near === undefined ? `See ${help}.` : `Did you mean --${near}? See ${help}.`;
    return new TidemarkError("bad-option", `Unknown option: --${word}.`, { hint });
  }
  return new TidemarkError("bad-option", readable(failure, command), { hint: `See ${help}.` });
}

function readable(failure: string, command: Command | undefined): string {
  const needed = Object.keys(command?.positionals ?? {})[0];
  if (/^Not enough non-option arguments/.test(failure) && needed !== undefined) return `${needed} is missing.`;
  const valueless = /^Not enough arguments following: (.*)$/.exec(failure)?.[1];
  if (valueless !== undefined) return `--${valueless} needs a value.`;
  const missing = /^Missing required arguments?: (.*)$/.exec(failure)?.[1];
  if (missing !== undefined)
    return `${missing
      .split(", ")
      .map((name) => `--${name}`)
      .join(", ")} is missing.`;
  return failure.split("\n")[0] ?? failure;
}
