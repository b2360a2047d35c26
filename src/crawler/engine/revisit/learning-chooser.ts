import type { EpochMs } from "../../../core/index.ts";
import { noHistory } from "./change-rate.ts";
import { LearnedValue } from "./learned-value.ts";
import type { PollChooser, SeenPage } from "./poll-choosers.ts";
import { pollValue } from "./poll-index.ts";
import { pollPolicy } from "./poll-policy.ts";
import { type PollPlan, PollSelection } from "./poll-selection.ts";
import { believedDueAfter, believedProbability, gridSize, weighRates } from "./rate-grid.ts";
import {
  followPrice,
  HazardScores,
  horizonOf,
  meanHazard,
  priceInTurn,
  RateMixture,
  type SiteLearning,
} from "./site-learning.ts";

/** The instant and the budget of a choice, and what is remembered of the site. */
interface LearningChoiceOptions {
  readonly now: EpochMs;
  /** Requests. */
  readonly budget: number;
  /** Requests a second of recent visits. */
  readonly perSecond: number;
  readonly learning: SiteLearning;
}

/** Longest time, under a tiny budget, in which each page counts as visited once. */
const mostEverySeconds = 365 * 86_400;

/**
 * Chooses pages by the probabilities of their rates: those whose polls have the greatest value, information included; see
 * {@link PollSelection}. The probabilities rest on the page's own history and on the distribution of the site's rates up to
 * the visit before. The pages of this visit are a step of expectation maximisation for the next.
 */
export class LearningChooser implements PollChooser {
  readonly #now: EpochMs;
  readonly #perSecond: number;
  readonly #before: SiteLearning;
  readonly #shares: Float64Array;
  readonly #value: LearnedValue;
  readonly #price: number;
  readonly #selection: PollSelection;
  readonly #scores: HazardScores;
  readonly #hazardPerSecond: number;
  /** Best freshness of a page whose rate is drawn anew, as a share of time. */
  readonly #renewed: number;
  readonly #mixture = new RateMixture();
  readonly #belief = new Float64Array(gridSize);
  #pages = 0;
  /** Value of the last poll of the budget. */
  #last: number | undefined;

  constructor({ now, budget, perSecond, learning }: LearningChoiceOptions) {
    this.#now = now;
    this.#perSecond = perSecond;
    this.#before = learning;
    this.#shares = Float64Array.from(learning.shares);
    // Without a price the information of a visit has no value.
    this.#value = new LearnedValue(learning.price === undefined ? 0 : horizonOf(this.#everySeconds(learning.pages)));
    this.#price = learning.price ?? 1;
    this.#selection = new PollSelection(budget);
    this.#scores = new HazardScores(learning.scores ?? [], learning.pages);
    this.#hazardPerSecond = learning.price === undefined ? 0 : meanHazard(learning.scores ?? []);
    this.#renewed = LearnedValue.bestOf(this.#price, this.#shares);
  }

  add({ path, polledAt, history = noHistory, weight = 1 }: SeenPage): void {
    this.#pages += 1;
    if (polledAt === undefined) {
      this.#selection.addNew(path);
      return;
    }
    // A clock that was set back does not delay a page.
    const elapsedSeconds = Math.max(0, this.#now - polledAt) / 1000;
    if (polledAt > (this.#before.scoredAt ?? 0)) this.#scores.count(history, this.#shares);
    const keep = Math.exp(-this.#hazardPerSecond * elapsedSeconds);
    const belief = weighRates(history, this.#shares, this.#belief, { keep });
    if (history.visits > 0) this.#mixture.count(belief);
    const { minBelievedProbability, minBudgetedProbability, minIntervalSeconds, maxIntervalSeconds } = pollPolicy;
    const isDue =
      elapsedSeconds >= minIntervalSeconds &&
      (elapsedSeconds >= maxIntervalSeconds || believedProbability(belief, elapsedSeconds) >= minBelievedProbability);
    if (isDue) {
      const known = this.#value.valueOf(this.#price / weight, elapsedSeconds, belief);
      const value = weight * (known + this.#renewed * pollValue(this.#hazardPerSecond, elapsedSeconds));
      this.#selection.addDue(path, value, elapsedSeconds);
      return;
    }
    // It does not cause a visit while it is almost certainly unchanged, although a visit would poll it.
    const from = Math.min(polledAt, this.#now);
    const { nextDueAt = Number.POSITIVE_INFINITY } = this.#selection;
    const seconds = (nextDueAt - from) / 1000;
    if (seconds <= minIntervalSeconds) return;
    if (seconds <= maxIntervalSeconds && believedProbability(belief, seconds) < minBudgetedProbability) return;
    this.#selection.noteDue(Math.ceil(from + 1000 * believedDueAfter(belief, minBudgetedProbability)));
  }

  finish(): PollPlan {
    const plan = this.#selection.finish();
    const last = plan.polls.at(-1);
    if (last?.reason === "value") this.#last = last.value;
    return plan;
  }

  /** What is to be remembered for the next visit. */
  get learning(): SiteLearning {
    const { pages, price } = this.#before;
    // A visit that continues another sees few of the pages, and those are not typical.
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

  /** The time in which the budget could visit each page once. */
  #everySeconds(pages: number): number {
    return Math.min(mostEverySeconds, pages / this.#perSecond);
  }
}
