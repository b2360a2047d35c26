import type { EpochMs } from "../../../core/index.ts";
import { BestItems } from "./best-items.ts";
import type { PollPolicy } from "./poll-policy.ts";

/** Why a page is polled: it never was; it has not been for the longest interval; or it is worth it. */
export type PollReason = "new" | "overdue" | "value";

/** A page to poll. */
export interface PlannedPoll {
  readonly path: string;
  readonly reason: PollReason;
  /** Seconds of freshness that the poll is expected to give, times the weight; 0 for a new page. */
  readonly value: number;
}

/** What to poll now. */
export interface PollPlan {
  /** New pages by path, then overdue ones, the longest first, then the others, the most valuable first. */
  readonly polls: readonly PlannedPoll[];
  /** Pages that are due, chosen or not. */
  readonly due: number;
  /** When the first of the pages that are not due yet will be; undefined if there is none. */
  readonly nextDueAt: EpochMs | undefined;
}

/** Polls of one plan, which bounds its memory; with more due, plan again when these are done. */
export const maxPlannedPolls = 100_000;

interface Candidate extends PlannedPoll {
  readonly elapsedSeconds: number;
}

const comparePaths = (a: Candidate, b: Candidate): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
const compareElapsed = (a: Candidate, b: Candidate): number =>
  a.elapsedSeconds === b.elapsedSeconds ? comparePaths(a, b) : b.elapsedSeconds - a.elapsedSeconds;
const compareValues = (a: Candidate, b: Candidate): number =>
  a.value === b.value ? comparePaths(a, b) : b.value - a.value;

/**
 * Divides a visit's budget among pages that go by in any order: those that were never polled, those that were
 * not for the longest interval, and of the others the ones that are worth most. Under a budget a quarter
 * of the requests is kept from new pages, so that known ones never wait for ever, and of what new pages leave a quarter
 * is for overdue ones, among them pages that seemed to change too fast to be followed. Equal pages go by their path: the same
 * pages give the same plan, in whatever order they come. Memory for as many pages as the budget, up to
 * {@link maxPlannedPolls}, three times over.
 */
export class PollSelection {
  readonly #budget: number;
  readonly #policy: PollPolicy;
  readonly #new: BestItems<Candidate>;
  readonly #overdue: BestItems<Candidate>;
  readonly #valued: BestItems<Candidate>;
  #due = 0;
  #nextDueAt: EpochMs | undefined;

  /** @param budget - requests; undefined for as many as a plan may hold */
  constructor(budget: number | undefined, policy: PollPolicy) {
    const asked = budget === undefined ? maxPlannedPolls : Math.floor(budget);
    this.#budget = asked > 0 ? Math.min(asked, maxPlannedPolls) : 0;
    this.#policy = policy;
    this.#new = new BestItems(this.#budget, comparePaths);
    this.#overdue = new BestItems(this.#budget, compareElapsed);
    this.#valued = new BestItems(this.#budget, compareValues);
  }

  /** Adds a page that was never polled. O(log budget). */
  addNew(path: string): void {
    this.#due += 1;
    this.#new.add({ path, reason: "new", value: 0, elapsedSeconds: 0 });
  }

  /** Adds a page that is due. O(log budget). */
  addDue(path: string, value: number, elapsedSeconds: number): void {
    this.#due += 1;
    if (elapsedSeconds >= this.#policy.maxIntervalSeconds) {
      this.#overdue.add({ path, reason: "overdue", value, elapsedSeconds });
    }
    this.#valued.add({ path, reason: "value", value, elapsedSeconds });
  }

  /** Notes when a page that is not due will be. */
  noteDue(dueAt: EpochMs): void {
    if (this.#nextDueAt === undefined || dueAt < this.#nextDueAt) this.#nextDueAt = dueAt;
  }

  /** When the first of the pages that are not due will be, of those that were noted. */
  get nextDueAt(): EpochMs | undefined {
    return this.#nextDueAt;
  }

  /** The plan for the pages that were added. O(budget log budget). */
  finish(): PollPlan {
    const newPages = this.#new.sorted();
    const kept = Math.min(Math.floor(this.#budget / 4), this.#valued.size);
    newPages.length = Math.min(newPages.length, this.#budget - kept);
    const left = this.#budget - newPages.length;
    const overdue = this.#overdue.sorted();
    overdue.length = Math.min(overdue.length, this.#overdueShare(left, overdue[0]));
    const isTaken = new Set(overdue.map(({ path }) => path));
    const valued = this.#valued.sorted().filter(({ path }) => !isTaken.has(path));
    valued.length = Math.min(valued.length, left - overdue.length);
    const polls = [...newPages, ...overdue, ...valued].map(({ path, reason, value }) => ({ path, reason, value }));
    return { polls, due: this.#due, nextDueAt: this.#nextDueAt };
  }

  /** A quarter of what is left; one of two or three requests only for a page that waited twice as long as it should. */
  #overdueShare(left: number, longest: Candidate | undefined): number {
    const waitsTwice = longest !== undefined && longest.elapsedSeconds >= 2 * this.#policy.maxIntervalSeconds;
    return Math.max(Math.floor(left / 4), waitsTwice && left >= 2 ? 1 : 0);
  }
}
