import { runDemonstration } from "../../demo/index.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatCheck, formatSummary, formatVisit } from "./demo-text.ts";

/** What the command line says about a demonstration. */
export interface DemoArguments {
  readonly pages?: number;
  readonly keepFolder?: string;
}

/** Runs the demonstration; a promise that did not hold is a bug. */
export async function runDemo(options: DemoArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet, signal } = context;
  const progress = new ProgressLine(err, quiet);
  try {
    const report = await runDemonstration({
      ...options,
      signal,
      onEvent: (event) => {
        if (json) return out.writeJson(event);
        if (event.event === "step") return progress.show(() => event.message);
        progress.clear();
        if (!quiet) out.write(event.event === "visit" ? formatVisit(event) : formatCheck(event));
      },
    });
    const held = report.checks.every((check) => check.held);
    if (json) out.writeJson({ event: "summary", held, ...report });
    else if (!quiet) out.write(formatSummary(report));
    return held ? exitCodes.done : exitCodes.bug;
  } finally {
    progress.clear();
  }
}
