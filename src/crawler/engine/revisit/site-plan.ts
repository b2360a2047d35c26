import type { EpochMs, KeptInterval } from "../../../core/index.ts";
import type { ChangeHistory } from "./change-rate.ts";
import { pollValue } from "./poll-index.ts";
import { defaultPollPolicy, dueAfterSeconds, type PollPolicy } from "./poll-policy.ts";
import { type PollPlan, PollSelection } from "./poll-selection.ts";

/** A page that was polled or not, and what was seen of it. */
export interface SeenPage {
  readonly path: string;
  /** When it was last asked for; undefined if it never was. */
  readonly polledAt: EpochMs | undefined;
  /** How much it matters beside others. Default 1. */
  readonly weight?: number;
  /** Left out if nothing was seen. */
  readonly history?: ChangeHistory;
}

/** A page as the plan sees it. */
export interface PollablePage extends SeenPage {
  /** Changes a second, as `rateOf` estimates it. */
  readonly ratePerSecond: number;
  /** What a planner that steps intervals keeps of it. */
  readonly interval?: KeptInterval | undefined;
}

/** For which instant a plan is, and how much it may hold. */
export interface PollPlanOptions {
  readonly now: EpochMs;
  /** Requests. Default: no budget; the plan then holds what is due, up to {@link maxPlannedPolls}. */
  readonly budget?: number | undefined;
  /** Default {@link defaultPollPolicy}. */
  readonly policy?: PollPolicy;
}

/**
 * Chooses which pages of a site to poll by what is estimated of their rates, while they go by in any order: see
 * {@link PollSelection}. Of pages that are due those with the largest `pollValue` come first.
 */
export class PollPlanner {
  readonly #now: EpochMs;
  readonly #policy: PollPolicy;
  readonly #minProbability: number;
  readonly #selection: PollSelection;

  constructor({ now, budget, policy = defaultPollPolicy }: PollPlanOptions) {
    this.#now = now;
    this.#policy = policy;
    this.#minProbability = budget === undefined ? policy.minChangeProbability : policy.minBudgetedProbability;
    this.#selection = new PollSelection(budget, policy);
  }

  /** Looks at a page; each once. O(log budget). */
  add({ path, polledAt, ratePerSecond, weight = 1 }: PollablePage): void {
    if (polledAt === undefined) {
      this.#selection.addNew(path);
      return;
    }
    const dueAfter = dueAfterSeconds(ratePerSecond, this.#minProbability, this.#policy);
    // A clock that was set back must not keep a page waiting until it is where it was.
    const elapsedSeconds = Math.max(0, this.#now - polledAt) / 1000;
    if (elapsedSeconds >= dueAfter)
      this.#selection.addDue(path, pollValue(ratePerSecond, elapsedSeconds, weight), elapsedSeconds);
    else this.#selection.noteDue(Math.ceil(Math.min(polledAt, this.#now) + dueAfter * 1000));
  }

  /** The plan for the pages that were added. O(budget log budget). */
  finish(): PollPlan {
    return this.#selection.finish();
  }
}

/**
 * Chooses which pages of a site to poll; see {@link PollPlanner}, which takes them one by one.
 *
 * @param pages - each once, in any order
 */
export function planPolls(pages: Iterable<PollablePage>, options: PollPlanOptions): PollPlan {
  const planner = new PollPlanner(options);
  for (const page of pages) planner.add(page);
  return planner.finish();
}
