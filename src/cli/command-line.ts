import yargs, { type Argv, type Options } from "yargs";
import { nearestWord, type Setting } from "../config/index.ts";
import { TidemarkError } from "../core/index.ts";
import { changesCommand } from "./changes/changes-command.ts";
import { copyCommand } from "./copy/copy-command.ts";
import { crawlCommand } from "./crawl/crawl-command.ts";
import { demoCommand } from "./demo/demo-command.ts";
import { exportCommand } from "./export/export-command.ts";
import { feedCommand } from "./feed/feed-command.ts";
import { fleetCommand } from "./fleet/fleet-command.ts";
import { graphCommand } from "./graph/graph-command.ts";
import { identityCommand } from "./identity/identity-command.ts";
import { initCommand } from "./init/init-command.ts";
import { mergeCommand } from "./merge/merge-command.ts";
import { planCommand } from "./plan/plan-command.ts";
import { reportCommand } from "./report/report-command.ts";
import { serveCommand } from "./serve/serve-command.ts";
import { shareCommand } from "./share/share-command.ts";
import { sitesCommand } from "./sites/sites-command.ts";
import { statusCommand } from "./status/status-command.ts";
import { type Command, commonOptions, type Run } from "./terminal/command.ts";
import { formatCompletionScript, shells } from "./terminal/completion-script.ts";
import { formatCommandHelp, formatProgramHelp } from "./terminal/help-text.ts";
import { type RawArguments, yargsOptionsOf } from "./terminal/option.ts";
import { topCommand } from "./top/top-command.ts";
import { trafficCommand } from "./traffic/traffic-command.ts";
import { uploadOrderCommand } from "./upload-order/upload-order-command.ts";
import { verifyCommand } from "./verify/verify-command.ts";
import { verifyMirrorCommand } from "./verify/verify-mirror-command.ts";
import { volunteersCommand } from "./volunteers/volunteers-command.ts";
import { workCommand } from "./work/work-command.ts";

const commands: readonly Command[] = [
  initCommand,
  exportCommand,
  statusCommand,
  uploadOrderCommand,
  verifyCommand,
  crawlCommand,
  fleetCommand,
  topCommand,
  sitesCommand,
  changesCommand,
  feedCommand,
  copyCommand,
  shareCommand,
  mergeCommand,
  identityCommand,
  verifyMirrorCommand,
  reportCommand,
  trafficCommand,
  planCommand,
  graphCommand,
  volunteersCommand,
  workCommand,
  serveCommand,
  demoCommand,
];

/** A program with commands. */
export interface Program {
  /** How its command line begins. */
  readonly name: string;
  readonly about: string;
  readonly commands: readonly Command[];
  /** Commands of earlier versions, and what is typed instead. */
  readonly former?: Readonly<Record<string, string>>;
}

/** `tidemark` */
export const tidemark: Program = {
  name: "tidemark",
  about: "Publishes what changed on a web site, and fetches only the changed pages.",
  commands,
  former: { lab: "Run the lab from the repository: npm run lab -- list" },
};

/** What is asked for before any command is looked for, as the help tells it. */
const completionCommand: Command = {
  usage: "completion [shell]",
  describe: "Print a script with which a shell completes commands and options",
  positionals: { shell: `${shells.join(", ")} (default: bash or zsh, by the variable SHELL)` },
  options: {},
  examples: [
    ["completion bash >> ~/.bashrc", "for bash"],
    ["completion fish > ~/.config/fish/completions/tidemark.fish", "for fish"],
  ],
  plan: () => {
    throw new TypeError("not a command that runs");
  },
};

/** What a command line asks for. */
export type CommandLine =
  | { readonly kind: "print"; readonly text: string; readonly isPaged: boolean }
  | {
      readonly kind: "run";
      readonly json: boolean;
      readonly quiet: boolean;
      readonly isPaged: boolean;
      readonly run: Run;
    };

function optionsOf(command: Command): Readonly<Record<string, Options>> {
  return yargsOptionsOf({ ...command.options, ...commonOptions });
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
  const before = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  if (program === tidemark && ["completion", "--get-yargs-completions"].includes(argv[0] ?? ""))
    return { kind: "print", text: complete(argv, program), isPaged: false };
  if (argv.includes("--help") || before.includes("-h"))
    return { kind: "print", text: explain(before, columns, program), isPaged: !before.includes("--no-pager") };
  if (argv.includes("--version")) return { kind: "print", text: `${version}\n`, isPaged: false };
  const at = argv[0]?.startsWith("-") ? before.findIndex((word) => findCommand(program, word) !== undefined) : 0;
  const command = findCommand(program, argv[at] ?? "");
  if (command === undefined) throw noCommand(argv, program);
  const args = parseArguments(command, argv.toSpliced(at, 1));
  checkNames(command, args, `${program.name} ${nameOf(command)}`);
  const json = args.json === true || args.format === "json";
  return {
    kind: "run",
    json,
    quiet: args.quiet === true,
    isPaged: !json && args["no-pager"] !== true && command.isPaged?.(args) === true,
    run: command.plan(args),
  };
}

function nameOf({ usage }: Command): string {
  return usage.split(" ")[0] ?? "";
}

function findCommand({ commands }: Program, word: string): Command | undefined {
  return commands.find((command) => nameOf(command) === word);
}

function makeParser(): Argv {
  return yargs().locale("en").exitProcess(false).parserConfiguration({
    "camel-case-expansion": false,
    "boolean-negation": false,
    "dot-notation": false,
    "parse-numbers": false,
    "parse-positional-numbers": false,
  });
}

function addCommand(parser: Argv, command: Command, usage: string, more: (own: Argv) => Argv = (own) => own): void {
  parser.command(usage, command.describe, (own) => {
    for (const [name, describe] of Object.entries(command.positionals))
      own.positional(name, { type: "string", describe });
    return more(own.options(optionsOf(command)));
  });
}

function explain(words: readonly string[], columns: number, program: Program): string {
  const command = words.map((word) => findCommand(program, word)).find((found) => found !== undefined);
  if (command !== undefined) return formatCommandHelp(program.name, command, columns);
  if (words[0] !== undefined && /^[^-]/.test(words[0])) throw noCommand(words, program);
  const commands = program === tidemark ? [...program.commands, completionCommand] : program.commands;
  return formatProgramHelp({ ...program, commands }, columns);
}

/** The script for a shell, or what a script asks: the words that may follow. */
function complete(argv: readonly string[], { name, commands }: Program): string {
  const [first, shell] = argv;
  if (first === "completion") {
    if (argv.includes("--help") || argv.includes("-h")) return formatCommandHelp(name, completionCommand, 80);
    const known = shells.find((one) => one === shell);
    if (known !== undefined) return formatCompletionScript(known, commands);
    if (shell !== undefined && !shell.startsWith("-"))
      throw new TidemarkError("bad-option", `${JSON.stringify(shell)}: not one of ${shells.join(", ")}.`, {
        hint: "See `tidemark completion --help`.",
      });
  }
  const parser = makeParser().scriptName(name);
  for (const command of commands) addCommand(parser, command, command.usage);
  parser.completion("completion", completionCommand.describe);
  let text = "";
  parser.parse([...argv], {}, (_, __, output) => {
    text = output;
  });
  return `${text}\n`;
}

/** Stands for `-` as an argument, which yargs would leave out: no word of a command line has a NUL. */
const loneDash = "\0";

/** What stands on a command line, by name; whether all of that is known, and there, is for {@link checkNames}. */
function parseArguments(command: Command, words: readonly string[]): RawArguments {
  const parser = makeParser().help(false).version(false);
  // To yargs every positional may be left out: what it says of one that is missing is its own English.
  const usage = command.usage.replace(nameOf(command), "$0").replaceAll("<", "[").replaceAll(">", "]");
  addCommand(parser, command, usage);
  const args: Record<string, unknown> = parser.parseSync(
    prepareWords(words, Object.values({ ...command.options, ...commonOptions })),
  );
  // To yargs what follows `--` is surplus; here these are arguments, which may begin with a dash.
  const restore = (word: unknown): unknown => (word === loneDash ? "-" : word);
  const surplus = (args._ as unknown[]).map(restore);
  for (const name of Object.keys(command.positionals)) {
    const given = args[name];
    args[name] = Array.isArray(given) ? given.map(restore) : restore(given);
    const isList = command.usage.includes(`[${name}..]`);
    if (isList) args[name] = [...((args[name] ?? []) as unknown[]), ...surplus.splice(0)];
    else if (args[name] === undefined) args[name] = surplus.shift();
  }
  return { ...args, _: surplus };
}

/** Says what yargs would take otherwise: `--urls -`, `--dry-run=yes`, `--into -x`. */
function prepareWords(words: readonly string[], settings: readonly Setting[]): string[] {
  const find = (name: string): Setting | undefined => settings.find(({ option }) => option === name);
  const isKnown = (word: string): boolean =>
    settings.some(({ option, alias, former }) =>
      [option, alias, former?.option].includes(word.replace(/^--?/, "").replace(/=.*$/s, "")),
    );
  const prepared: string[] = [];
  for (const [at, word] of words.entries()) {
    if (word === "--") return [...prepared, ...words.slice(at)];
    const [, name = "", value = "true"] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (find(name)?.kind.form === "flag" && value !== "true" && value !== "false")
      throw new TidemarkError("bad-option", `--${name} takes no value, and ${JSON.stringify(value)} is one.`, {
        hint: `Write --${name}, or leave it out.`,
      });
    const before = prepared.at(-1) ?? "";
    const kind = before.startsWith("--") ? find(before.slice(2))?.kind : undefined;
    const wantsValue = kind !== undefined && kind.form !== "flag";
    if (wantsValue && kind.whenAlone === undefined && /^-[^\d]/.test(word) && !isKnown(word))
      throw new TidemarkError("bad-option", `${before} needs a value.`, {
        hint: `${word} would be an option; write ${before}=${word} if it is the value.`,
      });
    if (wantsValue && word === "-") prepared[prepared.length - 1] = `${before}=-`;
    else prepared.push(word === "-" ? loneDash : word);
  }
  return prepared;
}

/** Refuses options and arguments that a command has not, and the lack of those that it needs. */
function checkNames(command: Command, args: RawArguments, call: string): void {
  const hint = `See \`${call} --help\`.`;
  const options = Object.entries(optionsOf(command));
  const known = new Set([
    ...["_", "$0", ...Object.keys(command.positionals)],
    ...options.flatMap(([name, { alias }]) => [name, ...(typeof alias === "string" ? [alias] : [])]),
  ]);
  const unknown = Object.keys(args).find((name) => !known.has(name));
  if (unknown !== undefined) {
    const told = options.flatMap(([name, { hidden }]) => (hidden === true ? [] : [name]));
    const near = nearestWord(unknown, told);
    throw new TidemarkError("bad-option", `Unknown option: ${unknown.length === 1 ? "-" : "--"}${unknown}.`, {
      hint: near === undefined ? hint : `Did you mean --${near}? ${hint}`,
    });
  }
  const [surplus] = args._ as readonly unknown[];
  if (surplus !== undefined) throw new TidemarkError("bad-option", `One argument too many: ${surplus}.`, { hint });
  const missing = Object.keys(command.positionals).find(
    (name) => command.usage.includes(`<${name}>`) && args[name] === undefined,
  );
  if (missing !== undefined) throw new TidemarkError("bad-option", `${missing} is missing.`, { hint });
}

function noCommand(argv: readonly string[], { name, commands, former }: Program): TidemarkError {
  const [word] = argv;
  const hint = `See \`${name} --help\`.`;
  if (word === undefined || word === "--") return new TidemarkError("bad-option", "No command is given.", { hint });
  if (word.startsWith("-")) return new TidemarkError("bad-option", `Unknown option: ${word}.`, { hint });
  const near = nearestWord(word, commands.map(nameOf));
  return new TidemarkError("bad-option", `Unknown command: ${word}.`, {
    hint: former?.[word] ?? (near === undefined ? hint : `Did you mean \`${name} ${near}\`? ${hint}`),
  });
}
