import type { EpochMs } from "../model/index.ts";
import { believedDueAfter, believedProbability } from "./believed-change.ts";
import { noHistory } from "./change-rate.ts";
import type { PollChooser } from "./due-choice.ts";
import { LearnedValue } from "./learned-value.ts";
import { defaultPollPolicy, type PollPolicy } from "./poll-policy.ts";
import { type PollPlan, PollSelection } from "./poll-selection.ts";
import { gridSize, weighRates } from "./rate-grid.ts";
import { RateMixture } from "./rate-mixture.ts";
import { followPrice, priceInTurn, type SiteLearning } from "./site-learning.ts";
import type { PollablePage } from "./site-plan.ts";

/** For which instant and budget pages are chosen, and what is remembered of their site. */
export interface LearningChoiceOptions {
  readonly now: EpochMs;
  /** Requests. */
  readonly budget: number;
  readonly learning: SiteLearning;
  /** Default {@link defaultPollPolicy}. */
  readonly policy?: PollPolicy;
}

const daySeconds = 86_400;
/** For how long what a visit teaches is used. */
export const defaultHorizonSeconds: number = 150 * daySeconds;

/**
 * Chooses what a budget is spent on by what is believed of the pages' rates, while they go by in any order: the pages whose polls
 * are worth most, what they teach included; see {@link PollSelection}. What is believed of a page rests on what was seen of
 * it, and of all others up to the visit before; this visit's pages are a step of expectation and maximisation for the next.
 */
export class LearningChooser implements PollChooser {
  readonly #now: EpochMs;
  readonly #budget: number;
  readonly #policy: PollPolicy;
  readonly #before: SiteLearning;
  readonly #shares: Float64Array;
  readonly #value: LearnedValue;
  readonly #price: number;
  readonly #selection: PollSelection;
  readonly #mixture: RateMixture;
  readonly #belief = new Float64Array(gridSize);
  #pages = 0;
  #last: number | undefined;

  constructor({ now, budget, learning, policy = defaultPollPolicy }: LearningChoiceOptions) {
    this.#now = now;
    this.#budget = budget;
    this.#policy = policy;
    this.#before = learning;
    this.#shares = Float64Array.from(learning.shares);
    // What visits teach has no worth as long as none has a price.
    this.#value = new LearnedValue(learning.price === undefined ? 0 : defaultHorizonSeconds);
    this.#price = learning.price ?? 1;
    this.#selection = new PollSelection(budget, policy);
    this.#mixture = new RateMixture();
  }

  /** Looks at a page; each once. O(log budget). */
  add({ path, polledAt, history = noHistory, weight = 1 }: PollablePage): void {
    this.#pages += 1;
    if (polledAt === undefined) return this.#selection.addNew(path);
    const belief = weighRates(history, this.#shares, this.#belief);
    // A page that was never polled twice tells nothing of the others.
    if (history.visits > 0) this.#mixture.count(belief);
    const { minBudgetedProbability, minIntervalSeconds, maxIntervalSeconds } = this.#policy;
    // A clock that was set back must not keep a page waiting until it is where it was.
    const elapsedSeconds = Math.max(0, this.#now - polledAt) / 1000;
    const isLikely = (seconds: number): boolean => believedProbability(belief, seconds) >= minBudgetedProbability;
    const isDue =
      elapsedSeconds >= minIntervalSeconds && (elapsedSeconds >= maxIntervalSeconds || isLikely(elapsedSeconds));
    if (isDue) {
      const value = weight * this.#value.valueOf(this.#price / weight, elapsedSeconds, belief);
      return this.#selection.addDue(path, value, elapsedSeconds);
    }
    const from = Math.min(polledAt, this.#now);
    const { nextDueAt } = this.#selection;
    if (nextDueAt !== undefined) {
      const seconds = (nextDueAt - from) / 1000;
      if (seconds <= minIntervalSeconds || (seconds <= maxIntervalSeconds && !isLikely(seconds))) return;
    }
    this.#selection.noteDue(Math.ceil(from + 1000 * believedDueAfter(belief, minBudgetedProbability, this.#policy)));
  }

  /** The plan for the pages that were added. O(budget log budget). */
  finish(): PollPlan {
    const plan = this.#selection.finish();
    const last = plan.polls.at(-1);
    if (last?.reason === "value") this.#last = last.value;
    return plan;
  }

  /** What is to be remembered for the next visit. */
  get learning(): SiteLearning {
    const { price } = this.#before;
    const seconds = (this.#pages * daySeconds) / Math.max(1, this.#budget);
    const first = price ?? priceInTurn(seconds, this.#shares);
    return {
      shares: Array.from(this.#mixture.shares, (share) => Number(share.toPrecision(6))),
      pages: this.#mixture.pages,
      price: this.#last === undefined || price === undefined ? first : followPrice(first, this.#last),
    };
  }
}
