import type { TidemarkError } from "../model/index.ts";
import { type WatchedRound, watchSite } from "../watch-site.ts";
import { printEvent, type RunContext } from "./command.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";
import type { ExportArguments, ExportRun } from "./export-command.ts";
import { ExportPrinter } from "./export-printer.ts";
import { givenOptions } from "./option.ts";
import { formatNoun } from "./quantity.ts";

/** Watches a site until a signal, and prints what each publication comes to. */
export async function runWatch(options: ExportArguments, run: ExportRun, context: RunContext): Promise<ExitCode> {
  const { out, err, signal, json, quiet } = context;
  const printer = new ExportPrinter(err, quiet, false);
  let publications = 0;
  let rounds = 0;
  const fail = (error: TidemarkError): void => {
    const { code, message, hint } = error;
    printEvent(context, { event: "warning", code, message });
    if (!json) printer.say(`failed: ${message} It is tried again.${hint === undefined ? "" : ` ${hint}`}`);
  };
  const tell = async (round: Extract<WatchedRound, { kind: "exported" }>): Promise<void> => {
    const { summary, because } = round;
    rounds += 1;
    if (summary.published) publications += 1;
    if (json) out.writeJson({ event: "round", because, ...summary });
    else if (!quiet && (summary.published || rounds === 1)) out.write(printer.result(summary));
    if (!run.indexNow) return;
    const { tellOfExport } = await import("./index-now-run.ts");
    await tellOfExport(options, run, summary, context, printer);
  };
  try {
    await watchSite({
      ...givenOptions(options),
      ...givenOptions({ settleMs: run.settleMs, rescanMs: run.rescanMs }),
      signal,
      onEvent: (event) => {
        printEvent(context, event);
        printer.show(event, json);
      },
      onRound: async (round) => {
        printer.end();
        if (round.kind === "exported") await tell(round);
        else if (round.kind === "failed") fail(round.error);
        else if (json) out.writeJson({ event: "watching", folders: round.folders });
        else if (!quiet) printer.say(`watching ${formatNoun(round.folders, "folder")} (Ctrl-C ends)`);
      },
    });
  } finally {
    printer.end();
  }
  if (json) out.writeJson({ event: "summary", rounds, publications });
  return exitCodes.done;
}
