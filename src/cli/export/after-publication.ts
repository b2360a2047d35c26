import { type ExportSummary, TidemarkError } from "../../core/index.ts";
import type { ExportSettings } from "../../exporter/index.ts";
import { printEvent, type RunContext } from "../terminal/command.ts";
import type { ExportPrinter } from "./export-printer.ts";
import { type HookRun, type HookSummary, runPublishHook } from "./publish-hook.ts";
import { type PurgeRun, writePurgeList } from "./purge-list.ts";

/** What came of telling caches and a command of a publication. */
export interface PublicationTold {
  /** URLs that were listed; `null` if they could not be, which was reported. */
  readonly purgeUrls?: number | null;
  /** Absent if nothing was published. */
  readonly onPublish?: HookSummary;
}

/** Lists what caches are to forget, then runs the command, which may read the list. The publication stands in any case. */
export async function tellOfPublication(
  site: ExportSettings,
  run: HookRun & PurgeRun,
  summary: ExportSummary,
  context: RunContext,
  printer: ExportPrinter,
): Promise<PublicationTold> {
  const told: { purgeUrls?: number | null; onPublish?: HookSummary } = {};
  if (run.purge !== undefined) {
    try {
      told.purgeUrls = await writePurgeList(site, run, summary, context);
    } catch (error) {
      if (!(error instanceof TidemarkError)) throw error;
      told.purgeUrls = null;
      const message = `All is published, but the changed URLs could not be listed: ${error.message}`;
      printEvent(context, { event: "warning", code: "purge-list", message });
      if (!context.json) printer.say(`warning: ${message}${error.hint === undefined ? "" : ` ${error.hint}`}`);
    }
  }
  if (run.onPublish !== undefined && summary.published)
    told.onPublish = await runPublishHook(site, run, summary, context, printer);
  return told;
}
