import { type Clock, omitUndefined, TidemarkError } from "../../core/index.ts";
import { openStore } from "../../storage/index.ts";
import { DecisionInbox, type SiteDecision } from "./decision-inbox.ts";
import { readFollowedList } from "./list-sites.ts";

/** Where a decision applies. */
export interface DecideSiteOptions {
  /** Folder of the mirrors. */
  readonly into: string;
  /** Default: in the folder. */
  readonly stateFile: string | undefined;
  readonly now: Clock;
  /** Resolves after so many milliseconds, or once the signal is aborted. */
  readonly delay: (delayMs: number) => Promise<void>;
  /** Called with the content of a file in the inbox that is not a decision. */
  readonly onRefused: (message: string) => void;
}

/** A follower checks every second; this allows for a busy machine. */
const patienceMs = 5000;
const lookEveryMs = 100;

/**
 * Records a decision about a followed site. If a process holds the state, the decision goes to its inbox; otherwise it
 * is written to the state at once, after those already in the inbox.
 *
 * @returns `now` if it is in force; `later` if the holder of the state has not taken it yet, which then happens at its
 * next start at the latest
 * @throws TidemarkError as `openStore`, but for `locked`
 */
export async function decideSite(decision: SiteDecision, options: DecideSiteOptions): Promise<"now" | "later"> {
  const { into, now, delay } = options;
  const inbox = new DecisionInbox(into);
  // Put into the inbox first, so that of several concurrent decisions the last one wins, whoever applies them.
  const name = await inbox.put(decision, now());
  for (let left = patienceMs; left > 0 && inbox.has(name); left -= lookEveryMs) {
    if (takeIfFree(inbox, options)) return "now";
    await delay(lookEveryMs);
  }
  return inbox.has(name) ? "later" : "now";
}

/**
 * Gives a decision to the follower that this process runs, by its inbox.
 *
 * @returns as {@link decideSite}
 * @throws TidemarkError `not-found` if the site is not followed; what the disk refuses
 */
export async function tellFollower(
  decision: SiteDecision,
  { into, now, delay }: Pick<DecideSiteOptions, "into" | "now" | "delay">,
): Promise<"now" | "later"> {
  if (readFollowedList(into)?.has(decision.site) !== true)
    throw new TidemarkError("not-found", `${decision.site} is not followed.`, { details: { site: decision.site } });
  const inbox = new DecisionInbox(into);
  const name = await inbox.put(decision, now());
  for (let left = patienceMs; left > 0 && inbox.has(name); left -= lookEveryMs) await delay(lookEveryMs);
  return inbox.has(name) ? "later" : "now";
}

function takeIfFree(
  inbox: DecisionInbox,
  { into, stateFile, onRefused, now }: Omit<DecideSiteOptions, "delay">,
): boolean {
  try {
    using store = openStore({ into, ...omitUndefined({ stateFile }) });
    const listed = readFollowedList(into);
    inbox.take({
      isFollowed: (site) => listed?.has(site) === true,
      decide: ({ site, isDue, ...rest }) => store.plans.decide(site, isDue ? { ...rest, at: now() } : rest),
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
