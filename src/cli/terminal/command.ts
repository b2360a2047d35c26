import {
  flag,
  path,
  settingRow as row,
  type Setting,
  type SettingsOf,
  siteUrl,
  wholeNumber,
} from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import type { ExitCode } from "./exit-code.ts";
import type { Keyboard } from "./keyboard.ts";
import { type RawArguments, readSettings } from "./option.ts";
import type { Output } from "./output.ts";

/** What a running command may use of the world. */
export interface RunContext {
  /** Results. */
  readonly out: Output;
  /** Progress, warnings, errors. */
  readonly err: Output;
  /** The bytes of standard input, to be read at most once. */
  readonly input: () => AsyncIterable<Uint8Array>;
  /** The keys that a person presses; absent or undefined if nobody can. Disposed of by who asked for it. */
  readonly keyboard?: () => Keyboard | undefined;
  /** Whether results are JSON lines. */
  readonly json: boolean;
  /** Whether progress and results for people are left out. */
  readonly quiet: boolean;
  /** Fires at SIGINT, at SIGTERM, and when nobody reads the results any more. */
  readonly signal: AbortSignal;
}

/** Does what a command line asks for. */
export type Run = (context: RunContext) => Promise<ExitCode>;

/** A command as the command line knows it; its implementation is imported when it runs. */
export interface Command {
  /** Name and positional arguments, as yargs writes them. */
  readonly usage: string;
  readonly describe: string;
  readonly positionals: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, Setting>>;
  /** Names of options below their headings in the help; without it, all stand below one. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  /** Command lines and what they do. */
  readonly examples: ReadonlyArray<readonly [string, string]>;
  /** Whether all that it prints is one text to read, which goes through a pager if it is longer than the screen. */
  readonly isPaged?: (args: RawArguments) => boolean;
  /** Checks the arguments. Throws `bad-option`. */
  readonly plan: (args: RawArguments) => Run;
}

/** What a command is made of; what was given for its options becomes what its implementation is called with. */
interface CommandParts<Table extends object, Options> extends Omit<Command, "options" | "plan"> {
  readonly options: Table;
  /**
   * Checks what was given.
   *
   * @param fail - refuses it with this message
   */
  readonly plan: (given: SettingsOf<Table>, args: RawArguments, fail: (message: string) => never) => Options;
  /** Imports the implementation. */
  readonly load: (options: Options) => Promise<(options: Options, context: RunContext) => Promise<ExitCode>>;
}

/** Makes a command of `tidemark`. */
export function defineCommand<Table extends object, Options>(parts: CommandParts<Table, Options>): Command {
  const { options, plan, load, ...facts } = parts;
  const fail = (message: string): never => {
    throw new TidemarkError("bad-option", message, { hint: `See \`tidemark ${facts.usage.split(" ")[0]} --help\`.` });
  };
  return {
    ...facts,
    options: options as Command["options"],
    plan: (args) => {
      const planned = plan(readSettings(args, options), args, fail);
      return async (context) => (await load(planned))(planned, context);
    },
  };
}

/** Options that every command has. */
export const commonOptions: Readonly<Record<"json" | "quiet" | "noPager", Setting<boolean>>> = {
  json: row("json", flag, "Print events as JSON lines on stdout; the last line is the summary or the error"),
  quiet: row("quiet", flag, "Print only warnings and errors; with --json, also the summary", {
    doc: "print no progress and no results as text; warnings, errors and the first ten pages that failed still go to stderr. With `--json`: no lines about single pages, only warnings, errors and the summary",
  }),
  noPager: row("no-pager", flag, "Do not show long texts in a pager", {
    doc: "do not show long texts in [a pager](#long-texts)",
  }),
};

/** `--openmetrics`: a file, `-` for standard output. */
export const openMetricsOption: Setting<string> = row(
  "openmetrics FILE",
  { ...path, whenAlone: "-" },
  "Write OpenMetrics text to this file, which is replaced as a whole; without a file name, to standard output",
);

/** `--site`, of those that a crawler has. */
export const siteOption: Setting<string> = row("site URL", siteUrl, "Only this site, such as https://example.org/", {
  default: "all",
});

/** `--state`, of a crawler. */
export const stateOption: Setting<string> = row(
  "state FILE",
  path,
  "State file that was given to tidemark crawl --state",
  {
    default: "`DIR/.tidemark/state.db`",
  },
);

/** `--seed`, of a sample. */
export const seedOption: Setting<number> = row(
  "seed N",
  wholeNumber(0, 2 ** 32 - 1),
  "Seed of the random choice: the same seed chooses the same pages; the summary says which was used",
  { default: "a new one each time" },
);

/** `--delay`, of requests that check something. */
export const delayOption: Setting<number> = row(
  "delay MS",
  wholeNumber(0, 3_600_000),
  "Pause in milliseconds before each request; 0 for a server of your own",
  { default: "`Crawl-delay` of robots.txt, at least 100" },
);

/** The positional argument of commands that look at a crawler's folder. */
export const mirrorsFolder = "Folder that was given to tidemark crawl --into";

/** Events of which there may be one a page: `--json --quiet` leaves them out. */
const manyEvents: ReadonlySet<string> = new Set(["progress", "page", "waiting", "withheld", "finding", "row"]);

/**
 * Prints an event as a line of JSON, if `--json` asks for it.
 *
 * @param mark - what the line says beside the event's own, such as of which site it is
 */
export function printEvent<Event extends { readonly event: string }>(
  context: RunContext,
  event: Event,
  mark: object = {},
): void {
  if (context.json && !(context.quiet && manyEvents.has(event.event))) context.out.writeJson({ ...event, ...mark });
}

/** Prints what a command came to: as JSON, or for people if they are not to be left alone. */
export function printSummary({ json, quiet, out }: RunContext, summary: object, format: () => string): void {
  if (json) out.writeJson({ event: "summary", ...summary });
  else if (!quiet) out.write(format());
}
