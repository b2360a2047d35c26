import type { Figure } from "../core/index.ts";
import type { SiteStatus } from "../exporter/index.ts";
import { formatBytes, formatMoment, formatNoun, formatSpan } from "../formats/quantity/index.ts";
import type { DayTraffic, HistoryTraffic, Tally, TrafficSummary } from "../traffic/index.ts";
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
  const { all, crawling, history } = summary;
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
    ...(summary.days.length < 2 ? [] : [await formatFigure(daysFigure(summary))]),
    `<h2>What to do</h2>\n`,
    ...adviseSite(summary, status).map(formatAdvice),
    `<h2>Who crawls</h2>\n`,
    ...(summary.purposes.length === 0 ? [] : [await formatFigure(purposesFigure(summary))]),
    formatGroups(summary),
    ...(history === null ? [] : formatHistory(summary, history)),
    ...formatArchiveUse(summary),
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

const units = [
  ["GiB", 1024 ** 3],
  ["MiB", 1024 ** 2],
  ["KiB", 1024],
] as const;

/** Bytes of each day: all, in front of them those of crawlers, and in front of these those sent again. */
function daysFigure({ days }: TrafficSummary): Figure {
  const most = Math.max(...days.map(({ bytes }) => bytes));
  const [unit, size] = units.find(([, bytes]) => most >= bytes) ?? ["bytes", 1];
  const bars = (name: string, of: (day: DayTraffic) => number) => ({
    ...{ of: "ours" as const, kind: "bars" as const, name },
    points: days.map((day) => ({ x: Date.parse(day.day) / 86_400_000, y: of(day) / size })),
  });
  return {
    name: "days",
    title: "Bytes by day",
    caption:
      "All bytes of each day; in front of them those that crawlers received, and in front of these those that the same crawler had received before. Days are in UTC.",
    x: { label: "day", kind: "days" },
    y: { label: unit, kind: "linear" },
    hasPublished: false,
    marks: [
      bars("all", ({ bytes }) => bytes),
      bars("crawlers", ({ crawling }) => crawling.bytes),
      bars("sent again", ({ crawling }) => crawling.wastedBytes),
    ],
  };
}

/** Bytes by purpose, and those of them that were sent again. */
function purposesFigure({ purposes, all }: TrafficSummary): Figure {
  const shown = purposes.slice(0, purposesShown);
  const bars = (name: string, of: (counts: Readonly<Tally>) => number) => ({
    ...{ of: "ours" as const, kind: "bars" as const, name },
    points: shown.map(({ purpose, counts }) => ({ x: purpose, y: of(counts) / Math.max(1, all.bytes) })),
  });
  return {
    name: "purposes",
    title: "Bytes by purpose",
    caption:
      "Share of all bytes that crawlers of each purpose received, and what of it they had received before: pages that had not changed.",
    x: { label: "purpose", kind: "names" },
    y: { label: "share of all bytes", kind: "linear", format: "percent" },
    hasPublished: false,
    marks: [bars("received", ({ bytes }) => bytes), bars("sent again", ({ wastedBytes }) => wastedBytes)],
  };
}

/** Head and cells of a table of crawlers. */
type Column = readonly [head: string, cell: (counts: Readonly<Tally>) => string];

function formatGroups({ all, crawling, groups, areConditionsLogged }: TrafficSummary): string {
  const columns: Column[] = [
    ["#Requests", ({ requests }) => formatCount(requests)],
    ["#Bytes", ({ bytes }) => formatBytes(bytes)],
    ["#Share", ({ bytes }) => formatShare(bytes, all.bytes)],
    ["#Conditional", ({ conditional, requests }) => (areConditionsLogged ? formatShare(conditional, requests) : "?")],
    ["#304", ({ notModified, requests }) => formatShare(notModified, requests)],
    ["#Needless", ({ needless, requests }) => formatShare(needless, requests)],
    ["#Sent again", ({ wastedBytes }) => formatBytes(wastedBytes)],
    ["#Errors", ({ errors, requests }) => formatShare(errors, requests)],
    ...(crawling.breaches === 0 ? [] : [["#Forbidden", ({ breaches }) => formatCount(breaches)] satisfies Column]),
    ...(crawling.archives === 0 ? [] : [["#Archives", ({ archives }) => formatCount(archives)] satisfies Column]),
  ];
  const more = groups.length - groupsShown;
  return [
    formatTable(
      "Crawlers",
      ["Crawler", "Purpose", ...columns.map(([head]) => head)],
      groups
        .slice(0, groupsShown)
        .map(({ operator, purpose, areImpostors, counts }) => [
          areImpostors ? `not ${operator}` : operator,
          purpose,
          ...columns.map(([, cell]) => cell(counts)),
        ]),
    ),
    more > 0 ? `<p class="quiet">${formatNoun(more, "other crawler")} received less.</p>\n` : "",
    groups.some(({ areImpostors }) => areImpostors)
      ? `<p class="quiet">“not” stands before an operator whose name a client used from addresses that are not the operator's.</p>\n`
      : "",
  ].join("");
}

/** What each crawler missed and what archives would have saved, by the site's own history. */
function formatHistory({ crawlers }: TrafficSummary, history: HistoryTraffic): string[] {
  const known = crawlers.flatMap((crawler) => (crawler.pages === null ? [] : [{ ...crawler, pages: crawler.pages }]));
  const shown = known.slice(0, groupsShown);
  const span = (seconds: number | null): string => (seconds === null ? "-" : formatSpan(1000 * seconds));
  const { pages, neverRequested, needless, neededRequests, neededBytes, savedRequests, savedBytes, undecided } =
    history;
  const whole = savedRequests + neededRequests;
  return [
    `<h2>What crawlers missed</h2>\n`,
    paragraph(
      `The site has ${formatNoun(pages, "page")}; ${formatNoun(neverRequested, "page")} of them no crawler requested. ` +
        "A crawler finds a change when it requests the page after it: the delays are of half and of nine tenths of these requests.",
    ),
    formatTable(
      "What crawlers missed",
      ["Crawler", "#Changes found", "#Delay of half", "#Of nine tenths", "#Changed since", "#Never requested"],
      shown.map(({ name, pages: seen }) => [
        name,
        formatCount(seen.updates),
        span(seen.medianDelaySeconds),
        span(seen.p90DelaySeconds),
        formatCount(seen.outdated),
        formatCount(seen.neverRequested),
      ]),
    ),
    `<h2>What archives would save</h2>\n`,
    paragraph(
      `With the site's archives the same visits would have needed ${formatNoun(neededRequests, "request")} instead of ${formatCount(whole)}, ` +
        `and ${formatBytes(neededBytes)} instead of ${formatBytes(savedBytes + neededBytes)}. By the site's own history ${formatNoun(needless, "request")} were needless` +
        (undecided === 0 ? "." : `; of ${formatNoun(undecided, "request")} it cannot tell.`),
    ),
    formatTable(
      "What archives would save",
      ["Crawler", "#Requests", "#Needed", "#Bytes", "#Needed"],
      shown.map(({ name, pages: seen }) => [
        name,
        ...[seen.requests, seen.neededRequests].map(formatCount),
        ...[seen.bytes, seen.neededBytes].map(formatBytes),
      ]),
    ),
  ];
}

/** What was saved by crawlers that did read the archives: their cost by day before and since. */
function formatArchiveUse({ crawlers }: TrafficSummary): string[] {
  const rows = crawlers.flatMap(({ name, archiveUse }) => {
    if (archiveUse === null) return [];
    const { since, requestsPerDayBefore, requestsPerDaySince, bytesPerDayBefore, bytesPerDaySince } = archiveUse;
    const counts = [requestsPerDayBefore, requestsPerDaySince].map((count) => formatCount(Math.round(count)));
    return [
      [name, since, ...counts, ...[bytesPerDayBefore, bytesPerDaySince].map((bytes) => formatBytes(Math.round(bytes)))],
    ];
  });
  if (rows.length === 0) return [];
  return [
    `<h2>Crawlers that read the archives</h2>\n`,
    paragraph("What they cost by day, before their first request of an archive and since."),
    formatTable(
      "Crawlers that read the archives",
      ["Crawler", "@Since", "#Requests before", "#Since", "#Bytes before", "#Since"],
      rows.slice(0, groupsShown),
    ),
  ];
}

const paragraph = (text: string): string => `<p>${escapeMarkup(text)}</p>\n`;

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
  const { lines, badLines, logs, crawlerCount, crawlersWithNotModified, peak } = summary;
  const { uncomparedAnswers, forgottenClients, misplacedRequests } = summary;
  const texts = [
    `${formatNoun(lines, "line")} of ${formatNoun(logs, "log")}; ${formatNoun(badLines, "line")} of no known format.`,
    "A crawler is a client that says so by a name on the list crawler-user-agents, one that asked for robots.txt, or one that goes through many pages and loads nothing of what belongs to them.",
    "A request is needless if the page had not changed since the same crawler's last request of it, as far as the log tells by sizes and answers.",
    ...(peak.requests === 0
      ? []
      : [`The busiest minute began at ${formatMoment(peak.at)} and had ${formatNoun(peak.requests, "request")}.`]),
    `${formatCount(crawlersWithNotModified)} of ${formatNoun(crawlerCount, "crawler")} got at least one 304.`,
    ...[
      [uncomparedAnswers, `${formatNoun(uncomparedAnswers, "answer")} not compared.`] as const,
      [
        forgottenClients,
        `${formatNoun(forgottenClients, "client")} forgotten; one that came back is a new one.`,
      ] as const,
      [misplacedRequests, `${formatNoun(misplacedRequests, "request")} counted in another day.`] as const,
    ].flatMap(([count, text]) => (count === 0 ? [] : [`To keep memory bounded: ${text}`])),
  ];
  return [`<ul>${texts.map((text) => `<li>${escapeMarkup(text)}</li>`).join("")}</ul>\n`];
}
