import type { Figure } from "../core/index.ts";
import { formatBytes, formatMoment, formatNoun } from "../formats/quantity/index.ts";
import type { CrawlCosts, SiteReport, VisitReport } from "./crawl-report.ts";
import { escapeMarkup } from "./figure-text.ts";
import {
  formatCount,
  formatFigure,
  formatLead,
  formatPage,
  formatShare,
  formatTable,
  formatTiles,
} from "./page-parts.ts";

/** Sites and visits that have rows of their own; the sums are of all. */
const sitesShown = 100;
const visitsShown = 30;
const dayMs = 86_400_000;

/**
 * A crawler's visits as one page that needs nothing from elsewhere: what they cost, what polling and downloading would have
 * cost, what was found and what was missed.
 */
export async function formatCrawlPage(reports: readonly SiteReport[], title: string, version: string): Promise<string> {
  const sum = sumOf(reports);
  const asked = sum.polling.requests;
  const lead =
    sum.visits === 0
      ? "No visit is stored."
      : `${formatNoun(sum.visits, "visit")} to ${formatNoun(reports.length, "site")} took ${formatNoun(sum.requests, "request")} and ${formatBytes(sum.bytes)}. ` +
        `Polling each page would have taken ${formatNoun(asked, "request")}: ${formatShare(Math.max(0, asked - sum.requests), asked)} of them were saved.`;
  return formatPage(title, version, [
    formatLead(lead),
    formatTiles([
      ["Requests", formatCount(sum.requests), `polling: ${formatCount(asked)}`],
      ["Received", formatBytes(sum.bytes), `downloading all: about ${formatBytes(sum.download.bytes)}`],
      [
        "Changes found",
        formatCount(sum.created + sum.updated + sum.deleted),
        `${formatCount(sum.updated)} pages updated`,
      ],
      [
        "Pages held",
        formatCount(total(reports, ({ heldPages }) => heldPages)),
        formatBytes(total(reports, ({ heldBytes }) => heldBytes)),
      ],
    ]),
    ...(sum.visits === 0 ? [] : [await formatFigure(requestsFigure(reports))]),
    `<h2>Sites</h2>\n`,
    formatTable(
      "Sites",
      ["Site", "#Pages", "#Visits", "#Requests", "#Polling", "#Received", "#Created", "#Updated", "#Deleted"],
      reports
        .slice(0, sitesShown)
        .map((report) => [
          report.site,
          ...[report.heldPages, report.sum.visits, report.sum.requests, report.sum.polling.requests].map(formatCount),
          formatBytes(report.sum.bytes),
          ...[report.sum.created, report.sum.updated, report.sum.deleted].map(formatCount),
        ]),
    ),
    moreThan(reports.length, sitesShown, "site"),
    ...formatTroubled(reports),
    ...formatMissed(reports),
    `<h2>Visits</h2>\n`,
    formatTable(
      "Visits",
      ["@Visit", "Site", "Source", "#Requests", "#Received", "#Created", "#Updated", "#Deleted"],
      lastVisits(reports).map(({ site, visit }) => [
        formatMoment(visit.at),
        site,
        visit.source,
        formatCount(visit.requests),
        formatBytes(visit.bytes),
        ...[visit.created, visit.updated, visit.deleted].map(formatCount),
      ]),
    ),
    moreThan(sum.visits, visitsShown, "earlier visit"),
  ]);
}

function total(reports: readonly SiteReport[], of: (report: SiteReport) => number): number {
  return reports.reduce((sum, report) => sum + of(report), 0);
}

function sumOf(reports: readonly SiteReport[]): Omit<CrawlCosts, "download"> & { download: { bytes: number } } {
  const of = (key: "visits" | "requests" | "bytes" | "created" | "updated" | "deleted"): number =>
    total(reports, ({ sum }) => sum[key]);
  return {
    ...{ visits: of("visits"), requests: of("requests"), bytes: of("bytes") },
    ...{ created: of("created"), updated: of("updated"), deleted: of("deleted") },
    polling: {
      requests: total(reports, ({ sum }) => sum.polling.requests),
      bytes: total(reports, ({ sum }) => sum.polling.bytes),
    },
    download: { bytes: total(reports, ({ sum }) => sum.download.bytes) },
  };
}

/** Requests by day: of these visits, and of polling. */
function requestsFigure(reports: readonly SiteReport[]): Figure {
  const days = new Map<number, { ours: number; polling: number }>();
  for (const { visits } of reports)
    for (const { at, requests, polling } of visits) {
      const day = Math.floor((at * 1000) / dayMs);
      const { ours, polling: others } = days.get(day) ?? { ours: 0, polling: 0 };
      days.set(day, { ours: ours + requests, polling: others + polling.requests });
    }
  const points = [...days].sort(([a], [b]) => a - b);
  return {
    name: "requests",
    title: "Requests by day",
    caption:
      "Requests of the visits of each day, in front of those that polling each page would have taken. Days are in UTC.",
    x: { label: "day", kind: "days" },
    y: { label: "requests", kind: "linear" },
    hasPublished: false,
    marks: [
      { of: "ours", kind: "bars", name: "polling", points: points.map(([x, { polling }]) => ({ x, y: polling })) },
      { of: "ours", kind: "bars", name: "these visits", points: points.map(([x, { ours }]) => ({ x, y: ours })) },
    ],
  };
}

function formatTroubled(reports: readonly SiteReport[]): string[] {
  const troubled = reports.flatMap(({ site, next }) =>
    next === undefined || next.failures === 0 ? [] : [{ site, next }],
  );
  if (troubled.length === 0) return [];
  return [
    `<h2>Sites in back-off</h2>\n`,
    formatTable(
      "Sites in back-off",
      ["Site", "#Failed visits in a row", "@Next visit"],
      troubled
        .sort((a, b) => b.next.failures - a.next.failures)
        .slice(0, sitesShown)
        .map(({ site, next: { at, failures, isPaused } }) => [
          site,
          formatCount(failures),
          isPaused ? "paused" : at === undefined ? "" : formatMoment(Math.floor(at / 1000)),
        ]),
    ),
    moreThan(troubled.length, sitesShown, "site"),
  ];
}

function formatMissed(reports: readonly SiteReport[]): string[] {
  const checked = reports.flatMap(({ site, missed }) => (missed === undefined ? [] : [{ site, missed }]));
  if (checked.length === 0) return [];
  return [
    `<h2>Missed changes</h2>\n<p>Pages chosen at random were fetched completely and compared with the copies.</p>\n`,
    formatTable(
      "Missed changes",
      ["Site", "#Fetched", "#Different", "#Changed later", "#Missed at most"],
      checked.map(({ site, missed }) => [
        site,
        ...[missed.checked, missed.differing, missed.later].map(formatCount),
        formatShare(missed.missedShareAtMost, 1),
      ]),
    ),
    `<p class="quiet">At most so many of a site's pages were missed, with 95 % confidence.</p>\n`,
  ];
}

function lastVisits(reports: readonly SiteReport[]): { readonly site: string; readonly visit: VisitReport }[] {
  return reports
    .flatMap(({ site, visits }) => visits.slice(-visitsShown).map((visit) => ({ site, visit })))
    .sort((a, b) => b.visit.at - a.visit.at || (a.site < b.site ? -1 : 1))
    .slice(0, visitsShown);
}

function moreThan(count: number, shown: number, noun: string): string {
  return count > shown
    ? `<p class="quiet">${escapeMarkup(formatNoun(count - shown, noun))} more in the sums.</p>\n`
    : "";
}
