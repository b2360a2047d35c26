import { crawlSite } from "../crawl-site.ts";
import type { CrawlSummary } from "../model/index.ts";
import { createPoliteness, type Politeness } from "../politeness.ts";
import { printEvent, type RunContext } from "./command.ts";
import type { CrawlArguments } from "./crawl-command.ts";
import { CrawlPrinter, formatCrawlResult } from "./crawl-printer.ts";
import { addCrawlSummaries } from "./crawl-sum.ts";
import { type ExitCode, exitCodeOfVisit, worstExitCode } from "./exit-code.ts";
import { givenOptions } from "./option.ts";

/** Crawls sites one after the other; one that cannot be read does not keep the others from being read. */
export async function runCrawl(options: CrawlArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet } = context;
  const { urls, politeness: spare, ...rest } = options;
  const politeness = createPoliteness(spare);
  const printer = new CrawlPrinter(err, quiet);
  const summaries: CrawlSummary[] = [];
  for (const url of urls) {
    const summary = await crawlOne({ ...rest, url, politeness }, context, printer);
    summaries.push(summary);
    if (json && urls.length > 1) out.writeJson({ event: "site-summary", ...summary });
    if (!json && !quiet) out.write(formatCrawlResult(summary));
  }
  if (json) out.writeJson({ event: "summary", ...addCrawlSummaries(summaries) });
  return worstExitCode(summaries.map((summary) => exitCodeOfVisit(summary, options.budget)));
}

async function crawlOne(
  options: Omit<CrawlArguments, "urls" | "politeness"> & { readonly url: string; readonly politeness: Politeness },
  context: RunContext,
  printer: CrawlPrinter,
): Promise<CrawlSummary> {
  try {
    return await crawlSite({
      ...givenOptions(options),
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
