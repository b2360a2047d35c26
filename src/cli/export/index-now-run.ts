import { type ExportSummary, type IndexNowEvent, type IndexNowSummary, TidemarkError } from "../../core/index.ts";
import type { ExportSettings } from "../../exporter/index.ts";
import { tellIndexNow } from "../../indexnow/index.ts";
import { printEvent, type RunContext } from "../terminal/command.ts";
import { formatNoun } from "../terminal/quantity.ts";
import type { ExportPrinter } from "./export-printer.ts";

/** What the command line says about whom to tell, and of what. */
export interface IndexNowRun {
  readonly indexNowEndpoint?: string;
  readonly indexNowAll?: boolean;
}

/**
 * Tells search engines what an export published. The publication stands whatever comes of it.
 *
 * @returns undefined if it could not be done, which was reported
 */
export async function tellOfExport(
  site: ExportSettings,
  run: IndexNowRun,
  summary: Pick<ExportSummary, "site" | "stateDir">,
  context: RunContext,
  printer: ExportPrinter,
): Promise<IndexNowSummary | undefined> {
  const { indexNowKey, docroot } = site;
  try {
    const told = await tellIndexNow({
      docroot,
      baseUrl: summary.site,
      stateDir: summary.stateDir,
      all: run.indexNowAll === true,
      ...(indexNowKey === undefined ? {} : { key: indexNowKey }),
      ...(run.indexNowEndpoint === undefined ? {} : { endpoint: run.indexNowEndpoint }),
      signal: context.signal,
      onEvent: (event) => {
        printEvent(context, event);
        if (!context.json) printer.say(describe(event));
      },
    });
    return told;
  } catch (error) {
    if (!(error instanceof TidemarkError) || error.code === "aborted") throw error;
    const message = `Changes were not submitted to search engines: ${error.message}`;
    printEvent(context, { event: "warning", code: error.code, message });
    printer.say(`warning: ${message}${error.hint === undefined ? "" : ` ${error.hint}`}`);
    return undefined;
  }
}

function describe(event: IndexNowEvent): string {
  if (event.event === "warning") return `warning: ${event.message}`;
  switch (event.step) {
    case "begun":
      return "IndexNow: from now on, changes will be submitted";
    case "told":
      return `IndexNow: submitted ${formatNoun(event.urls, "URL")}`;
    case "refused":
      return `IndexNow: ${formatNoun(event.urls, "URL")} refused (${event.status}): ${event.message} ${event.hint}`;
    case "retrying":
      return `IndexNow: ${event.message}; again in ${Math.ceil(event.delayMs / 1000)} s`;
    case "postponed":
      return `IndexNow: ${event.message}; a later run submits the rest`;
  }
}
