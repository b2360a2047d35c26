import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { type CrawlSiteOptions, crawlSite } from "../crawl-site.ts";
import { givenOptions } from "../given-options.ts";
import { type CrawlSummary, wrapSystemError } from "../model/index.ts";
import { createPoliteness } from "../politeness.ts";
import { printEvent, type RunContext } from "./command.ts";
import type { CrawlArguments } from "./crawl-command.ts";
import { CrawlPrinter, formatCrawlResult } from "./crawl-printer.ts";
import { addCrawlSummaries } from "./crawl-sum.ts";
import { type ExitCode, exitCodeOfVisit, worstExitCode } from "./exit-code.ts";

/** Crawls sites one after the other; one that cannot be read does not keep the others from being read. */
export async function runCrawl(options: CrawlArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet } = context;
  const { urls, urlFile, caFile, politeness: spare, ...rest } = options;
  const ca = caFile === undefined ? {} : { ca: readText(caFile, "certificates") };
  const politeness = createPoliteness(spare);
  const list =
    urlFile === undefined ? {} : { urls: await readLines(urlFile), sources: rest.sources ?? (["list"] as const) };
  const printer = new CrawlPrinter(err, quiet);
  const summaries: CrawlSummary[] = [];
  for (const url of urls) {
    const summary = await crawlOne(url, { ...givenOptions(rest), ...list, ...ca, politeness }, context, printer);
    summaries.push(summary);
    if (json && urls.length > 1) out.writeJson({ event: "site-summary", ...summary });
    if (!json && !quiet) out.write(formatCrawlResult(summary));
  }
  if (json) out.writeJson({ event: "summary", ...addCrawlSummaries(summaries) });
  return worstExitCode(summaries.map((summary) => exitCodeOfVisit(summary, options.budget)));
}

function readText(file: string, what: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw wrapSystemError(error, `read the ${what} ${file}`, { file });
  }
}

/** Reads a list of URLs whole: several sites are asked for theirs. */
async function readLines(file: string): Promise<string[]> {
  const lines: string[] = [];
  try {
    const input = file === "-" ? process.stdin : createReadStream(file);
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const text = line.trim();
      if (text !== "" && !text.startsWith("#")) lines.push(text);
    }
  } catch (error) {
    throw wrapSystemError(error, `read the list ${file}`, { file });
  }
  return lines;
}

async function crawlOne(
  url: string,
  options: Omit<CrawlSiteOptions, "url">,
  context: RunContext,
  printer: CrawlPrinter,
): Promise<CrawlSummary> {
  try {
    return await crawlSite({
      ...options,
      url,
      signal: context.signal,
      onEvent: (event) => {
        printEvent(context, event);
        printer.show(event, context.json);
      },
    });
  } finally {
    printer.end();
  }
}
