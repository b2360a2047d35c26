import type { ExportSummary, IndexNowSummary } from "../../core/index.ts";
import { type ExportSettings, exportSite } from "../../exporter/index.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes, reportSiteError, worstExitCode } from "../terminal/exit-code.ts";
import { addUp } from "../terminal/quantity.ts";
import { findSites, type SiteChoice } from "../terminal/site-choice.ts";
import { ExportPrinter } from "./export-printer.ts";
import type { IndexNowRun } from "./index-now-run.ts";

/** What the command line says about when and for whom. */
export interface ExportRun extends IndexNowRun {
  readonly dryRun?: boolean;
  readonly watch?: boolean;
  readonly settleMs?: number;
  readonly rescanMs?: number;
  readonly indexNow?: boolean;
}

/** What the command line says about exports. */
export interface ExportArguments extends SiteChoice {
  readonly run: ExportRun;
}

/** Exports a site, or those of a file one after the other; one that fails does not keep the others from it. */
export async function runExport(options: ExportArguments, context: RunContext): Promise<ExitCode> {
  const { out, json } = context;
  const { run } = options;
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

const summed = [
  ...(["pages", "created", "updated", "deleted", "unchanged", "touched", "withheld", "errors", "warnings"] as const),
  ...(["archivesWritten", "archivesListed", "intervals", "bytesWritten", "elapsedMs"] as const),
];

/** What exports of several sites come to; of those that failed, nothing is counted. */
function addExportSummaries(summaries: readonly ExportSummary[], sitesFailed: number): object {
  const withheldByRule = new Map<string, number>();
  for (const summary of summaries)
    for (const [rule, count] of Object.entries(summary.withheldByRule))
      withheldByRule.set(rule, (withheldByRule.get(rule) ?? 0) + count);
  return {
    sites: summaries.length + sitesFailed,
    sitesFailed,
    ...addUp(summed, summaries),
    withheldByRule: Object.fromEntries(withheldByRule),
  };
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
  mark: object,
): Promise<ToldSummary> {
  const { dryRun = false } = run;
  const { urls, ...settings } = site;
  const printer = new ExportPrinter(context, dryRun);
  const summary = await printer.during(
    (async (): Promise<ToldSummary> => {
      const exported = await exportSite({
        ...settings,
        ...(urls === undefined ? {} : { urls: urls === "-" ? context.input() : urls }),
        dryRun,
        signal: context.signal,
        onEvent: (event) => printer.take(event, mark),
      });
      if (!run.indexNow || dryRun) return exported;
      // What it loads is of no use to most.
      const { tellOfExport } = await import("./index-now-run.ts");
      return { ...exported, indexNow: await tellOfExport(site, run, exported, context, printer) };
    })(),
  );
  if (!context.json && !context.quiet) context.out.write(printer.result(summary));
  return summary;
}
