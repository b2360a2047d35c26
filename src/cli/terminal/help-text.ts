import { helpOf, type Setting, signatureOf } from "../../config/index.ts";
import { type Command, commonOptions } from "./command.ts";
import { wrapText } from "./text-layout.ts";

/** What of a program its help tells. */
interface ProgramFacts {
  readonly name: string;
  readonly about: string;
  readonly commands: readonly Command[];
}

/** Options below a heading. */
export interface OptionGroup {
  /** Empty for those of a command without groups. */
  readonly title: string;
  readonly options: readonly Setting[];
}

/** What stands at the left, and what it means. */
type Row = readonly [string, string];

/** The left column gets no wider; the text of a longer name begins on the next line. */
const widestName = 26;

/** A command's own options in the order of its help, without those that no longer have an effect. */
export function groupOptions({ options, groups = {} }: Pick<Command, "options" | "groups">): OptionGroup[] {
  const told = Object.values(options).filter(({ isDeprecated }) => !isDeprecated);
  const grouped = Object.entries(groups).map(([title, names]) => ({
    title,
    options: told.filter(({ option }) => names.includes(option)),
  }));
  const named = new Set(Object.values(groups).flat());
  const rest = told.filter(({ option }) => !named.has(option));
  const title = grouped.length === 0 ? "" : "Other";
  return [...grouped, ...(rest.length === 0 ? [] : [{ title, options: rest }])];
}

function formatRows(rows: readonly Row[], columns: number, longest: number): string[] {
  const indent = " ".repeat(Math.min(longest, widestName) + 4);
  const wide = Math.max(columns, indent.length + 20);
  return rows.flatMap(([name, text]) => {
    const head = `  ${name}`;
    const hasRoom = head.length <= indent.length - 2;
    const first = hasRoom ? head.padEnd(indent.length) : indent;
    return [...(hasRoom ? [] : [head]), ...wrapText(text, wide, first, indent).trimEnd().split("\n")];
  });
}

/** An option's names and value, as its row in a list begins. */
function nameOption(setting: Setting): string {
  return `${setting.alias === undefined ? "    " : `-${setting.alias}, `}${signatureOf(setting)}`;
}

const always: readonly Row[] = [
  ...Object.values(commonOptions).map((setting): Row => [nameOption(setting), helpOf(setting)]),
  ["-h, --help", "Show this help"],
  ["    --version", "Show the version"],
];

function longestName(rows: readonly Row[]): number {
  return Math.max(0, ...rows.map(([name]) => name.length));
}

function formatSection(title: string, rows: readonly Row[], columns: number, longest = longestName(rows)): string[] {
  return rows.length === 0 ? [] : ["", `${title}:`, ...formatRows(rows, columns, longest)];
}

/** A command line, on several lines if it is too long for one, as a shell reads them. */
function wrapExample(line: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of line.match(/(?:'[^']*'|[^\s'])+/g) ?? []) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > columns - 6) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((part, at) => `${at === 0 ? "  " : "    "}${part}${at < lines.length - 1 ? " \\" : ""}`);
}

/** What `--help` prints of a program. */
export function formatProgramHelp({ name, about, commands }: ProgramFacts, columns: number): string {
  const rows = commands.map(({ usage, describe }): Row => [usage, describe]);
  return [
    `${name} <command>`,
    "",
    wrapText(about, columns, "", "").trimEnd(),
    ...formatSection("Commands", rows, columns),
    ...formatSection("Options", always, columns),
    "",
    `\`${name} <command> --help\` explains a command.`,
    "",
  ].join("\n");
}

/** What `--help` prints of a command. */
export function formatCommandHelp(program: string, command: Command, columns: number): string {
  const { usage, describe, positionals, examples } = command;
  const groups = groupOptions(command).map(({ title, options }) => ({
    title: title === "" ? "Options" : title,
    rows: options.map((setting): Row => [nameOption(setting), helpOf(setting)]),
  }));
  const longest = longestName([...always, ...groups.flatMap(({ rows }) => rows)]);
  return [
    `${program} ${usage}`,
    "",
    wrapText(describe, columns, "", "").trimEnd(),
    ...formatSection("Arguments", Object.entries(positionals), columns),
    ...groups.flatMap(({ title, rows }) => formatSection(title, rows, columns, longest)),
    ...formatSection("Every command", always, columns, longest),
    ...(examples.length === 0 ? [] : ["", "Examples:"]),
    ...examples.flatMap(([line, meaning]) => [...wrapExample(`${program} ${line}`, columns), `      ${meaning}`]),
    "",
  ].join("\n");
}
