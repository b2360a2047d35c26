import { type FeedMirrorOptions, feedMirror } from "../../sinks/index.ts";
import { printEvent, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatCount } from "../terminal/quantity.ts";

/** Feeds a search index, and prints how much. */
export async function runFeed(options: FeedMirrorOptions, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet, signal } = context;
  const progress = new ProgressLine(err, quiet || json);
  let unreadable = 0;
  const summary = await feedMirror({
    ...options,
    signal,
    onEvent: (event) => {
      printEvent(context, event);
      if (event.event === "progress") progress.show(() => `${formatCount(event.done)} pages`);
      else {
        if (event.code === "unreadable") unreadable++;
        progress.say(`warning: ${event.message}`);
      }
    },
  }).finally(() => progress.clear());
  const { to, indexed, documents, deleted, disallowed, withoutText } = summary;
  if (json) out.writeJson({ event: "summary", ...summary });
  else if (!quiet) {
    const many = documents === indexed ? "" : ` in ${formatCount(documents)} pieces`;
    out.write(`${to}: ${formatCount(indexed)} pages written${many}, ${formatCount(deleted)} removed`);
    if (disallowed > 0) out.write(`, ${formatCount(disallowed)} left out by preferences about use`);
    out.write(withoutText === 0 ? "\n" : ` (${formatCount(withoutText)} without text)\n`);
  }
  return unreadable === 0 ? exitCodes.done : exitCodes.itemsFailed;
}
