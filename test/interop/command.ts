import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { CrawlSummary } from "../../src/core/crawl-event.ts";
import type { ExportSummary } from "../../src/core/export-event.ts";
import { repositoryFolder } from "../repository-folder.ts";

/** One line of what a command printed with `--json`. */
export type JsonEvent = { readonly event: string } & Readonly<Record<string, unknown>>;

/** How a command ended, and what it said. */
export interface CommandResult {
  readonly exitCode: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly events: readonly JsonEvent[];
  readonly stdout: string;
  readonly stderr: string;
  readonly elapsedMs: number;
}

/** A command that runs. */
export interface RunningCommand {
  readonly child: ChildProcess;
  readonly result: Promise<CommandResult>;
}

/** The program under test; `TIDEMARK_CLI` names another build. */
export function findCli(): string {
  return process.env.TIDEMARK_CLI ?? join(repositoryFolder(), "bin", "tidemark.js");
}

function parseEvents(stdout: string): JsonEvent[] {
  const events: JsonEvent[] = [];
  for (const line of stdout.split("\n")) {
    if (!line.startsWith("{")) continue;
    try {
      events.push(JSON.parse(line) as JsonEvent);
    } catch {
      // The last line of a command that was killed may be half a line.
    }
  }
  return events;
}

/** The lab's own program. */
export const labProgram: string = join(repositoryFolder(), "dist", "lab", "program", "main.js");

/**
 * Starts the program. Nothing of this process's environment but PATH and HOME gets there.
 *
 * @param more - of its environment; default nothing
 */
export function startTidemark(
  args: readonly string[],
  program: string = findCli(),
  more: Readonly<Record<string, string>> = {},
): RunningCommand {
  const startedMs = performance.now();
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: "1", ...more };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  const finish = async (): Promise<CommandResult> => {
    const [exitCode, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    const elapsedMs = performance.now() - startedMs;
    const text = Buffer.concat(stdout).toString();
    return {
      exitCode: exitCode ?? undefined,
      signal: signal ?? undefined,
      events: parseEvents(text),
      stdout: text,
      stderr: Buffer.concat(stderr).toString(),
      elapsedMs,
    };
  };
  return { child, result: finish() };
}

/** Runs the program to its end, whatever that is. */
export async function runTidemark(args: readonly string[], program?: string): Promise<CommandResult> {
  return await startTidemark(args, program).result;
}

/** The last line of a result, which must be a summary. @throws with what the command said if it is not, or it failed */
export function summaryOf<Summary>(result: CommandResult): Summary {
  const last = result.events.at(-1);
  if (result.exitCode !== 0 || last?.event !== "summary") {
    throw new Error(
      `exit code ${result.exitCode}, signal ${result.signal}: ${result.stderr}${result.stdout.slice(-2000)}`,
    );
  }
  return last as unknown as Summary;
}

/** An export that must succeed. */
export interface ExportResult {
  readonly summary: ExportSummary;
  readonly events: readonly JsonEvent[];
  readonly elapsedMs: number;
}

/** Exports a document root; throws unless all went well. */
export async function exportDocroot(
  docroot: string,
  baseUrl: string,
  stateFolder: string,
  ...more: readonly string[]
): Promise<ExportResult> {
  const args = ["export", docroot, "--base-url", baseUrl, "--state", stateFolder, "--json", ...more];
  const result = await runTidemark(args);
  return { summary: summaryOf<ExportSummary>(result), events: result.events, elapsedMs: result.elapsedMs };
}

/** Crawls a site; throws unless all went well. */
export async function crawl(
  url: string,
  into: string,
  ...more: readonly string[]
): Promise<{ readonly summary: CrawlSummary; readonly elapsedMs: number }> {
  const result = await runTidemark(["crawl", url, "--into", into, "--json", ...more]);
  return { summary: summaryOf<CrawlSummary>(result), elapsedMs: result.elapsedMs };
}
