import { type ExportSummary, type IndexNowSummary, TidemarkError } from "../../core/index.ts";
import { type ExportSettings, exportSite } from "../../exporter/index.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes, reportSiteError, worstExitCode } from "../terminal/exit-code.ts";
import type { Output } from "../terminal/output.ts";
import { addUp } from "../terminal/quantity.ts";
import { findSites, type SiteChoice } from "../terminal/site-choice.ts";
import type { PublicationTold } from "./after-publication.ts";
import { ExportPrinter } from "./export-printer.ts";
import type { IndexNowRun } from "./index-now-run.ts";
import type { HookRun } from "./publish-hook.ts";
import type { PurgeRun } from "./purge-list.ts";

/** What the command line says about when and for whom. */
export interface ExportRun extends IndexNowRun, HookRun, PurgeRun {
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
  checkPurgeFile(run, sites.length);
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

/** A list that each site replaces would be that of the last one. @throws TidemarkError `bad-option` */
export function checkPurgeFile({ purgeFile }: PurgeRun, sites: number): void {
  if (purgeFile === undefined || sites < 2) return;
  throw new TidemarkError("bad-option", `--purge-file takes the URLs of one site, and there are ${sites}.`, {
    hint: "Choose one with --site, or leave --purge-file out: then all URLs go to standard output.",
  });
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

/** What an export came to, and what those said of it who were told. */
interface ToldSummary extends ExportSummary, PublicationTold {
  readonly indexNow?: IndexNowSummary | undefined;
}

function exitCodeOfExport(summary: ToldSummary): ExitCode {
  const isTold = !("indexNow" in summary) || summary.indexNow?.refused === 0;
  return summary.errors > 0 || !isTold || !isToldWell(summary) ? exitCodes.itemsFailed : exitCodes.done;
}

/** Tells caches and commands of what an export published, if the command line asks for it. */
export async function tellIfAsked(
  site: ExportSettings,
  run: ExportRun,
  summary: ExportSummary,
  context: RunContext,
  printer: ExportPrinter,
): Promise<PublicationTold> {
  if (run.purge === undefined && run.onPublish === undefined) return {};
  const { tellOfPublication } = await import("./after-publication.ts");
  return await tellOfPublication(site, run, summary, context, printer);
}

function isToldWell({ purgeUrls, onPublish }: PublicationTold): boolean {
  return purgeUrls !== null && (onPublish === undefined || (onPublish.exitCode === 0 && !onPublish.timedOut));
}

/** URLs on standard output are for a program: all else goes elsewhere then. */
export function resultOutput({ purge, purgeFile }: PurgeRun, { out, err }: RunContext): Output {
  return purge !== undefined && purgeFile === undefined ? err : out;
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
      if (dryRun) return exported;
      const told = await tellIfAsked(site, run, exported, context, printer);
      if (!run.indexNow) return { ...exported, ...told };
      // What it loads is of no use to most.
      const { tellOfExport } = await import("./index-now-run.ts");
      return { ...exported, ...told, indexNow: await tellOfExport(site, run, exported, context, printer) };
    })(),
  );
  if (!context.json && !context.quiet) resultOutput(run, context).write(printer.result(summary));
  return summary;
}
