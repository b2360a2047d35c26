import { readFileSync } from "node:fs";
import { omitUndefined, wrapSystemError } from "../../core/index.ts";
import { type CrawlSettings, crawlWeb, readSeeds, type WebCounts, type WebSummary } from "../../crawler/index.ts";
import { printEvent, printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatBytes, formatCount, formatElapsed, formatNoun } from "../terminal/quantity.ts";
import { FailedPages } from "./crawl-printer.ts";
import type { CrawlArguments } from "./crawl-run.ts";
import { boundHeapGrowth } from "./heap-growth.ts";
import { formatHeldBack } from "./web-words.ts";

function formatCounts(counts: WebCounts): string {
  const { sites, pages, failed, waiting, bytes } = counts;
  const failures = failed === 0 ? "" : ` (${formatCount(failed)} failed)`;
  return `${formatNoun(sites, "site")}, ${formatNoun(pages, "page")}${failures}, ${formatCount(waiting)} waiting, ${formatBytes(bytes)}`;
}

function formatRevisits({ knownSites, visits, knownRequests, newRequests, changed, newShare }: WebCounts): string {
  const requests = `${formatCount(newRequests)} requests for new pages, ${formatCount(knownRequests)} by visits`;
  const share = newShare === undefined ? "" : `; ${(newShare * 100).toFixed(0)} % for new ones now`;
  return `${formatNoun(visits, "visit")} to ${formatNoun(knownSites, "known site")}, ${formatNoun(changed, "changed page")}; ${requests}${share}`;
}

function formatResult(counts: WebSummary): string {
  const { unresolvedSites, unreachableSites, links, requests, elapsedMs } = counts;
  const lines = [
    formatCounts(counts),
    `${formatNoun(requests, "request")}, ${formatNoun(links, "link")}, ${formatElapsed(elapsedMs)}`,
  ];
  if (counts.newShare !== undefined) lines.push(formatRevisits(counts));
  if (unresolvedSites > 0) lines.push(`${formatNoun(unresolvedSites, "site")} without an address`);
  if (unreachableSites > 0) lines.push(`${formatNoun(unreachableSites, "site")} could not be reached`);
  lines.push(...formatHeldBack(counts));
  if (counts.end === "full") lines.push("there are as many pages as --max-total allows");
  else if (counts.done === 0) lines.push("no page was ever answered, in this run or before");
  return `${lines.join("\n")}\n`;
}

/** A file of text that an option names. @throws TidemarkError */
export function readFile(file: string | undefined, what: string): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw wrapSystemError(error, `read the ${what} ${file}`, { file });
  }
}

/** Serves the metrics of the crawl, if that is wanted. */
async function serveMetrics(
  { listen, allowHosts }: Pick<CrawlSettings, "listen" | "allowHosts">,
  into: string,
  context: RunContext,
  progress: ProgressLine,
): Promise<AsyncDisposable | undefined> {
  if (listen === undefined) return undefined;
  const { serveWebMetrics } = await import("./status-server.ts");
  const server = await serveWebMetrics({ listen, ...omitUndefined({ allowHosts }) }, into);
  const { url, port } = server;
  printEvent(context, { event: "listening", url, port });
  if (!context.json) progress.say(`metrics at ${url}/metrics`);
  return server;
}

/** Crawls the Web from a file of seeds on. */
export async function runWeb(options: CrawlArguments, context: RunContext): Promise<ExitCode> {
  const { web, settings, connections, isForever } = options;
  const { into } = settings;
  if (web === undefined || into === undefined) throw new TypeError("a crawl of the Web has seeds and a folder");
  boundHeapGrowth();
  const { seedsFile, ...choices } = web;
  const seeds = await readSeeds(seedsFile);
  const { ca, identity, order: _, ...others } = settings;
  const progress = new ProgressLine(context.err, context.quiet);
  await using _server = await serveMetrics(settings, into, context, progress);
  const failed = new FailedPages((line) => progress.say(line));
  const origins = new Set(seeds.map((seed) => new URL(seed).origin));
  const crawling = crawlWeb({
    ...others,
    ...omitUndefined({ ca: readFile(ca, "certificates"), identity: readFile(identity, "identity") }),
    ...choices,
    ...{ into, seeds, connections, isForever, signal: context.signal },
    onEvent: (event) => {
      printEvent(context, event);
      if (event.event === "web-progress")
        progress.show(() => `${formatCounts(event)}, ${formatNoun(event.open, "site")} open`);
      else if (event.event === "web-batch" && !context.json && !context.quiet)
        progress.say(
          `batch of ${formatNoun(event.pages, "page")} by the ranks of ${formatNoun(event.known, "page")} and ${formatNoun(event.links, "link")}, ${formatElapsed(event.elapsedMs)}`,
        );
      // Of the sites that links lead to many are not there; who named one may have mistyped it.
      else if (event.event === "warning" && event.code === "site-unreachable" && origins.has(event.site)) {
        if (!context.json) progress.say(`warning: ${event.site}: ${event.message}`);
      } else if (!context.json && (event.event === "page" || event.event === "item-error")) failed.take(event);
    },
  });
  const summary = await progress.during(crawling);
  printSummary(context, summary, () => formatResult(summary));
  // Not even a seed answered: the name of a host is wrong, or there is no network.
  if (summary.done === 0) return exitCodes.siteUnavailable;
  return summary.failed > 0 || summary.unreachableSites > 0 ? exitCodes.itemsFailed : exitCodes.done;
}
