import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { omitUndefined, TidemarkError, wrapSystemError } from "../../core/index.ts";
import { readSiteStatus, type SiteStatusOptions } from "../../exporter/index.ts";
import {
  type CrawlCosts,
  type CrawlReportOptions,
  formatCrawlPage,
  formatTrafficPage,
  readCrawlReport,
  type SiteReport,
  type VisitReport,
} from "../../report/index.ts";
import { findStateFile } from "../../storage/index.ts";
import type { TrafficOptions } from "../../traffic/index.ts";
import { printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { packageVersion } from "../terminal/package-version.ts";
import { checkPageFile, writePage } from "../terminal/page-file.ts";
import { Pace, ProgressLine } from "../terminal/progress-line.ts";
import { formatBytes, formatCount, formatMoment, formatNoun } from "../terminal/quantity.ts";
import { formatTable } from "../terminal/text-layout.ts";
import { countTraffic, formatTraffic } from "../traffic/traffic-run.ts";

/** The first bytes of a state file. */
const sqliteStart = "SQLite format 3\0";
const optionNames: Readonly<Record<string, string>> = {
  url: "site",
  delayMs: "delay",
  baseUrl: "base-url",
  stateDir: "state",
};
/** Days whose publications a page shows. */
const statusDays = 31;

/** Visits that are shown one by one; the sum is of all. */
const visitsShown = 20;
const pathsShown = 10;

/** What the command line says. */
export interface ReportArguments {
  /** One folder or state file of a crawler, or access logs. */
  readonly from: readonly string[];
  /** File of the page. */
  readonly html: string | undefined;
  readonly crawler: Wanted<Omit<CrawlReportOptions, "store">>;
  readonly site: Wanted<
    Pick<TrafficOptions, "format" | "ranges" | "resolve" | "robots" | "archives"> &
      Pick<SiteStatusOptions, "baseUrl" | "stateDir">
  >;
}

type Wanted<T> = { readonly [Key in keyof T]: T[Key] | undefined };

/** Tells a crawler's store from logs, and reports on it. */
export async function runReport(options: ReportArguments, context: RunContext): Promise<ExitCode> {
  const { from, html, crawler, site } = options;
  const [store = ""] = from;
  const isStore = from.length === 1 && store !== "-" && (await isCrawlerStore(store));
  const [strange] = Object.entries(isStore ? site : crawler).find(([, value]) => value !== undefined) ?? [];
  if (strange !== undefined)
    throw new TidemarkError(
      "bad-option",
      `--${optionNames[strange] ?? strange} is of ${isStore ? "logs" : "a crawler's folder"}, and ${store} is none.`,
      { hint: "See `tidemark report --help`." },
    );
  await checkPageFile(html);
  return isStore
    ? await reportVisits({ store, ...omitUndefined(crawler) }, html, context)
    : await reportTraffic(from, site, html, context);
}

/** @throws TidemarkError if there is nothing */
async function isCrawlerStore(place: string): Promise<boolean> {
  const file = findStateFile(place);
  // A pipe, such as <(zcat access.log.gz), can be read once.
  if (!statSync(file).isFile()) return false;
  const start = Buffer.alloc(sqliteStart.length);
  const handle = await open(file).catch((error: unknown) => {
    throw wrapSystemError(error, `read ${file}`, { file });
  });
  try {
    await handle.read(start, 0, start.length, 0);
  } finally {
    await handle.close();
  }
  return start.toString("latin1") === sqliteStart;
}

/** What crawlers cost a site; logs that could not be read to their end make the code of failed items. */
async function reportTraffic(
  logs: readonly string[],
  { baseUrl, stateDir, ...reading }: ReportArguments["site"],
  html: string | undefined,
  context: RunContext,
): Promise<ExitCode> {
  const isNamed = baseUrl !== undefined || stateDir !== undefined;
  const status = isNamed
    ? await readSiteStatus({ ...omitUndefined({ baseUrl, stateDir }), days: statusDays })
    : undefined;
  const summary = await countTraffic({ logs, ...omitUndefined(reading) }, context);
  if (html !== undefined) {
    const site = status?.site ?? baseUrl;
    const title = `What crawlers cost${site === undefined ? "" : `: ${new URL(site).host}`}`;
    const page = await formatTrafficPage({ summary, ...omitUndefined({ status }) }, title, packageVersion());
    await writePage(html, page);
  }
  printSummary(context, summary, () => formatTraffic(summary));
  return summary.failed > 0 ? exitCodes.itemsFailed : exitCodes.done;
}

/** What visits cost and found; with a check, pages that differ make the code of failed items. */
async function reportVisits(
  options: CrawlReportOptions,
  html: string | undefined,
  context: RunContext,
): Promise<ExitCode> {
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
    await writePage(html, page);
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
