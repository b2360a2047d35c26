import { type Clock, omitUndefined, TidemarkError } from "../../core/index.ts";
import { openStore } from "../../storage/index.ts";
import { takeDecisions } from "./control-inbox.ts";
import { DecisionInbox } from "./decision-inbox.ts";
import { readFollowedList } from "./followed-list.ts";
import { formatDecision, type SiteDecision } from "./site-decision.ts";

/** Where a decision is to hold. */
export interface DecideSiteOptions {
  /** Folder of the mirrors. */
  readonly into: string;
  /** Default: in the folder. */
  readonly stateFile: string | undefined;
  readonly now: Clock;
  /** Resolves after so many milliseconds, or once the signal is aborted. */
  readonly delay: (delayMs: number) => Promise<void>;
  /** What else lay in the inbox and was none. */
  readonly onRefused: (message: string) => void;
}

/** A follower looks each second; more than that it takes where the machine is busy. */
const patienceMs = 5000;
const lookEveryMs = 100;

/**
 * Decides of a site that is followed. Whoever holds the state is told by the inbox; where nobody does, it is written down at
 * once, after what lay in the inbox before.
 *
 * @returns `now` if it holds, `later` if who holds the state did not take it yet: then it does so by the next start
 * @throws TidemarkError as `openStore`, but for `locked`
 */
export async function decideSite(decision: SiteDecision, options: DecideSiteOptions): Promise<"now" | "later"> {
  const { into, stateFile, now, delay, onRefused } = options;
  const inbox = new DecisionInbox(into);
  // Put in first: so that of several who decide at a time the last one holds, whoever takes it.
  const name = await inbox.put(formatDecision(decision), now());
  for (let left = patienceMs; left > 0 && inbox.has(name); left -= lookEveryMs) {
    if (takeIfFree(inbox, { into, stateFile, onRefused })) return "now";
    await delay(lookEveryMs);
  }
  return inbox.has(name) ? "later" : "now";
}

function takeIfFree(
  inbox: DecisionInbox,
  { into, stateFile, onRefused }: Pick<DecideSiteOptions, "into" | "stateFile" | "onRefused">,
): boolean {
  try {
    using store = openStore({ into, ...omitUndefined({ stateFile }) });
    const listed = readFollowedList(into);
    takeDecisions(inbox, {
      isFollowed: (site) => listed?.has(site) === true,
      decide: ({ site, ...rest }) => store.plans.decide(site, rest),
      onOutcome: (outcome) => {
        if (outcome.kind === "refused") onRefused(outcome.message);
      },
    });
    return true;
  } catch (error) {
    if (error instanceof TidemarkError && error.code === "locked") return false;
    throw error;
  }
}
