import type { EpochMs, KeptInterval } from "../../../core/index.ts";
import type { ChangeHistory } from "./change-rate.ts";
import { pollValue } from "./poll-index.ts";
import { dueAfterSeconds, pollPolicy } from "./poll-policy.ts";
import { BestItems, maxPlannedPolls, type PollPlan, PollSelection } from "./poll-selection.ts";
import type { SiteLearning } from "./site-learning.ts";

/** A page, and what was seen of it. */
export interface SeenPage {
  readonly path: string;
  /** When it was last polled; undefined if never. */
  readonly polledAt: EpochMs | undefined;
  /** How much it matters. Default 1. */
  readonly weight?: number;
  readonly history?: ChangeHistory;
}

/** A page as a planner sees it. */
export interface PollablePage extends SeenPage {
  /** Estimated changes a second; see `rateOf`. */
  readonly ratePerSecond: number;
  /** The state of a planner that adapts intervals. */
  readonly interval?: KeptInterval | undefined;
}

/** Chooses which pages of a site a visit polls; they come in any order. */
export interface PollChooser {
  /** Considers a page; each once. */
  add(page: PollablePage): void;
  /** The polls in their order; and when the first of the other pages is due, perhaps in the past. */
  finish(): { readonly polls: readonly { readonly path: string }[]; readonly nextDueAt: EpochMs | undefined };
  /** What is to be remembered for the next visit, if the planner learns. */
  readonly learning?: SiteLearning;
}

/** The instant of a choice, and its budget in requests. Without a budget it holds up to {@link maxPlannedPolls}. */
interface ChoiceOptions {
  readonly now: EpochMs;
  readonly budget?: number | undefined;
}

interface DuePage {
  readonly path: string;
  readonly dueAt: EpochMs;
}

const compareDue = (a: DuePage, b: DuePage): number =>
  a.dueAt === b.dueAt ? (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) : a.dueAt < b.dueAt ? -1 : 1;

/**
 * Chooses the pages that are due first (earliest deadline first), new pages before all others; ties are decided by path.
 * Memory: as many pages as the budget.
 */
export class DueChoice implements PollChooser {
  readonly #now: EpochMs;
  readonly #budget: number;
  readonly #waitOf: (page: PollablePage) => number;
  readonly #isEager: boolean;
  /** One more than are polled: the first of the others. */
  readonly #first: BestItems<DuePage>;

  /**
   * @param waitOf - how long after its last poll a page is due, in seconds; Infinity for never
   * @param isEager - whether the rest of the budget is spent on pages that are not due
   */
  constructor({
    now,
    budget = maxPlannedPolls,
    waitOf,
    isEager,
  }: ChoiceOptions & { readonly waitOf: (page: PollablePage) => number; readonly isEager: boolean }) {
    this.#now = now;
    this.#budget = Math.max(0, Math.min(Math.floor(budget), maxPlannedPolls));
    this.#waitOf = waitOf;
    this.#isEager = isEager;
    this.#first = new BestItems(this.#budget + 1, compareDue);
  }

  add(page: PollablePage): void {
    // A new page is due even if the rule would never poll it again. A clock that was set back does not delay a page.
    const isNew = page.polledAt === undefined;
    const polledAt = isNew ? Number.NEGATIVE_INFINITY : Math.min(page.polledAt, this.#now);
    const dueAt = isNew ? polledAt : polledAt + this.#waitOf(page) * 1000;
    if (dueAt < Number.POSITIVE_INFINITY) this.#first.add({ path: page.path, dueAt });
  }

  finish(): ReturnType<PollChooser["finish"]> {
    const first = this.#first.sorted();
    const isPolled = ({ dueAt }: DuePage, at: number): boolean =>
      at < this.#budget && (this.#isEager || dueAt <= this.#now);
    const polls = first.filter(isPolled).map(({ path }) => ({ path }));
    const next = first[polls.length];
    return { polls, nextDueAt: next && Math.ceil(Math.max(0, next.dueAt)) };
  }
}

/** Chooses pages by their estimated rates, the largest `pollValue` first; see {@link PollSelection}. */
export class PollPlanner implements PollChooser {
  readonly #now: EpochMs;
  readonly #minProbability: number;
  readonly #selection: PollSelection;

  constructor({ now, budget }: ChoiceOptions) {
    this.#now = now;
    this.#minProbability = budget === undefined ? pollPolicy.minChangeProbability : pollPolicy.minBudgetedProbability;
    this.#selection = new PollSelection(budget);
  }

  add({ path, polledAt, ratePerSecond, weight = 1 }: PollablePage): void {
    if (polledAt === undefined) {
      this.#selection.addNew(path);
      return;
    }
    const dueAfter = dueAfterSeconds(ratePerSecond, this.#minProbability);
    // A clock that was set back does not delay a page.
    const elapsedSeconds = Math.max(0, this.#now - polledAt) / 1000;
    if (elapsedSeconds >= dueAfter)
      this.#selection.addDue(path, pollValue(ratePerSecond, elapsedSeconds, weight), elapsedSeconds);
    else this.#selection.noteDue(Math.ceil(Math.min(polledAt, this.#now) + dueAfter * 1000));
  }

  finish(): PollPlan {
    return this.#selection.finish();
  }
}

/** The choice of {@link PollPlanner}. @param pages - each once, in any order */
export function planPolls(pages: Iterable<PollablePage>, options: ChoiceOptions): PollPlan {
  const planner = new PollPlanner(options);
  for (const page of pages) planner.add(page);
  return planner.finish();
}
