import { flag, path, settingRow as row, type Setting } from "../../config/index.ts";
import type { ExitCode } from "./exit-code.ts";
import type { Keyboard } from "./keyboard.ts";
import type { RawArguments } from "./option.ts";
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
  /** Command lines and what they do. */
  readonly examples: ReadonlyArray<readonly [string, string]>;
  /** Checks the arguments. Throws `bad-option`. */
  readonly plan: (args: RawArguments) => Run;
}

/** Options that every command has. */
export const commonOptions: Readonly<Record<"json" | "quiet", Setting<boolean>>> = {
  json: row("json", flag, "Print events and the summary as JSON lines", {
    doc: "print events as JSON lines on stdout; the last line is the summary or the error",
  }),
  quiet: row("quiet", flag, "Print no progress and no results for people; with --json, no line a page", {
    doc: "print no progress and no results for people; warnings, errors and the first ten pages that failed still go to stderr. With `--json`: no line a page, only warnings, errors and the summary",
  }),
};

/** `--openmetrics`: a file, `-` for standard output. */
export const openMetricsOption: Setting<string> = row(
  "openmetrics FILE",
  { ...path, whenAlone: "-" },
  "Write OpenMetrics text to this file, whole or not at all; without a file, to standard output",
);

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
