import { exportSite } from "../export-site.ts";
import type { ExportSummary, IndexNowSummary } from "../model/index.ts";
import { printEvent, type RunContext } from "./command.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";
import type { ExportArguments, ExportRun } from "./export-command.ts";
import { ExportPrinter } from "./export-printer.ts";
import { givenOptions } from "./option.ts";

/** Runs an export and prints what it comes to. */
export async function runExport(options: ExportArguments, run: ExportRun, context: RunContext): Promise<ExitCode> {
  const { out, err, signal } = context;
  const printer = new ExportPrinter(err, context.quiet, options.dryRun);
  let summary: ExportSummary;
  let indexNow: IndexNowSummary | undefined;
  try {
    summary = await exportSite({
      ...givenOptions(options),
      signal,
      onEvent: (event) => {
        printEvent(context, event);
        printer.show(event, context.json);
      },
    });
    if (run.indexNow && !options.dryRun) {
      // What it loads is of no use to most.
      const { tellOfExport } = await import("./index-now-run.ts");
      indexNow = await tellOfExport(options, run, summary, context, printer);
    }
  } finally {
    printer.end();
  }
  if (context.json) out.writeJson({ event: "summary", ...summary, ...(indexNow === undefined ? {} : { indexNow }) });
  else if (!context.quiet) out.write(printer.result(summary));
  const isWhole = summary.errors === 0 && (!run.indexNow || options.dryRun || indexNow?.refused === 0);
  return isWhole ? exitCodes.done : exitCodes.itemsFailed;
}
