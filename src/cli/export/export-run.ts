import type { ExportSummary, IndexNowSummary } from "../../core/index.ts";
import type { ExportSettings } from "../../exporter/index.ts";
import { exportSite } from "../../exporter/index.ts";
import { printEvent, type RunContext } from "../terminal/command.ts";
import { reportSiteError } from "../terminal/error-report.ts";
import { type ExitCode, exitCodes, worstExitCode } from "../terminal/exit-code.ts";
import { findSites, type SiteChoice } from "../terminal/site-choice.ts";
import { ExportPrinter } from "./export-printer.ts";
import { addExportSummaries } from "./export-sum.ts";
import type { IndexNowRun } from "./index-now-run.ts";

/** What the command line says about when and for whom. */
export interface ExportRun extends IndexNowRun {
  readonly dryRun?: boolean;
  readonly watch?: boolean;
  readonly settleMs?: number;
  readonly rescanMs?: number;
  readonly indexNow?: boolean;
}

/** Exports a site, or those of a file one after the other; one that fails does not keep the others from it. */
export async function runExport(options: SiteChoice, run: ExportRun, context: RunContext): Promise<ExitCode> {
  const { out, json } = context;
  const sites = await findSites(options);
  const [only, ...others] = sites;
  if (only !== undefined && others.length === 0) {
    const summary = await exportOne(only, run, context, {});
    if (json) out.writeJson({ event: "summary", ...summary });
    return exitCodeOfExport(summary);
  }
  const summaries: ExportSummary[] = [];
  const codes: ExitCode[] = [];
  for (const site of sites) {
    const { baseUrl } = site;
    try {
      const summary = await exportOne(site, run, context, { site: baseUrl });
      if (json) out.writeJson({ event: "site-summary", ...summary });
      summaries.push(summary);
      codes.push(exitCodeOfExport(summary));
    } catch (error) {
      codes.push(reportSiteError(error, baseUrl, context));
    }
  }
  if (json) out.writeJson({ event: "summary", ...addExportSummaries(summaries, sites.length - summaries.length) });
  return worstExitCode(codes);
}

/** What an export came to, and what search engines said of it if they were told. */
interface ToldSummary extends ExportSummary {
  readonly indexNow?: IndexNowSummary | undefined;
}

function exitCodeOfExport(summary: ToldSummary): ExitCode {
  const isTold = !("indexNow" in summary) || summary.indexNow?.refused === 0;
  return summary.errors > 0 || !isTold ? exitCodes.itemsFailed : exitCodes.done;
}

/** @param mark - what each event says beside its own, so that those of several sites can be told apart */
async function exportOne(
  site: ExportSettings,
  run: ExportRun,
  context: RunContext,
  mark: { readonly site?: string },
): Promise<ToldSummary> {
  const { dryRun = false } = run;
  const printer = new ExportPrinter(context.err, context.quiet, dryRun);
  let summary: ToldSummary;
  try {
    const { urls, ...settings } = site;
    summary = await exportSite({
      ...settings,
      ...(urls === undefined ? {} : { urls: urls === "-" ? context.input() : urls }),
      dryRun,
      signal: context.signal,
      onEvent: (event) => {
        printEvent(context, event, mark);
        printer.show(event, context.json);
      },
    });
    if (run.indexNow && !dryRun) {
      // What it loads is of no use to most.
      const { tellOfExport } = await import("./index-now-run.ts");
      summary = { ...summary, indexNow: await tellOfExport(site, run, summary, context, printer) };
    }
  } finally {
    printer.end();
  }
  if (!context.json && !context.quiet) context.out.write(printer.result(summary));
  return summary;
}
