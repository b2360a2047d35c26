import type { EpochMs } from "../../../core/index.ts";
import { BestItems } from "./best-items.ts";
import { maxPlannedPolls } from "./poll-selection.ts";
import type { SiteLearning } from "./site-learning.ts";
import type { PollablePage } from "./site-plan.ts";

/** Which pages a visit polls. */
export interface ChosenPages {
  /** In the order in which they are polled. */
  readonly polls: readonly { readonly path: string }[];
  /** When the first of the others is due, which may be past; undefined if that is never. */
  readonly nextDueAt: EpochMs | undefined;
}

/** Chooses which pages of a site a visit polls, while they go by in any order. */
export interface PollChooser {
  /** Looks at a page; each once. */
  add(page: PollablePage): void;
  finish(): ChosenPages;
  /** What the pages that went by say of their site, to be remembered for the next visit; left out where it learns nothing. */
  readonly learning?: SiteLearning;
}

/** For which instant a choice is, by which rule, and how much it may hold. */
export interface DueChoiceOptions {
  readonly now: EpochMs;
  /** Requests. Default: no budget; up to `maxPlannedPolls`. */
  readonly budget?: number | undefined;
  /** How long after its last poll a page is due, in seconds; Infinity for never. */
  readonly waitOf: (page: PollablePage) => number;
  /** Whether pages are polled before they are due where the budget is not spent else. */
  readonly isEager: boolean;
}

interface DuePage {
  readonly path: string;
  readonly dueAt: EpochMs;
}

const compareDue = (a: DuePage, b: DuePage): number =>
  a.dueAt === b.dueAt ? (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) : a.dueAt < b.dueAt ? -1 : 1;

/**
 * Chooses the pages that are due first (earliest deadline first): the instant's part of the schedule of `VisitPlanner`s
 * that go by due times. Pages that were never polled are due since ever. Equal ones go by their path. Memory for as many
 * pages as the budget.
 */
export class DueChoice implements PollChooser {
  readonly #now: EpochMs;
  readonly #budget: number;
  readonly #waitOf: DueChoiceOptions["waitOf"];
  readonly #isEager: boolean;
  /** One more than are polled: the first of the others. */
  readonly #first: BestItems<DuePage>;

  constructor({ now, budget = maxPlannedPolls, waitOf, isEager }: DueChoiceOptions) {
    this.#now = now;
    this.#budget = Math.max(0, Math.min(Math.floor(budget), maxPlannedPolls));
    this.#waitOf = waitOf;
    this.#isEager = isEager;
    this.#first = new BestItems(this.#budget + 1, compareDue);
  }

  /** Looks at a page; each once. O(log budget). */
  add(page: PollablePage): void {
    // A clock that was set back must not keep a page waiting until it is where it was.
    const polledAt = page.polledAt === undefined ? Number.NEGATIVE_INFINITY : Math.min(page.polledAt, this.#now);
    const dueAt = polledAt + this.#waitOf(page) * 1000;
    // What was never polled is due even if the rule would never poll it again.
    if (page.polledAt === undefined) this.#first.add({ path: page.path, dueAt: polledAt });
    else if (dueAt < Number.POSITIVE_INFINITY) this.#first.add({ path: page.path, dueAt });
  }

  finish(): ChosenPages {
    const first = this.#first.sorted();
    const isPolled = ({ dueAt }: DuePage, at: number): boolean =>
      at < this.#budget && (this.#isEager || dueAt <= this.#now);
    const polls = first.filter(isPolled).map(({ path }) => ({ path }));
    const next = first[polls.length];
    return { polls, nextDueAt: next && Math.ceil(Math.max(0, next.dueAt)) };
  }
}
