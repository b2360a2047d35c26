import type { Figure } from "../core/index.ts";
import type { SiteStatus } from "../exporter/index.ts";
import { formatBytes, formatMoment, formatNoun } from "../formats/quantity/index.ts";
import type { Tally, TrafficSummary } from "../traffic/index.ts";
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
import { type Advice, adviseSite } from "./traffic-advice.ts";

const groupsShown = 25;
const purposesShown = 8;

/** What the page of a site's traffic is made of. */
export interface TrafficPageInput {
  readonly summary: TrafficSummary;
  /** The site's exporter, if there is one. */
  readonly status?: SiteStatus;
}

/**
 * What crawlers cost a site as one page that needs nothing from elsewhere: who they are, what is wasted, what changed on the
 * site, and what to do.
 */
export async function formatTrafficPage(input: TrafficPageInput, title: string, version: string): Promise<string> {
  const { summary, status } = input;
  const { all, crawling } = summary;
  if (all.requests === 0) return formatPage(title, version, [formatLead("The logs have no requests.")]);
  return formatPage(title, version, [
    formatLead(answer(summary)),
    formatTiles([
      [
        "Crawlers' requests",
        formatShare(crawling.requests, all.requests),
        `${formatCount(crawling.requests)} of ${formatCount(all.requests)}`,
      ],
      [
        "Crawlers' bytes",
        formatShare(crawling.bytes, all.bytes),
        `${formatBytes(crawling.bytes)} of ${formatBytes(all.bytes)}`,
      ],
      [
        "Needless requests",
        formatShare(crawling.needless, crawling.requests),
        `${formatCount(crawling.needless)} of crawlers' requests`,
      ],
      [
        "Bytes sent again",
        formatBytes(crawling.wastedBytes),
        `${formatShare(crawling.wastedBytes, crawling.bytes)} of crawlers' bytes`,
      ],
    ]),
    `<h2>What to do</h2>\n`,
    ...adviseSite(summary, status).map(formatAdvice),
    `<h2>Who crawls</h2>\n`,
    await formatFigure(purposesFigure(summary)),
    formatGroups(summary),
    ...(await formatChanges(status)),
    `<h2>How this was counted</h2>\n`,
    ...formatMethod(summary),
  ]);
}

function answer({ all, crawling, from, to }: TrafficSummary): string {
  const [first, last] = [from, to].map((at) => (at === undefined ? "" : dayOf(at)));
  const period = first === "" ? "In these logs" : first === last ? `On ${first}` : `From ${first} to ${last}`;
  return (
    `${period}, ${formatShare(crawling.bytes, all.bytes)} of what the server sent went to crawlers. ` +
    `${formatShare(crawling.needless, crawling.requests)} of their requests were needless: the page had not changed since the same crawler's last request. ` +
    `${formatBytes(crawling.wastedBytes)} were sent again for them.`
  );
}

const dayOf = (seconds: number): string => formatMoment(seconds).slice(0, 10);

function formatAdvice({ text, lines }: Advice): string {
  return `<p>${escapeMarkup(text)}</p>\n${lines === undefined ? "" : `<pre>${escapeMarkup(lines)}</pre>\n`}`;
}

/** Bytes by purpose, and those of them that were sent again. */
function purposesFigure({ groups, all }: TrafficSummary): Figure {
  const byPurpose = new Map<string, { bytes: number; wasted: number }>();
  for (const { purpose, counts } of groups) {
    const sum = byPurpose.get(purpose) ?? { bytes: 0, wasted: 0 };
    byPurpose.set(purpose, { bytes: sum.bytes + counts.bytes, wasted: sum.wasted + counts.wastedBytes });
  }
  const shown = [...byPurpose].sort(([, a], [, b]) => b.bytes - a.bytes).slice(0, purposesShown);
  const whole = Math.max(1, all.bytes);
  return {
    name: "purposes",
    title: "Bytes by purpose",
    caption:
      "Share of all bytes that crawlers of each purpose received, and what of it they had received before: pages that had not changed.",
    x: { label: "purpose", kind: "names" },
    y: { label: "share of all bytes", kind: "linear", format: "percent" },
    hasPublished: false,
    marks: [
      { of: "ours", kind: "bars", name: "received", points: shown.map(([x, { bytes }]) => ({ x, y: bytes / whole })) },
      {
        of: "ours",
        kind: "bars",
        name: "sent again",
        points: shown.map(([x, { wasted }]) => ({ x, y: wasted / whole })),
      },
    ],
  };
}

function formatGroups(summary: TrafficSummary): string {
  const { all, groups, areConditionsLogged } = summary;
  const rowOf = ({ operator, purpose, counts }: TrafficSummary["groups"][number]): string[] => [
    operator,
    purpose,
    ...cellsOf(counts, all, areConditionsLogged),
  ];
  const more = groups.length - groupsShown;
  return [
    formatTable(
      "Crawlers",
      [
        "Crawler",
        "Purpose",
        "#Requests",
        "#Bytes",
        "#Share",
        "#Conditional",
        "#304",
        "#Needless",
        "#Sent again",
        "#Errors",
      ],
      groups.slice(0, groupsShown).map(rowOf),
    ),
    more > 0 ? `<p class="quiet">${formatNoun(more, "other crawler")} received less.</p>\n` : "",
  ].join("");
}

function cellsOf(counts: Readonly<Tally>, all: Readonly<Tally>, areConditionsLogged: boolean): string[] {
  return [
    formatCount(counts.requests),
    formatBytes(counts.bytes),
    formatShare(counts.bytes, all.bytes),
    areConditionsLogged ? formatShare(counts.conditional, counts.requests) : "?",
    formatShare(counts.notModified, counts.requests),
    formatShare(counts.needless, counts.requests),
    formatBytes(counts.wastedBytes),
    formatShare(counts.errors, counts.requests),
  ];
}

/** What the exporter published, by day. */
async function formatChanges(status: SiteStatus | undefined): Promise<string[]> {
  const ledger = status?.ledger;
  if (ledger === undefined) return [];
  const changes = ledger.days.reduce((sum, day) => sum + day.changes, 0);
  return [
    `<h2>What changed on the site</h2>\n`,
    `<p>${escapeMarkup(`${formatNoun(changes, "change")} of ${formatNoun(ledger.pages, "page")} were published in ${formatNoun(ledger.days.length, "day")}; the last publication was at ${formatMoment(ledger.publication)}.`)}</p>\n`,
    await formatFigure({
      name: "changes",
      title: "Published changes by day",
      caption:
        "Pages created, updated and deleted, as the exporter published them. Days are in UTC; older days, of which only merged archives are left, are estimates.",
      x: { label: "day", kind: "days" },
      y: { label: "changes", kind: "linear" },
      hasPublished: false,
      marks: [
        {
          of: "ours",
          kind: "bars",
          name: "changes",
          points: ledger.days.map(({ date, changes: y }) => ({ x: Date.parse(date) / 86_400_000, y })),
        },
      ],
    }),
  ];
}

function formatMethod(summary: TrafficSummary): string[] {
  const { lines, badLines, logs, crawlerCount, crawlersWithNotModified, uncomparedAnswers } = summary;
  const texts = [
    `${formatNoun(lines, "line")} of ${formatNoun(logs, "log")}; ${formatNoun(badLines, "line")} of no known format.`,
    "A crawler is a client that says so by a name on the list crawler-user-agents, one that asked for robots.txt, or one that goes through many pages and loads nothing of what belongs to them.",
    "A request is needless if the page had not changed since the same crawler's last request of it, as far as the log tells by sizes and answers.",
    `${formatCount(crawlersWithNotModified)} of ${formatNoun(crawlerCount, "crawler")} got at least one 304.`,
    ...(uncomparedAnswers === 0
      ? []
      : [`To keep memory bounded, ${formatNoun(uncomparedAnswers, "answer")} were not compared.`]),
  ];
  return [`<ul>${texts.map((text) => `<li>${escapeMarkup(text)}</li>`).join("")}</ul>\n`];
}
