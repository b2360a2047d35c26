import { setTimeout as delay } from "node:timers/promises";
import type { ListenAddress } from "../../config/index.ts";
import { serveFolder } from "../../server/index.ts";
import {
  isTemporaryFailure,
  type ShareEventsOptions,
  type ShareSummary,
  shareEvents,
  shareRobotsLines,
} from "../../share/index.ts";
import { printEvent, printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { formatNoun } from "../terminal/quantity.ts";

/** What the command line says about a share. */
export interface ShareArguments extends ShareEventsOptions {
  /** Where the files are served; undefined if another server does that. */
  readonly serve?: ListenAddress;
  /** Time between two publications while they are served. */
  readonly everyMs?: number;
}

/** Publishes the events of a crawler, and says which lines robots.txt lacks; serves the files if that is wanted. */
export async function runShare(
  { serve, everyMs = 600_000, ...options }: ShareArguments,
  context: RunContext,
): Promise<ExitCode> {
  const { signal, err, json, quiet } = context;
  const { isDisallowed } = await publish({ ...options, signal }, context);
  if (!isDisallowed)
    err.write(
      `warning: robots.txt lets crawlers take the share files for pages. Add these lines to it:\n\n${shareRobotsLines}`,
    );
  if (serve === undefined) return exitCodes.done;
  await using server = await serveFolder({ folder: options.into, ...serve });
  printEvent(context, { event: "listening", url: server.url, port: server.port });
  if (!json && !quiet) err.write(`serving ${options.into} at ${server.url} (Ctrl-C ends)\n`);
  while (!signal.aborted) {
    await delay(everyMs, undefined, { signal }).catch(() => undefined);
    // At the end too, so that nothing that was seen waits for the next start.
    try {
      await publish(options, context);
    } catch (error) {
      if (!isTemporaryFailure(error)) throw error;
      printEvent(context, { event: "warning", code: "share", message: error.message });
      if (!json) err.write(`warning: ${error.message}\n`);
    }
  }
  return exitCodes.done;
}

async function publish(options: ShareEventsOptions, context: RunContext): Promise<ShareSummary> {
  const summary = await shareEvents(options);
  const { crawler, repository, events, files, removed } = summary;
  printSummary(context, summary, () => {
    const gone = removed === 0 ? "" : `; ${formatNoun(removed, "old file")} removed`;
    return `${repository}: ${formatNoun(events, "event")} of ${crawler} added to ${formatNoun(files, "file")}${gone}\n`;
  });
  return summary;
}
