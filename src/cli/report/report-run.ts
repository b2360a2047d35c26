import { resolve } from "node:path";
import { writeTextFile } from "../../fs/index.ts";
import {
  type CrawlCosts,
  type CrawlReportOptions,
  formatCrawlPage,
  readCrawlReport,
  type SiteReport,
  type VisitReport,
} from "../../report/index.ts";
import { printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { packageVersion } from "../terminal/package-version.ts";
import { Pace, ProgressLine } from "../terminal/progress-line.ts";
import { formatBytes, formatCount, formatMoment, formatNoun } from "../terminal/quantity.ts";
import { formatTable } from "../terminal/text-layout.ts";

/** What the command line says. */
export interface ReportArguments extends CrawlReportOptions {
  /** File of the page. */
  readonly html?: string;
}

/** Visits that are shown one by one; the sum is of all. */
const visitsShown = 20;
const pathsShown = 10;

/** Reads what visits cost and found; with a check, pages that differ end it with the code of failed items. */
export async function runReport({ html, ...options }: ReportArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet, signal } = context;
  const progress = new ProgressLine(err, quiet);
  const pace = new Pace();
  const onProgress = (site: string, done: number, total: number): void => {
    const rate = pace.format(site, done, total);
    progress.show(() => `${site}: requesting pages: ${formatCount(done)} of ${formatCount(total)}${rate}`);
  };
  const reports = await progress.during(readCrawlReport({ ...options, signal, onProgress }));
  if (html !== undefined) {
    const page = await formatCrawlPage(reports, `What visits cost: ${nameOf(reports)}`, packageVersion());
    await writeTextFile(resolve(html), page, { overwrite: true });
  }
  if (json) for (const report of reports) out.writeJson({ event: "site-report", ...report });
  const sites = reports.map(({ site }) => site);
  printSummary(context, { sites }, () => reports.map(formatSiteReport).join("\n"));
  return reports.some(({ missed }) => missed !== undefined && missed.differing > 0)
    ? exitCodes.itemsFailed
    : exitCodes.done;
}

function nameOf(reports: readonly SiteReport[]): string {
  const [only, ...more] = reports;
  return only !== undefined && more.length === 0 ? new URL(only.site).host : formatNoun(reports.length, "site");
}

/** What the visits to a site came to, for people. */
function formatSiteReport(report: SiteReport): string {
  const { site, heldPages, heldBytes, visits, sum } = report;
  const head = `${site}: ${formatNoun(heldPages, "page")}, ${formatBytes(heldBytes)} held; ${formatNoun(visits.length, "visit")}\n`;
  if (visits.length === 0) return head + formatMissed(report);
  const shown = visits.slice(-visitsShown);
  const left = visits.length - shown.length;
  const table = formatTable(
    [
      ["visit", "source", "requests", "bytes", "created", "updated", "deleted"],
      ...shown.map((visit) => rowOf(formatMoment(visit.at), visit.source, visit)),
      rowOf("sum", "", sum),
      ["polling each page", "", formatCount(sum.polling.requests), `about ${formatBytes(sum.polling.bytes)}`],
      ["downloading all", "", formatCount(sum.download.requests), `about ${formatBytes(sum.download.bytes)}`],
    ],
    "llrrrrr",
  );
  const more = left > 0 ? `${formatNoun(left, "earlier visit")} in the sum\n` : "";
  return head + table + more + formatMissed(report);
}

function rowOf(name: string, source: VisitReport["source"] | "", costs: CrawlCosts): string[] {
  const { requests, bytes, created, updated, deleted } = costs;
  return [name, source, formatCount(requests), formatBytes(bytes), ...[created, updated, deleted].map(formatCount)];
}

function formatMissed({ missed }: SiteReport): string {
  if (missed === undefined) return "";
  const { checked, differing, later, failed, missedShareAtMost, examples, seed } = missed;
  const odd = [
    later > 0 ? `${formatCount(later)} changed after the last visit` : "",
    failed > 0 ? `${formatCount(failed)} could not be compared` : "",
  ].filter((text) => text !== "");
  const lines = [
    `check: ${formatNoun(checked, "page")} fetched, ${formatCount(differing)} differ from the copies` +
      `${odd.length === 0 ? "" : `; ${odd.join(", ")}`} (seed ${seed})`,
    checked === 0
      ? "no page could be compared"
      : `with 95 % confidence at most ${formatShare(missedShareAtMost)} of the pages were missed`,
    ...examples.slice(0, pathsShown).map((path) => `  ${path}`),
  ];
  return `${lines.join("\n")}\n`;
}

function formatShare(share: number): string {
  return `${(share * 100).toFixed(share < 0.01 ? 2 : 1)} %`;
}
