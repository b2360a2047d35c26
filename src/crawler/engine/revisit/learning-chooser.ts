import type { EpochMs } from "../../../core/index.ts";
import { believedDueAfter, believedProbability } from "./believed-change.ts";
import { noHistory } from "./change-rate.ts";
import type { PollChooser } from "./due-choice.ts";
import { LearnedValue } from "./learned-value.ts";
import { defaultPollPolicy, type PollPolicy } from "./poll-policy.ts";
import { type PollPlan, PollSelection } from "./poll-selection.ts";
import { gridSize, weighRates } from "./rate-grid.ts";
import { HazardScores, meanHazard, unseenSeconds } from "./rate-hazard.ts";
import { RateMixture } from "./rate-mixture.ts";
import { followPrice, horizonOf, priceInTurn, type SiteLearning } from "./site-learning.ts";
import type { SeenPage } from "./site-plan.ts";

/** For which instant and budget pages are chosen, and what is remembered of their site. */
export interface LearningChoiceOptions {
  readonly now: EpochMs;
  /** Requests. */
  readonly budget: number;
  /** Requests a second that visits were given of late. */
  readonly perSecond: number;
  readonly learning: SiteLearning;
  /** Default {@link defaultPollPolicy}. */
  readonly policy?: PollPolicy;
}

/** Where a budget is next to nothing, each page is taken to be visited once in so long a time. */
const mostEverySeconds = 365 * 86_400;

/**
 * Chooses what a budget is spent on by what is believed of the pages' rates, while they go by in any order: the pages whose polls
 * are worth most, what they teach included; see {@link PollSelection}. What is believed of a page rests on what was seen of
 * it, and of all others up to the visit before; this visit's pages are a step of expectation and maximisation for the next.
 */
export class LearningChooser implements PollChooser {
  readonly #now: EpochMs;
  readonly #policy: PollPolicy;
  readonly #perSecond: number;
  readonly #before: SiteLearning;
  readonly #shares: Float64Array;
  readonly #value: LearnedValue;
  readonly #price: number;
  readonly #selection: PollSelection;
  readonly #scores: HazardScores;
  readonly #hazardPerSecond: number;
  /** What a page would give whose rate is drawn anew, as a share of time. */
  readonly #renewed: number;
  readonly #mixture = new RateMixture();
  readonly #belief = new Float64Array(gridSize);
  #pages = 0;
  /** What the last poll is worth that the budget is spent on. */
  #last: number | undefined;

  constructor({ now, budget, perSecond, learning, policy = defaultPollPolicy }: LearningChoiceOptions) {
    this.#now = now;
    this.#policy = policy;
    this.#perSecond = perSecond;
    this.#before = learning;
    this.#shares = Float64Array.from(learning.shares);
    // As long as visits have no price, what they teach has none.
    this.#value = new LearnedValue(learning.price === undefined ? 0 : horizonOf(this.#everySeconds(learning.pages)));
    this.#price = learning.price ?? 1;
    this.#selection = new PollSelection(budget, policy);
    this.#scores = new HazardScores(learning.scores ?? [], learning.pages);
    this.#hazardPerSecond = learning.price === undefined ? 0 : meanHazard(learning.scores ?? []);
    this.#renewed = LearnedValue.bestOf(this.#price, this.#shares);
  }

  /** Looks at a page; each once. O(log budget). */
  add({ path, polledAt, history = noHistory, weight = 1 }: SeenPage): void {
    this.#pages += 1;
    if (polledAt === undefined) {
      this.#selection.addNew(path);
      return;
    }
    // A clock that was set back must not keep a page waiting until it is where it was.
    const elapsedSeconds = Math.max(0, this.#now - polledAt) / 1000;
    if (polledAt > (this.#before.scoredAt ?? 0)) this.#scores.count(history, this.#shares);
    const keep = Math.exp(-this.#hazardPerSecond * elapsedSeconds);
    const belief = weighRates(history, this.#shares, this.#belief, { keep });
    // A page that was never polled twice tells nothing of the others.
    if (history.visits > 0) this.#mixture.count(belief);
    const { minBelievedProbability, minBudgetedProbability, minIntervalSeconds, maxIntervalSeconds } = this.#policy;
    const isDue =
      elapsedSeconds >= minIntervalSeconds &&
      (elapsedSeconds >= maxIntervalSeconds || believedProbability(belief, elapsedSeconds) >= minBelievedProbability);
    if (isDue) {
      const known = this.#value.valueOf(this.#price / weight, elapsedSeconds, belief);
      const value = weight * (known + this.#renewed * unseenSeconds(this.#hazardPerSecond, elapsedSeconds));
      this.#selection.addDue(path, value, elapsedSeconds);
      return;
    }
    // A visit is not made for what is all but certainly equal, even if it would be asked for in one.
    const from = Math.min(polledAt, this.#now);
    const { nextDueAt = Number.POSITIVE_INFINITY } = this.#selection;
    const seconds = (nextDueAt - from) / 1000;
    if (seconds <= minIntervalSeconds) return;
    if (seconds <= maxIntervalSeconds && believedProbability(belief, seconds) < minBudgetedProbability) return;
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
    const { pages, price } = this.#before;
    // A visit that goes on after a break sees few of the pages, and those are not like the others.
    if (2 * this.#pages < pages) return { ...this.#before, pages: Math.floor(pages / 2) };
    return {
      shares: Array.from(this.#mixture.shares, (share) => Number(share.toPrecision(6))),
      pages: this.#pages,
      price: this.#last === undefined ? price : this.#priceAfter(this.#last),
      scores: this.#scores.scores,
      scoredAt: this.#now,
    };
  }

  #priceAfter(last: number): number {
    const { price } = this.#before;
    if (price !== undefined) return followPrice(price, last);
    return priceInTurn(this.#everySeconds(this.#pages), this.#shares);
  }

  /** The time in which the budget could visit each of so many pages once. */
  #everySeconds(pages: number): number {
    return Math.min(mostEverySeconds, pages / this.#perSecond);
  }
}
