import { type MergeEventsOptions, mergeEvents, type PeerMerge } from "../../share/index.ts";
import { printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { formatBytes, formatCount, formatNoun } from "../terminal/quantity.ts";

/** Merges peers, and prints what each gave and what it came to. */
export async function runMerge(options: MergeEventsOptions, context: RunContext): Promise<ExitCode> {
  const { err, json, quiet, signal } = context;
  const onPeer = (merge: PeerMerge): void => {
    if (merge.problem !== undefined) err.write(`warning: ${merge.peer}: ${merge.problem}\n`);
    if (!json && !quiet) context.out.write(formatPeer(merge));
  };
  const summary = await mergeEvents({ ...options, signal, onPeer });
  printSummary(context, summary, () => {
    const { added, sooner, later, known, elsewhere, tooMany } = summary;
    const refused = tooMany === 0 ? "" : `; ${formatNoun(tooMany, "new URL")} beyond --max-new`;
    return (
      `${formatNoun(added, "URL")} added, ${formatNoun(sooner, "page")} to be requested sooner, ${formatCount(later)} later; ` +
      `${formatNoun(known, "event")} told nothing new, ${formatCount(elsewhere)} of sites that are not crawled${refused}\n`
    );
  });
  return summary.peers.some(({ problem }) => problem !== undefined) ? exitCodes.itemsFailed : exitCodes.done;
}

function formatPeer({ peer, files, unmodified, missing, events, bad, misdated, receivedBytes }: PeerMerge): string {
  const wrong = bad + misdated === 0 ? "" : `, ${formatNoun(bad + misdated, "record")} refused`;
  return (
    `${peer}: ${formatNoun(events, "event")} in ${formatNoun(files, "file")} (${formatBytes(receivedBytes)})${wrong}; ` +
    `${formatNoun(unmodified, "file")} not modified, ${formatNoun(missing, "day")} without one\n`
  );
}
