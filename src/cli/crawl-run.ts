import { crawlSite } from "../crawl-site.ts";
import { type CrawlSummary, TidemarkError } from "../model/index.ts";
import type { RunContext } from "./command.ts";
import type { CrawlArguments } from "./crawl-command.ts";
import { CrawlPrinter, formatCrawlResult } from "./crawl-printer.ts";
import { addCrawlSummaries } from "./crawl-sum.ts";
import { type ExitCode, exitCodeOfError, exitCodeOfVisit, worstExitCode } from "./exit-code.ts";
import { givenOptions } from "./option.ts";

/** Crawls sites one after the other; one that cannot be read does not keep the others from being read. */
export async function runCrawl(options: CrawlArguments, context: RunContext): Promise<ExitCode> {
  const { out, err } = context;
  const { urls, ...rest } = options;
  const several = urls.length > 1;
  const printer = new CrawlPrinter(err, context.quiet);
  const summaries: CrawlSummary[] = [];
  const codes: ExitCode[] = [];
  for (const url of urls) {
    try {
      const summary = await crawlOne(url, rest, context, printer);
      summaries.push(summary);
      codes.push(exitCodeOfVisit(summary, options.budget));
      if (context.json && several) out.writeJson({ event: "site-summary", ...summary });
      if (context.json) continue;
      if (summary.source === "none")
        err.write(`tidemark: ${url}: the site could not be followed; see the warning above\n`);
      if (!context.quiet) out.write(formatCrawlResult(summary));
    } catch (error) {
      if (!several || !(error instanceof TidemarkError) || !isOfSite(error)) throw error;
      codes.push(exitCodeOfError(error.code));
      if (context.json) {
        const { code, message, hint } = error;
        out.writeJson({ event: "site-error", site: new URL(url).origin, code, message, hint });
      }
      err.write(`tidemark: ${url}: ${error.message}\n`);
    }
  }
  if (context.json) out.writeJson({ event: "summary", ...addCrawlSummaries(summaries) });
  return worstExitCode(codes);
}

async function crawlOne(
  url: string,
  options: Omit<CrawlArguments, "urls">,
  context: RunContext,
  printer: CrawlPrinter,
): Promise<CrawlSummary> {
  try {
    return await crawlSite({
      ...givenOptions(options),
      url,
      signal: context.signal,
      onEvent: (event) => {
        if (context.json) context.out.writeJson(event);
        printer.show(event, context.json);
      },
    });
  } finally {
    printer.end();
  }
}

function isOfSite(error: TidemarkError): boolean {
  return error.code === "no-archives" || error.code === "site-unavailable";
}
