import {
  type MergeEventsOptions,
  mergeEvents,
  type PeerMerge,
  readTrustedPeers,
  type TrustedPeer,
} from "../../share/index.ts";
import { printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { formatBytes, formatCount, formatNoun } from "../terminal/quantity.ts";

/** What is to be done: peers are merged, or those of a crawler are listed. */
export type MergePlan =
  | ({ readonly kind: "merge" } & MergeEventsOptions)
  | { readonly kind: "list"; readonly from: string };

/** Merges peers, and prints what each gave and what it came to; or lists how far each is trusted. */
export async function runMerge(plan: MergePlan, context: RunContext): Promise<ExitCode> {
  if (plan.kind === "merge") return await merge(plan, context);
  const peers = readTrustedPeers(plan.from);
  printSummary(context, { peers }, () => peers.map((peer) => `${peer.peer}: ${formatTrust(peer)}\n`).join(""));
  return exitCodes.done;
}

async function merge(options: MergeEventsOptions, context: RunContext): Promise<ExitCode> {
  const { err, json, quiet, signal } = context;
  const onPeer = (merge: PeerMerge): void => {
    if (merge.problem !== undefined) err.write(`warning: ${merge.peer}: ${merge.problem}\n`);
    if (!json && !quiet) context.out.write(formatPeer(merge));
  };
  const summary = await mergeEvents({ ...options, signal, onPeer });
  printSummary(context, summary, () => {
    const { added, sooner, later, elsewhere, tooMany, deferred } = summary;
    const merged = new Set(summary.peers.map(({ peer }) => peer));
    const others = new Set(summary.peers.flatMap(({ named }) => named).filter((peer) => !merged.has(peer)));
    const named = [...others].map((peer) => `another crawler that a peer names: ${peer}\n`).join("");
    const refused = tooMany === 0 ? "" : `; ${formatNoun(tooMany, "new URL")} beyond --max-new`;
    const waiting = deferred === 0 ? "" : `; ${formatNoun(deferred, "event")} beyond what the peer is trusted with`;
    return (
      `${formatNoun(added, "URL")} added, ${formatNoun(sooner, "page")} to be requested sooner, ${formatCount(later)} later; ` +
      `${formatNoun(summary.known, "event")} told nothing new, ${formatCount(elsewhere)} of sites that are not crawled${refused}${waiting}\n${named}`
    );
  });
  return summary.peers.some(({ problem }) => problem !== undefined) ? exitCodes.itemsFailed : exitCodes.done;
}

function formatPeer({
  peer,
  files,
  unmodified,
  missing,
  events,
  bad,
  misdated,
  receivedBytes,
  trust,
}: PeerMerge): string {
  const wrong = bad + misdated === 0 ? "" : `, ${formatNoun(bad + misdated, "record")} refused`;
  return (
    `${peer}: ${formatNoun(events, "event")} in ${formatNoun(files, "file")} (${formatBytes(receivedBytes)})${wrong}; ` +
    `${formatNoun(unmodified, "file")} not modified, ${formatNoun(missing, "day")} without one; ${formatTrust(trust)}\n`
  );
}

function formatTrust({ score, isProven, isQuarantined, proved, faults }: Omit<TrustedPeer, "peer">): string {
  const found = Object.entries(faults).map(([fault, count]) => `, ${formatCount(count)} ${fault}`);
  const state = isQuarantined ? "quarantined, " : isProven ? "proven, " : "";
  return `${state}trust ${score.toFixed(2)}, ${formatNoun(proved, "claim")} proved${found.join("")}`;
}
