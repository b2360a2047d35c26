import { type EpochMs, IndexedHeap } from "../../../core/index.ts";
import { pollPolicy } from "./poll-policy.ts";

/** The best items of a stream: a heap of at most `capacity`, the worst on top. O(log capacity) per item. */
export class BestItems<Item> {
  readonly #capacity: number;
  readonly #compare: (a: Item, b: Item) => number;
  readonly #items: Item[] = [];
  readonly #worst = new IndexedHeap((slot, other) => this.#compareSlots(slot, other) > 0);

  /** @param compare - negative if the first is better; never 0, so that the order of arrival does not matter */
  constructor(capacity: number, compare: (a: Item, b: Item) => number) {
    this.#capacity = capacity;
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    let slot = this.#items.length;
    if (slot >= this.#capacity) {
      const worst = this.#worst.first;
      if (worst === undefined || this.#compare(item, this.#items[worst] as Item) >= 0) return;
      slot = worst;
    }
    this.#items[slot] = item;
    this.#worst.set(slot, 0);
  }

  /** The kept items, the best first. */
  sorted(): Item[] {
    return [...this.#items].sort(this.#compare);
  }

  #compareSlots(slot: number, other: number): number {
    return this.#compare(this.#items[slot] as Item, this.#items[other] as Item);
  }
}

/** A page to poll. */
interface PlannedPoll {
  readonly path: string;
  /** It was never polled, not for the longest interval, or it is worth a poll. */
  readonly reason: "new" | "overdue" | "value";
  /** Seconds of freshness that the poll is expected to give, times the weight; 0 for a new page. */
  readonly value: number;
}

/** What to poll now. */
export interface PollPlan {
  /** New pages by path, then overdue ones, the longest first, then the others, the most valuable first. */
  readonly polls: readonly PlannedPoll[];
  /** Pages that are due, chosen or not. */
  readonly due: number;
  /** When the first of the other pages will be due; undefined if there is none. */
  readonly nextDueAt: EpochMs | undefined;
}

/** Most polls of one plan, which bounds its memory. */
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
 * Divides a visit's budget among pages that come in any order: new pages, overdue ones, and those of the greatest value.
 * New pages leave a quarter of the requests to known ones, and of the rest a quarter is for overdue pages, among them
 * pages that seemed to change too fast to be followed. Ties are decided by path, so the same pages give the same plan.
 * Memory: three times as many pages as the budget, which is bounded by {@link maxPlannedPolls}.
 */
export class PollSelection {
  readonly #budget: number;
  readonly #new: BestItems<Candidate>;
  readonly #overdue: BestItems<Candidate>;
  readonly #valued: BestItems<Candidate>;
  #due = 0;
  #nextDueAt: EpochMs | undefined;

  /** @param budget - requests; undefined for as many as a plan may hold */
  constructor(budget: number | undefined) {
    const asked = budget === undefined ? maxPlannedPolls : Math.floor(budget);
    this.#budget = asked > 0 ? Math.min(asked, maxPlannedPolls) : 0;
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
    if (elapsedSeconds >= pollPolicy.maxIntervalSeconds)
      this.#overdue.add({ path, reason: "overdue", value, elapsedSeconds });
    this.#valued.add({ path, reason: "value", value, elapsedSeconds });
  }

  /** Notes when a page that is not due will be. */
  noteDue(dueAt: EpochMs): void {
    if (this.#nextDueAt === undefined || dueAt < this.#nextDueAt) this.#nextDueAt = dueAt;
  }

  /** The earliest time that was noted. */
  get nextDueAt(): EpochMs | undefined {
    return this.#nextDueAt;
  }

  /** The plan for the added pages. O(budget log budget). */
  finish(): PollPlan {
    const newPages = this.#new.sorted();
    const kept = Math.min(Math.floor(this.#budget / 4), this.#valued.size);
    newPages.length = Math.min(newPages.length, this.#budget - kept);
    const left = this.#budget - newPages.length;
    const overdue = this.#overdue.sorted();
    overdue.length = Math.min(overdue.length, overdueShare(left, overdue[0]));
    const isTaken = new Set(overdue.map(({ path }) => path));
    const valued = this.#valued.sorted().filter(({ path }) => !isTaken.has(path));
    valued.length = Math.min(valued.length, left - overdue.length);
    const polls = [...newPages, ...overdue, ...valued].map(({ path, reason, value }) => ({ path, reason, value }));
    return { polls, due: this.#due, nextDueAt: this.#nextDueAt };
  }
}

/**
 * A quarter of what is left. If a page has waited twice the longest interval, one of two or three requests, and a single one
 * on each fourth day.
 */
function overdueShare(left: number, longest: Candidate | undefined): number {
  const waitsTwice = longest !== undefined && longest.elapsedSeconds >= 2 * pollPolicy.maxIntervalSeconds;
  const hasTurn = waitsTwice && (left >= 2 || (left === 1 && Math.floor(longest.elapsedSeconds / 86_400) % 4 === 0));
  return Math.max(Math.floor(left / 4), hasTurn ? 1 : 0);
}
