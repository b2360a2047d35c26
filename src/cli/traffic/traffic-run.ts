import {
  readTraffic,
  type Tally,
  type TrafficEvent,
  type TrafficOptions,
  type TrafficSummary,
} from "../../traffic/index.ts";
import { printEvent, printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { Pace, ProgressLine } from "../terminal/progress-line.ts";
import { formatBytes, formatCount, formatMoment, formatNoun } from "../terminal/quantity.ts";
import { formatTable } from "../terminal/text-layout.ts";

/** The whole answer has at most 20 lines. */
const groupsShown = 12;
const nameWidth = 28;

/** Reads logs and prints who costs what; logs that could not be read to their end make the code of failed items. */
export async function runTraffic(options: TrafficOptions, context: RunContext): Promise<ExitCode> {
  const summary = await countTraffic(options, context);
  printSummary(context, summary, () => formatTraffic(summary));
  return summary.failed > 0 ? exitCodes.itemsFailed : exitCodes.done;
}

/** Reads logs, with progress and warnings. */
export async function countTraffic(options: TrafficOptions, context: RunContext): Promise<TrafficSummary> {
  const { err, input, json, out, quiet, signal } = context;
  const progress = new ProgressLine(err, quiet);
  const pace = new Pace();
  const onEvent = (event: TrafficEvent): void => {
    printEvent(context, event);
    if (event.event === "progress")
      progress.show(() => `${event.log}: ${formatNoun(event.lines, "line")}${pace.format("lines", event.lines)}`);
    else if (json) return;
    else if (event.event === "failed") progress.say(`warning: ${event.message}`);
    else if (event.event === "interim") {
      progress.clear();
      if (!quiet) out.write(`${formatTraffic(event)}\n`);
    } else progress.say(`warning: a line of ${event.log} is of no known format: ${event.text}`);
  };
  return await progress.during(readTraffic({ ...options, input, signal, onEvent }));
}

const formatShare = (part: number, whole: number): string =>
  whole === 0 ? "-" : `${((100 * part) / whole).toFixed(part > 0 && part < whole / 10 ? 1 : 0)} %`;

/** The answer in at most 20 lines. */
export function formatTraffic(summary: TrafficSummary): string {
  const { all, crawling, from, to, badLines, groups, crawlerCount, crawlersWithNotModified } = summary;
  if (all.requests === 0) return `no requests in ${formatNoun(summary.lines, "line")}\n`;
  const period = from === undefined || to === undefined ? "" : `, ${formatMoment(from)} to ${formatMoment(to)}`;
  const bad = badLines === 0 ? "" : `; ${formatNoun(badLines, "line")} of no known format`;
  const lines = [
    `${formatNoun(all.requests, "request")}, ${formatBytes(all.bytes)}${period}${bad}`,
    `crawlers: ${formatShare(crawling.requests, all.requests)} of requests, ${formatShare(crawling.bytes, all.bytes)} of bytes`,
    `needless: ${formatNoun(crawling.needless, "request")} of crawlers (${formatShare(crawling.needless, crawling.requests)}), ` +
      `${formatBytes(crawling.wastedBytes)} sent again (${formatShare(crawling.wastedBytes, crawling.bytes)} of theirs)`,
    `${formatCount(crawlersWithNotModified)} of ${formatNoun(crawlerCount, "crawler")} got a 304 (${formatShare(crawlersWithNotModified, crawlerCount)})`,
  ];
  const notes = formatNotes(summary);
  return `${[...lines, ...notes].join("\n")}\n\n${formatGroups(summary, groups.slice(0, groupsShown - notes.length))}`;
}

/** What the site's archives and limits add to the first lines. */
function formatNotes({ history, crawling, ...summary }: TrafficSummary): string[] {
  const notes: string[] = [];
  if (history !== null)
    notes.push(
      `by the site's own history: ${formatNoun(history.needless, "needless request")}; ` +
        `archives would ${formatSavings(history.savedRequests, history.savedBytes)}`,
    );
  if (crawling.breaches > 0) notes.push(`against robots.txt: ${formatNoun(crawling.breaches, "request")}`);
  const { uncomparedAnswers, forgottenClients, misplacedRequests } = summary;
  const limits = [
    uncomparedAnswers > 0 ? `${formatNoun(uncomparedAnswers, "answer")} not compared` : "",
    forgottenClients > 0 ? `${formatNoun(forgottenClients, "client")} forgotten to make room` : "",
    misplacedRequests > 0 ? `${formatNoun(misplacedRequests, "request")} on another day than theirs` : "",
  ].filter((limit) => limit !== "");
  if (limits.length > 0) notes.push(`limits: ${limits.join("; ")}`);
  return notes;
}

function formatSavings(savedRequests: number, savedBytes: number): string {
  const requests = formatNoun(Math.abs(savedRequests), "request");
  const bytes = formatBytes(Math.abs(savedBytes));
  if (savedRequests >= 0 && savedBytes >= 0) return `save ${requests} and ${bytes}`;
  if (savedRequests <= 0 && savedBytes <= 0) return `cost ${requests} and ${bytes} more`;
  return savedRequests > 0 ? `save ${requests} and cost ${bytes} more` : `save ${bytes} and cost ${requests} more`;
}

function formatGroups(summary: TrafficSummary, shown: TrafficSummary["groups"]): string {
  const { all, crawling, groups, areConditionsLogged } = summary;
  const rowOf = (name: string, purpose: string, counts: Readonly<Tally>, isCrawler = true): string[] => [
    name.length > nameWidth ? `${name.slice(0, nameWidth - 3)}...` : name,
    purpose,
    formatCount(counts.requests),
    formatBytes(counts.bytes),
    formatShare(counts.bytes, all.bytes),
    areConditionsLogged ? formatShare(counts.conditional, counts.requests) : "?",
    formatShare(counts.notModified, counts.requests),
    isCrawler ? formatShare(counts.needless, counts.requests) : "",
    isCrawler ? formatBytes(counts.wastedBytes) : "",
    formatShare(counts.errors, counts.requests),
  ];
  const rest = { ...crawling };
  for (const { counts } of shown) for (const key of keysOf(rest)) rest[key] -= counts[key];
  const others = { ...all };
  for (const key of keysOf(others)) others[key] -= crawling[key];
  const more = groups.length - shown.length;
  return formatTable(
    [
      ["crawler", "purpose", "requests", "bytes", "share", "conditional", "304", "needless", "wasted", "errors"],
      ...shown.map(({ operator, purpose, counts, areImpostors }) =>
        rowOf(areImpostors ? `not ${operator}` : operator, purpose, counts),
      ),
      ...(more > 0 ? [rowOf(`${formatCount(more)} more`, "", rest)] : []),
      rowOf("people and others", "", others, false),
    ],
    "llrrrrrrrr",
  );
}

const keysOf = (tally: Tally): (keyof Tally)[] => Object.keys(tally) as (keyof Tally)[];
