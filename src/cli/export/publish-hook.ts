import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { type ExportSummary, maxTimerMs, TidemarkError } from "../../core/index.ts";
import { type ExportSettings, readPublication } from "../../exporter/index.ts";
import { formatChange } from "../changes/change-line.ts";
import { printEvent, type RunContext } from "../terminal/command.ts";
import type { ExportPrinter } from "./export-printer.ts";

/** What the command line says about a command to run. */
export interface HookRun {
  readonly onPublish?: string;
  readonly onPublishTimeoutMs?: number;
}

/** How the command ended. */
export interface HookSummary {
  /** `null` if it was ended by a signal, or could not be started. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly elapsedMs: number;
}

const defaultTimeoutMs = 5 * 60_000;

/**
 * Runs a command with the changes of a publication on its standard input: a line of JSON per change, then the summary.
 * What it prints goes to standard error. The publication stands whatever comes of it: trouble is a warning.
 */
export async function runPublishHook(
  site: ExportSettings,
  { onPublish = "", onPublishTimeoutMs = defaultTimeoutMs }: HookRun,
  summary: ExportSummary,
  context: RunContext,
  printer: ExportPrinter,
): Promise<HookSummary> {
  const startedMs = performance.now();
  // A process group of its own, so that what it starts ends with it.
  const child = spawn("/bin/sh", ["-c", onPublish], { stdio: ["pipe", "pipe", "pipe"], detached: true });
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  };
  let timedOut = false;
  const timer = setTimeout(
    () => {
      timedOut = true;
      kill();
    },
    Math.min(onPublishTimeoutMs, maxTimerMs),
  );
  context.signal.addEventListener("abort", kill, { once: true });
  let failure: string | undefined;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => context.err.write(text));
  child.on("error", (error) => {
    failure = error.message;
  });
  // A command need not read what it is told.
  child.stdin.on("error", () => undefined);
  const closed = once(child, "close").catch(() => [null, null]);
  try {
    await writeChanges(child.stdin, site, summary);
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    failure = `it could not be told all changes: ${error.message}`;
    kill();
  } finally {
    child.stdin.end();
  }
  const [exitCode, signal] = (await closed) as [number | null, string | null];
  clearTimeout(timer);
  context.signal.removeEventListener("abort", kill);
  const elapsedMs = Math.round(performance.now() - startedMs);
  const hook = { exitCode, signal, timedOut, elapsedMs };
  if (exitCode === 0 && failure === undefined) return hook;
  if (timedOut) failure = `it ran longer than ${onPublishTimeoutMs / 1000} s and was ended (--on-publish-timeout)`;
  const why = failure ?? (exitCode === null ? `it was ended by ${signal}` : `it ended with exit code ${exitCode}`);
  const message = `All is published, but the command of --on-publish failed: ${why}.`;
  printEvent(context, { event: "warning", code: "on-publish", message });
  if (!context.json) printer.say(`warning: ${message}`);
  return hook;
}

async function writeChanges(stdin: Writable, site: ExportSettings, summary: ExportSummary): Promise<void> {
  const { publication, site: baseUrl } = summary;
  const origin = new URL(baseUrl).origin;
  const write = async (line: string): Promise<void> => {
    if (stdin.destroyed || stdin.write(line)) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stdin.off("drain", done).off("close", done);
        resolve();
      };
      stdin.on("drain", done).on("close", done);
    });
  };
  for await (const change of readPublication({ documentRoot: site.docroot, publication })) {
    if (stdin.destroyed) return;
    await write(`{"event":"change",${formatChange(change, origin, "json").slice(1)}`);
  }
  await write(`${JSON.stringify({ event: "summary", ...summary })}\n`);
}
