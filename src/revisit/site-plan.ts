import type { EpochMs, KeptInterval } from "../model/index.ts";
import { BestItems } from "./best-items.ts";
import { pollValue, secondsUntilProbability } from "./poll-index.ts";

/** When a page is worth a request. */
export interface PollPolicy {
  /** How likely a page's change must be where there is no budget. */
  readonly minChangeProbability: number;
  /** The same where there is one: the index divides the requests, and only what is all but certainly equal is left out. */
  readonly minBudgetedProbability: number;
  /** No page is polled again sooner, in seconds. */
  readonly minIntervalSeconds: number;
  /** Each page is polled again as late as this at the latest, in seconds, as far as the budget allows. */
  readonly maxIntervalSeconds: number;
}

/**
 * The defaults. At 0.3 a Poisson page's copy is fresh 84 % of the time, for 2.8 requests a change; at 0.1 it would be
 * 95 % for 9.5, at 0.5 72 % for 1.4; under a budget it goes down to 0.02, 99 % for 50. An hour is what other crawlers take for the least, 90 days for the most.
 */
export const defaultPollPolicy: PollPolicy = {
  minChangeProbability: 0.3,
  minBudgetedProbability: 0.02,
  minIntervalSeconds: 3600,
  maxIntervalSeconds: 90 * 86_400,
};

/** A page as the plan sees it. */
export interface PollablePage {
  readonly path: string;
  /** When it was last asked for; undefined if it never was. */
  readonly polledAt: EpochMs | undefined;
  /** Changes a second, as `rateOf` estimates it. */
  readonly ratePerSecond: number;
  /** How much it matters beside others. Default 1. */
  readonly weight?: number;
  /** What a planner that steps intervals keeps of it. */
  readonly interval?: KeptInterval | undefined;
}

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

/** For which instant a plan is, and how much it may hold. */
export interface PollPlanOptions {
  readonly now: EpochMs;
  /** Requests. Default: no budget; the plan then holds what is due, up to {@link maxPlannedPolls}. */
  readonly budget?: number | undefined;
  /** Default {@link defaultPollPolicy}. */
  readonly policy?: PollPolicy;
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

/** How long after its last poll a page is due, in seconds, by probability within the bounds of the policy. */
export function dueAfterSeconds(ratePerSecond: number, minProbability: number, policy: PollPolicy): number {
  const { minIntervalSeconds, maxIntervalSeconds } = policy;
  const wanted = secondsUntilProbability(minProbability, ratePerSecond);
  return Math.max(minIntervalSeconds, Math.min(maxIntervalSeconds, wanted));
}

/**
 * Chooses which pages of a site to poll, while they go by in any order: those that were never polled, those that were
 * not for the longest interval, and of the others the ones with the largest `pollValue`. Under a budget a quarter
 * of the requests is kept from new pages, so that known ones never wait for ever, and of what new pages leave a quarter
 * is for overdue ones, among them pages that seemed to change too fast to be followed. Equal pages go by their path: the same
 * pages give the same plan, in whatever order they come. Memory for as many pages as the budget, up to
 * {@link maxPlannedPolls}, three times over.
 */
export class PollPlanner {
  readonly #now: EpochMs;
  readonly #budget: number;
  readonly #policy: PollPolicy;
  readonly #minProbability: number;
  readonly #new: BestItems<Candidate>;
  readonly #overdue: BestItems<Candidate>;
  readonly #valued: BestItems<Candidate>;
  #due = 0;
  #nextDueAt: EpochMs | undefined;

  constructor({ now, budget, policy = defaultPollPolicy }: PollPlanOptions) {
    const asked = budget === undefined ? maxPlannedPolls : Math.floor(budget);
    this.#budget = asked > 0 ? Math.min(asked, maxPlannedPolls) : 0;
    this.#now = now;
    this.#policy = policy;
    this.#minProbability = budget === undefined ? policy.minChangeProbability : policy.minBudgetedProbability;
    this.#new = new BestItems(this.#budget, comparePaths);
    this.#overdue = new BestItems(this.#budget, compareElapsed);
    this.#valued = new BestItems(this.#budget, compareValues);
  }

  /** Looks at a page; each once. O(log budget). */
  add({ path, polledAt, ratePerSecond, weight = 1 }: PollablePage): void {
    if (polledAt === undefined) {
      this.#due += 1;
      this.#new.add({ path, reason: "new", value: 0, elapsedSeconds: 0 });
      return;
    }
    const dueAfter = dueAfterSeconds(ratePerSecond, this.#minProbability, this.#policy);
    // A clock that was set back must not keep a page waiting until it is where it was.
    const elapsedSeconds = Math.max(0, this.#now - polledAt) / 1000;
    if (!(elapsedSeconds >= dueAfter)) {
      const dueAt = Math.ceil(Math.min(polledAt, this.#now) + dueAfter * 1000);
      if (this.#nextDueAt === undefined || dueAt < this.#nextDueAt) this.#nextDueAt = dueAt;
      return;
    }
    this.#due += 1;
    const value = pollValue(ratePerSecond, elapsedSeconds, weight);
    if (elapsedSeconds >= this.#policy.maxIntervalSeconds) {
      this.#overdue.add({ path, reason: "overdue", value, elapsedSeconds });
    }
    this.#valued.add({ path, reason: "value", value, elapsedSeconds });
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
