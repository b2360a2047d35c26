import { type ShareEventsOptions, shareEvents, shareRobotsLines } from "../../share/index.ts";
import { printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { formatNoun } from "../terminal/quantity.ts";

/** Publishes the events of a crawler, and says which lines robots.txt lacks. */
export async function runShare(options: ShareEventsOptions, context: RunContext): Promise<ExitCode> {
  const summary = await shareEvents({ ...options, signal: context.signal });
  const { crawler, repository, events, files, removed, isDisallowed } = summary;
  printSummary(context, summary, () => {
    const gone = removed === 0 ? "" : `; ${formatNoun(removed, "old file")} removed`;
    return `${repository}: ${formatNoun(events, "event")} of ${crawler} added to ${formatNoun(files, "file")}${gone}\n`;
  });
  if (!isDisallowed)
    context.err.write(
      `warning: robots.txt lets crawlers take the share files for pages. Add these lines to it:\n\n${shareRobotsLines}`,
    );
  return exitCodes.done;
}
