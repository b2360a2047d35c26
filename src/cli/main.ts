import { type Program, parseCommandLine, tidemark } from "./command-line.ts";
import { type ExitCode, exitCodes, formatErrorReport, reportError } from "./terminal/exit-code.ts";
import { Keyboard } from "./terminal/keyboard.ts";
import { Output } from "./terminal/output.ts";
import { packageVersion } from "./terminal/package-version.ts";
import { choosePager, isLongerThan, showInPager } from "./terminal/pager.ts";

/** What the program uses of the process that it runs in. */
export type Host = Pick<NodeJS.Process, "argv" | "stdin" | "stdout" | "stderr" | "on" | "off"> & {
  exitCode?: number | string | null | undefined;
};

const signals = { SIGINT: exitCodes.interrupted, SIGTERM: exitCodes.terminated } as const;

/**
 * Runs the command line of a process and sets its exit code; never ends the process itself.
 *
 * The first SIGINT or SIGTERM stops the work in order, a second one kills.
 */
export async function main(host: Host, program: Program = tidemark): Promise<void> {
  const stop = new AbortController();
  const out = new Output(host.stdout, () => stop.abort());
  const err = new Output(host.stderr, () => undefined);
  let signalled: ExitCode | undefined;
  let isReading = false;
  const onSignal = (name: NodeJS.Signals): void => {
    // The pager has the terminal, gets Ctrl-C as well, and knows what it means there.
    if (isReading && name === "SIGINT") return;
    signalled = signals[name as keyof typeof signals];
    unlisten();
    stop.abort();
  };
  const unlisten = (): void => {
    for (const name of Object.keys(signals)) host.off(name, onSignal);
  };
  for (const name of Object.keys(signals)) host.on(name, onSignal);
  const argv = host.argv.slice(2);
  let json = argv.includes("--json");
  try {
    const line = parseCommandLine(argv, packageVersion(), Math.min(100, out.columns), program);
    const pager = line.isPaged && out.isTerminal ? choosePager(process.env) : undefined;
    if (pager !== undefined) out.hold();
    let code: ExitCode = exitCodes.done;
    if (line.kind === "print") out.write(line.text);
    else {
      json = line.json;
      const keyboard = () => (host.stdin.isTTY ? new Keyboard(host.stdin) : undefined);
      const input = () => host.stdin;
      code = await line.run({ out, err, input, keyboard, json, quiet: line.quiet, signal: stop.signal });
    }
    const text = out.takeHeld();
    if (pager !== undefined && isLongerThan(text, out)) {
      isReading = true;
      const end = await showInPager(text, pager, process.env, stop.signal);
      isReading = false;
      if (end === "missing") out.write(text);
      else if (end === "interrupted") code = signalled ?? exitCodes.interrupted;
    } else out.write(text);
    await out.flush();
    host.exitCode = out.readerLeft ? exitCodes.pipeClosed : code;
  } catch (error) {
    out.write(out.takeHeld());
    host.exitCode = out.readerLeft ? exitCodes.pipeClosed : await report(error, program, json, out, err, signalled);
  } finally {
    unlisten();
    await err.flush().catch(() => undefined);
  }
}

async function report(
  error: unknown,
  { name }: Program,
  json: boolean,
  out: Output,
  err: Output,
  signalled: ExitCode | undefined,
): Promise<ExitCode> {
  const known = reportError(error);
  const { code, message, hint, details } = known;
  if (json) {
    out.writeJson({ event: "error", code, message, hint, details });
    await out.flush().catch(() => undefined);
  }
  err.write(`${name}: ${formatErrorReport(known)}`);
  return code === "aborted" ? (signalled ?? exitCodes.broken) : known.exitCode;
}
