import type { Clock, CrawlEvent, CrawlSummary, EpochMs } from "../../core/index.ts";
import type { SiteDecision } from "../../crawler/index.ts";
import { printEvent, type RunContext } from "../terminal/command.ts";
import { Pace, ProgressLine } from "../terminal/progress-line.ts";
import { addUp, formatBytes, formatCount, formatElapsed, formatNoun } from "../terminal/quantity.ts";

const reasons: Readonly<Record<(CrawlEvent & { event: "waiting" })["why"], string>> = {
  "retry-after": "the site asked for it (Retry-After)",
  "back-off": "the site is in trouble",
  "crawl-delay": "the site asked for it (Crawl-delay)",
  rest: "pause between requests to the site",
  "shared-address": "another site at the same address is being crawled",
};

function formatWait(event: CrawlEvent & { event: "waiting" }, now: EpochMs): string {
  const seconds = Math.max(1, Math.ceil((event.untilMs - now) / 1000));
  return `${event.site}: waiting ${formatCount(seconds)} s: ${reasons[event.why]}`;
}

/** So many pages that failed are named. */
const maxNamed = 10;

/**
 * Tells people which pages failed, or are not there although they were asked for by their URL: all that have an error of
 * their own, and the first ten others.
 */
export class FailedPages {
  readonly #say: (line: string) => void;
  #named = 0;
  #faulty: string | undefined;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  take(event: CrawlEvent): void {
    if (event.event === "item-error") {
      this.#faulty = event.site + event.path;
      this.#say(`failed: ${event.site}${event.path}: ${event.message}`);
    } else if (event.event === "page" && (event.outcome === "failed" || event.outcome === "gone"))
      this.#takePage(event);
  }

  // A page that was there once and is gone has no message.
  #takePage({ site, path, message, outcome }: CrawlEvent & { event: "page" }): void {
    if (message === undefined || this.#faulty === site + path) return;
    this.#named++;
    if (this.#named <= maxNamed)
      this.#say(`${outcome === "gone" ? "not there" : "failed"}: ${site}${path}: ${message}`);
    if (this.#named === maxNamed + 1) this.#say("more pages failed; --json names each");
  }
}

/** Prints what happens in a crawl: as JSON, or for people. */
export class CrawlPrinter extends ProgressLine {
  readonly #context: RunContext;
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #failed = new FailedPages((line) => this.say(line));

  constructor(context: RunContext, clock: Clock = Date.now) {
    super(context.err, context.quiet);
    this.#context = context;
    this.#clock = clock;
    this.#pace = new Pace(clock);
  }

  take(event: CrawlEvent): void {
    printEvent(this.#context, event);
    const { json } = this.#context;
    if (event.event === "progress") {
      const what = event.phase === "metadata" ? "reading archives" : "fetching pages";
      const pace = this.#pace.format(`${event.site} ${event.phase}`, event.done, event.total);
      this.show(() => `${event.site}: ${what}: ${formatCount(event.done)} of ${formatCount(event.total)}${pace}`);
    } else if (event.event === "waiting") this.show(() => formatWait(event, this.#clock()), true);
    else if (json) return;
    else if (event.event === "warning") this.say(`warning: ${event.site}: ${event.message}`);
    else this.#failed.take(event);
  }

  /** Takes the progress line away. */
  end(): void {
    this.clear();
  }
}

const sourceWords: Readonly<Record<CrawlSummary["source"], string>> = {
  archives: "by archives",
  resourcesync: "by ResourceSync",
  sitemap: "by sitemaps",
  links: "by following links",
  list: "by the list of URLs",
  none: "left from earlier visits",
};

function whyNotBetter({ passedOver }: CrawlSummary): string {
  if (passedOver.length === 0) return "";
  return ` (${passedOver.map(({ source, why }) => `${source}: ${why.replace(/\.$/, "")}`).join("; ")})`;
}

/** What a visit came to, for people. */
export function formatCrawlResult(summary: CrawlSummary): string {
  const { created, updated, deleted, unchanged } = summary;
  if (summary.source === "none" && created + updated + deleted + summary.pageRequests === 0)
    return `${summary.site}: ${summary.isCutShort ? "the visit was stopped" : "could not be crawled"}
`;
  const lines = [
    `${summary.site}: ${formatCount(created)} created, ${formatCount(updated)} updated, ` +
      `${formatCount(deleted)} deleted, ${formatCount(unchanged)} unchanged`,
    `${formatNoun(summary.requests, "request")} (${formatCount(summary.pageRequests)} for pages, ` +
      `${formatCount(summary.notModified)} answered 304), ${formatBytes(summary.pageBytes)} of pages, ` +
      `${formatBytes(summary.metadataBytes)} of ${summary.source === "archives" ? "archives" : "lists"}, ${formatElapsed(summary.elapsedMs)}`,
  ];
  const odd = [
    [summary.failed, "failed"],
    [summary.differing, "other than announced"],
    [summary.disallowed, "disallowed by robots.txt or for a use"],
    [summary.pending, "left for the next visit"],
  ] as const;
  if (summary.packedPages > 0)
    lines.push(`${formatNoun(summary.packedPages, "page")} from packages, ${formatBytes(summary.packageBytes)}`);
  if (summary.source !== "archives") lines.push(`${sourceWords[summary.source]}${whyNotBetter(summary)}`);
  const parts = odd.filter(([count]) => count > 0).map(([count, what]) => `${formatCount(count)} ${what}`);
  if (parts.length > 0) lines.push(parts.join(", "));
  return `${lines.join("\n")}\n`;
}

const summed = [
  ...([
    "requests",
    "pageRequests",
    "notModified",
    "metadataBytes",
    "pageBytes",
    "packageBytes",
    "packedPages",
  ] as const),
  ...([
    "created",
    "updated",
    "deleted",
    "unchanged",
    "failed",
    "differing",
    "disallowed",
    "pending",
    "elapsedMs",
  ] as const),
];

/** The sum of visits to several sites; that of one visit is the visit's own. */
export function addCrawlSummaries(summaries: readonly CrawlSummary[]): CrawlSummary {
  const [first, ...others] = summaries;
  if (first !== undefined && others.length === 0) return first;
  return {
    site: summaries.map(({ site }) => site).join(" "),
    source: summaries.findLast(({ source }) => source !== "none")?.source ?? "none",
    passedOver: [],
    ...addUp(summed, summaries),
    cursor: undefined,
  };
}

/** What was decided about a site, as a part of a sentence. */
export function formatDecided({ isPaused, priority, isDue }: Omit<SiteDecision, "site">): string {
  return [
    ...(isPaused === undefined ? [] : [isPaused ? "paused" : "resumed"]),
    ...(priority === undefined ? [] : [`priority ${priority}`]),
    ...(isDue === true ? ["to be visited now"] : []),
  ].join(", ");
}
