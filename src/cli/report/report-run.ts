import type { EpochMs } from "../../core/index.ts";
import { readCrawlReport, type SiteReport } from "../../report/index.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatCount } from "../terminal/quantity.ts";
import { formatSiteReport } from "./report-text.ts";

/** What the command line says about a report. */
export interface ReportArguments {
  readonly store: string;
  readonly url?: string;
  readonly since?: EpochMs;
  readonly check?: number;
  readonly seed?: number;
  readonly delayMs?: number;
}

/** Reports what visits cost and found; with a check, pages that differ end it with the code of failed items. */
export async function runReport(options: ReportArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet, signal } = context;
  const progress = new ProgressLine(err, quiet);
  let reports: SiteReport[];
  try {
    reports = await readCrawlReport({
      ...options,
      signal,
      onProgress: (site, done, total) =>
        progress.show(() => `${site}: asking for pages: ${formatCount(done)} of ${formatCount(total)}`),
    });
  } finally {
    progress.clear();
  }
  if (json) {
    for (const report of reports) out.writeJson({ event: "site-report", ...report });
    out.writeJson({ event: "summary", sites: reports.map(({ site }) => site) });
  } else if (!quiet) out.write(reports.map(formatSiteReport).join("\n"));
  return reports.some(({ missed }) => missed !== undefined && missed.differing > 0)
    ? exitCodes.itemsFailed
    : exitCodes.done;
}
