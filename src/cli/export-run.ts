import { exportSite } from "../export-site.ts";
import type { ExportSummary } from "../model/index.ts";
import { printEvent, type RunContext } from "./command.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";
import type { ExportArguments } from "./export-command.ts";
import { ExportPrinter } from "./export-printer.ts";
import { givenOptions } from "./option.ts";

/** Runs an export and prints what it comes to. */
export async function runExport(options: ExportArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, signal, input } = context;
  const printer = new ExportPrinter(err, context.quiet, options.dryRun);
  let summary: ExportSummary;
  try {
    summary = await exportSite({
      ...givenOptions({ ...options, urls: options.urls === "-" ? input() : options.urls }),
      signal,
      onEvent: (event) => {
        printEvent(context, event);
        printer.show(event, context.json);
      },
    });
  } finally {
    printer.end();
  }
  if (context.json) out.writeJson({ event: "summary", ...summary });
  else if (!context.quiet) out.write(printer.result(summary));
  return summary.errors > 0 ? exitCodes.itemsFailed : exitCodes.done;
}
